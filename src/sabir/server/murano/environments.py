"""Environments, sessions and models in Murano's API, under `/v1/environments`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

from litestar import Controller, Response, delete, get, patch, post, put
from litestar.exceptions import ClientException, NotFoundException, PermissionDeniedException
from litestar.params import FromPath, FromQuery, JSONBody
from litestar.status_codes import HTTP_200_OK
from msgspec import Meta, Struct

from sabir.server.access import require_permission
from sabir.server.murano import models
from sabir.server.murano.models import write_environment
from sabir.server.murano.responses import environment_data, environment_detail, live_model, session_data
from sabir.server.request_context import (
    ServiceRequest,
    decoded_body,
    json_response,
    refuse_depth,
    sees_secrets,
    service_of,
)
from sabir.server.service import SabirService
from sabir.server.store.environments import EnvironmentInfo, EnvironmentKind
from sabir.server.store.murano import SessionInfo, SessionState
from sabir.server.store.tokens import Verb
from sabir.server.work.commands import JobRequest

_SESSION = "x-configuration-session"

Name = Annotated[str, Meta(min_length=1, max_length=255, pattern=r"^[^\x00-\x1f\x7f]+$")]


class _NewEnvironment(Struct, frozen=True):
    name: Name
    region: str | None = None
    defaultNetworks: dict[str, Any] | None = None  # noqa: N815  as it is sent


class _Rename(Struct, frozen=True):
    name: Name


class MuranoEnvironments(Controller):
    """List, create, rename and delete environments."""

    path = "/environments"
    tags = ("murano",)

    @get(guards=[require_permission(Verb.READ)])
    async def list_environments(self, request: ServiceRequest) -> dict[str, list[dict[str, Any]]]:
        service = service_of(request)

        def read() -> list[dict[str, Any]]:
            infos = service.environments.all(kind=EnvironmentKind.MURANO)
            return [environment_data(service, info) for info in infos if request.user.may(Verb.READ, info.id)]

        return {"environments": await asyncio.to_thread(read)}

    @post(guards=[require_permission(Verb.EDIT)], status_code=HTTP_200_OK)
    async def create(self, request: ServiceRequest, data: JSONBody[_NewEnvironment]) -> dict[str, Any]:
        service = service_of(request)
        if request.user.environments:
            raise PermissionDeniedException(f"the token {request.user.name!r} is limited to its environments")

        def create() -> dict[str, Any]:
            info = service.environments.create(
                data.name, owner=request.user.name, kind=EnvironmentKind.MURANO, trust=service.settings.trust
            )
            more = {"region": data.region, "defaultNetworks": data.defaultNetworks}
            service.environments.set_model(info.id, models.new_model(info.id, info.name, more))
            service.audit.note(request.user.name, "create", info.id, name=info.name)
            return environment_data(service, service.environments.get(info.id) or info)

        return await asyncio.to_thread(create)

    @get("/{environment_id:str}", guards=[require_permission(Verb.READ)])
    async def show(self, request: ServiceRequest, environment_id: FromPath[str]) -> dict[str, Any]:
        """Return the environment as edited in the session of the request, else as deployed."""
        service, info = service_of(request), await murano_environment(request, environment_id)
        model = await _load_model(request, info)
        shown = await asyncio.to_thread(environment_detail, service, info, model)
        if sees_secrets(request, info.id):
            return shown
        return {**shown, "services": models.heads(shown["services"])}

    @put("/{environment_id:str}", guards=[require_permission(Verb.EDIT)])
    async def rename(
        self, request: ServiceRequest, environment_id: FromPath[str], data: JSONBody[_Rename]
    ) -> dict[str, Any]:
        service, info = service_of(request), await murano_environment(request, environment_id)
        await asyncio.to_thread(_rename_environment, service, info, data.name)
        return await asyncio.to_thread(
            environment_data, service, await murano_environment(request, environment_id)
        )

    @delete("/{environment_id:str}", guards=[require_permission(Verb.DEPLOY)], status_code=HTTP_200_OK)
    async def remove(
        self, request: ServiceRequest, environment_id: FromPath[str], *, abandon: FromQuery[bool] = False
    ) -> None:
        """Destroy the resources, then delete the environment; with `abandon`, only delete it."""
        service, info = service_of(request), await murano_environment(request, environment_id)
        await asyncio.to_thread(service.refuse_edit, info)
        await asyncio.to_thread(
            service.audit.note, request.user.name, "delete", info.id, name=info.name, abandon=abandon
        )
        if abandon or not await asyncio.to_thread(service.state(info.id).records):
            await asyncio.to_thread(service.remove, info)
        else:
            destroy = JobRequest(verb="destroy", allow_delete="all", then_remove=True)
            await service.submit(info, destroy, owner=request.user.name)


def _rename_environment(service: SabirService, info: EnvironmentInfo, name: str) -> None:
    service.environments.rename(info.id, name)
    service.environments.set_model(info.id, {**service.environments.model(info.id), "name": name})


class MuranoSessions(Controller):
    """Sessions: a session edits a copy of the model, which is then deployed."""

    path = "/environments/{environment_id:str}"
    tags = ("murano",)

    @post("/configure", guards=[require_permission(Verb.EDIT)], status_code=HTTP_200_OK)
    async def configure(self, request: ServiceRequest, environment_id: FromPath[str]) -> dict[str, Any]:
        """Open a session with a copy of the model."""
        service, info = service_of(request), await murano_environment(request, environment_id)
        await asyncio.to_thread(service.refuse_edit, info)

        def opened() -> dict[str, Any]:
            session = service.sessions.open(
                info.id,
                owner=request.user.name,
                revision=info.revision,
                model=service.environments.model(info.id),
            )
            return session_data(service, session)

        return await asyncio.to_thread(opened)

    @get("/sessions/{session_id:str}", guards=[require_permission(Verb.READ)])
    async def show(
        self, request: ServiceRequest, environment_id: FromPath[str], session_id: FromPath[str]
    ) -> dict[str, Any]:
        session = await _find_session(request, environment_id, session_id)
        return await asyncio.to_thread(session_data, service_of(request), session)

    @delete("/sessions/{session_id:str}", guards=[require_permission(Verb.EDIT)], status_code=HTTP_200_OK)
    async def remove(
        self, request: ServiceRequest, environment_id: FromPath[str], session_id: FromPath[str]
    ) -> None:
        session = await _open_session(request, environment_id, session_id)
        await asyncio.to_thread(service_of(request).sessions.remove, session.id)

    @post(
        "/sessions/{session_id:str}/deploy", guards=[require_permission(Verb.DEPLOY)], status_code=HTTP_200_OK
    )
    async def deploy(
        self, request: ServiceRequest, environment_id: FromPath[str], session_id: FromPath[str]
    ) -> None:
        """Replace the model of the environment by that of the session, and deploy it."""
        service, info = service_of(request), await murano_environment(request, environment_id)
        session = await _open_session(request, environment_id, session_id)
        if session.revision != info.revision:
            raise PermissionDeniedException(
                "the environment was changed since the session began: open another"
            )
        await asyncio.to_thread(service.refuse_edit, info)
        await asyncio.to_thread(_take_over, service, info, session)
        deploy = JobRequest(verb="deploy")
        await service.submit(info, deploy, owner=request.user.name, session=session.id)


def _take_over(service: SabirService, info: EnvironmentInfo, session: SessionInfo) -> None:
    model = service.sessions.model(session.id)
    write_environment(service, info.id, model, owner=session.owner)
    service.environments.set_model(info.id, model)
    service.sessions.set_state(session.id, SessionState.DEPLOYING)


class MuranoModels(Controller):
    """Applications and other parts of the model that a session edits."""

    path = "/environments/{environment_id:str}"
    tags = ("murano",)

    @get(["/services", "/services/{path:path}"], guards=[require_permission(Verb.DEPLOY)])
    async def services(
        self, request: ServiceRequest, environment_id: FromPath[str], path: FromPath[str] = ""
    ) -> Response[bytes]:
        info = await murano_environment(request, environment_id)
        return json_response(_find_part(models.list_services(await _load_model(request, info)), path))

    @post("/services", guards=[require_permission(Verb.EDIT)], status_code=HTTP_200_OK)
    async def add(self, request: ServiceRequest, environment_id: FromPath[str]) -> Any:
        """Add an application."""
        application = models.add_ids(await decoded_body(request))
        await _edit_model(request, environment_id, lambda model: models.add_service(model, application))
        return application

    @put("/services", guards=[require_permission(Verb.EDIT)])
    async def replace(self, request: ServiceRequest, environment_id: FromPath[str]) -> Any:
        """Replace all applications."""
        applications = await decoded_body(request)
        model = await _edit_model(
            request, environment_id, lambda model: models.set_services(model, applications)
        )
        return models.list_services(model)

    @delete("/services/{path:path}", guards=[require_permission(Verb.EDIT)], status_code=HTTP_200_OK)
    async def remove(
        self, request: ServiceRequest, environment_id: FromPath[str], path: FromPath[str]
    ) -> None:
        def removed(model: dict[str, Any]) -> dict[str, Any]:
            _find_part(models.list_services(model), path)
            return models.remove_service(model, str(path))

        await _edit_model(request, environment_id, removed)

    @get(["/model", "/model/{path:path}"], guards=[require_permission(Verb.DEPLOY)])
    async def model(
        self, request: ServiceRequest, environment_id: FromPath[str], path: FromPath[str] = ""
    ) -> Response[bytes]:
        info = await murano_environment(request, environment_id)
        return json_response(_find_part(await _load_model(request, info), path))

    @patch("/model", guards=[require_permission(Verb.EDIT)])
    async def change(self, request: ServiceRequest, environment_id: FromPath[str]) -> Any:
        """Apply a JSON patch to the model."""
        operations = await decoded_body(request)

        def changed(model: dict[str, Any]) -> dict[str, Any]:
            after = models.apply_patch(model, operations)
            if not isinstance(after, dict) or after.get("?") != model.get("?"):
                raise ClientException("the environment itself cannot be replaced")
            return after

        return await _edit_model(request, environment_id, changed)


def _find_part(data: Any, path: str) -> Any:
    try:
        return models.find_part(data, str(path))
    except KeyError as missing:
        raise NotFoundException(f"there is nothing at {missing} in {str(path)!r}") from missing


async def _edit_model(
    request: ServiceRequest, environment_id: str, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> dict[str, Any]:
    """Change the model of the session that the request names."""
    session_id = request.headers.get(_SESSION)
    if session_id is None:
        raise ClientException("name the session: X-Configuration-Session")
    session = await _open_session(request, environment_id, session_id)
    sessions = service_of(request).sessions

    def changed() -> dict[str, Any]:
        model: dict[str, Any] = refuse_depth(change(sessions.model(session.id)))
        sessions.set_model(session.id, model)
        return model

    return await asyncio.to_thread(changed)


async def _load_model(request: ServiceRequest, info: EnvironmentInfo) -> Any:
    service, session_id = service_of(request), request.headers.get(_SESSION)
    if session_id is None:
        return await asyncio.to_thread(live_model, service, info)
    session = await _find_session(request, info.id, session_id)
    return await asyncio.to_thread(service.sessions.model, session.id)


async def murano_environment(request: ServiceRequest, environment_id: str) -> EnvironmentInfo:
    """Return an environment; raise 404 if it does not exist or was not created through Murano's API."""
    environments = service_of(request).environments
    info = environments.recall(environment_id) or await asyncio.to_thread(environments.get, environment_id)
    if info is None or info.kind is not EnvironmentKind.MURANO:
        raise NotFoundException(f"Environment {environment_id} not found")
    return info


async def _find_session(request: ServiceRequest, environment_id: str, session_id: str) -> SessionInfo:
    session = await asyncio.to_thread(service_of(request).sessions.get, session_id)
    if session is None or session.environment != environment_id:
        raise NotFoundException(f"Session {session_id} not found")
    return session


async def _open_session(request: ServiceRequest, environment_id: str, session_id: str) -> SessionInfo:
    session = await _find_session(request, environment_id, session_id)
    if session.state is not SessionState.OPEN:
        raise PermissionDeniedException(f"Session {session_id} is deployed already: open another")
    return session
