"""Environment templates in Murano's API, under `/v1/templates`."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Controller, Response, delete, get, post, put
from litestar.exceptions import NotFoundException, PermissionDeniedException
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK
from msgspec import Struct

from sabir.server.access import require_permission
from sabir.server.murano import models
from sabir.server.murano.environments import Name
from sabir.server.request_context import ServiceRequest, decoded_body, json_response, sees_secrets, service_of
from sabir.server.service import SabirService
from sabir.server.store.environments import EnvironmentKind
from sabir.server.store.murano import TemplateInfo
from sabir.server.store.tokens import Verb


class _NewTemplate(Struct, frozen=True):
    name: Name
    is_public: bool = False
    services: tuple[Any, ...] = ()


class _Rename(Struct, frozen=True):
    name: Name


class _NewEnvironment(Struct, frozen=True):
    name: Name
    region: str | None = None


class MuranoTemplates(Controller):
    """Templates: lists of applications to create environments from."""

    path = "/templates"
    tags = ("murano",)

    @get(guards=[require_permission(Verb.READ)])
    async def list_templates(self, request: ServiceRequest) -> dict[str, list[dict[str, Any]]]:
        """Return the user's own templates and public ones."""
        templates = service_of(request).templates
        infos = await asyncio.to_thread(lambda: templates.all(owner=request.user.name))
        return {"templates": [_template_data(info) for info in infos]}

    @post(guards=[require_permission(Verb.EDIT)], status_code=HTTP_200_OK)
    async def create(self, request: ServiceRequest, data: JSONBody[_NewTemplate]) -> dict[str, Any]:
        services = tuple(map(models.add_ids, data.services))
        return _template_detail(
            await _create_template(request, data.name, public=data.is_public, services=services)
        )

    @get("/{template_id:str}", guards=[require_permission(Verb.READ)])
    async def show(self, request: ServiceRequest, template_id: FromPath[str]) -> dict[str, Any]:
        shown = _template_detail(await _find_template(request, template_id))
        if sees_secrets(request, None):
            return shown
        return {**shown, "services": models.heads(shown["services"])}

    @put("/{template_id:str}", guards=[require_permission(Verb.EDIT)])
    async def rename(
        self, request: ServiceRequest, template_id: FromPath[str], data: JSONBody[_Rename]
    ) -> dict[str, Any]:
        info = await _own_template(request, template_id)
        await asyncio.to_thread(service_of(request).templates.rename, info.id, data.name)
        return _template_detail(await _find_template(request, template_id))

    @delete("/{template_id:str}", guards=[require_permission(Verb.EDIT)], status_code=HTTP_200_OK)
    async def remove(self, request: ServiceRequest, template_id: FromPath[str]) -> None:
        info = await _own_template(request, template_id)
        await asyncio.to_thread(service_of(request).templates.remove, info.id)

    @get("/{template_id:str}/services", guards=[require_permission(Verb.DEPLOY)])
    async def services(self, request: ServiceRequest, template_id: FromPath[str]) -> Response[bytes]:
        return json_response((await _find_template(request, template_id)).services)

    @post("/{template_id:str}/services", guards=[require_permission(Verb.EDIT)], status_code=HTTP_200_OK)
    async def add(self, request: ServiceRequest, template_id: FromPath[str]) -> Response[bytes]:
        """Add an application."""
        info, application = await _own_template(request, template_id), await decoded_body(request)
        added = models.add_ids(application)
        changed = (*info.services, added)
        await asyncio.to_thread(service_of(request).templates.set_services, info.id, changed)
        return json_response(added)

    @delete(
        "/{template_id:str}/services/{application_id:str}",
        guards=[require_permission(Verb.EDIT)],
        status_code=HTTP_200_OK,
    )
    async def remove_application(
        self, request: ServiceRequest, template_id: FromPath[str], application_id: FromPath[str]
    ) -> None:
        info = await _own_template(request, template_id)
        try:
            removed = models.find_part([*info.services], application_id)
        except KeyError as missing:
            raise NotFoundException(f"no application {application_id!r} in the template") from missing
        kept = tuple(each for each in info.services if each is not removed)
        await asyncio.to_thread(service_of(request).templates.set_services, info.id, kept)

    @post("/{template_id:str}/clone", guards=[require_permission(Verb.EDIT)], status_code=HTTP_200_OK)
    async def clone(
        self, request: ServiceRequest, template_id: FromPath[str], data: JSONBody[_Rename]
    ) -> dict[str, Any]:
        """Copy the applications of another template into a new one of the user."""
        info = await _find_template(request, template_id)
        return _template_detail(
            await _create_template(request, data.name, public=False, services=info.services)
        )

    @post(
        "/{template_id:str}/create-environment",
        guards=[require_permission(Verb.EDIT)],
        status_code=HTTP_200_OK,
    )
    async def create_environment(
        self, request: ServiceRequest, template_id: FromPath[str], data: JSONBody[_NewEnvironment]
    ) -> dict[str, str]:
        """Create an environment and a session with the applications of the template, ready to be deployed."""
        if request.user.environments:
            raise PermissionDeniedException(f"the token {request.user.name!r} is limited to its environments")
        info = await _find_template(request, template_id)
        return await asyncio.to_thread(
            _create_environment, service_of(request), info, data, request.user.name
        )


def _create_environment(
    service: SabirService, info: TemplateInfo, data: _NewEnvironment, owner: str
) -> dict[str, str]:
    environment = service.environments.create(
        data.name, owner=owner, kind=EnvironmentKind.MURANO, trust=service.settings.trust
    )
    model = models.new_model(environment.id, environment.name, {"region": data.region})
    service.environments.set_model(environment.id, model)
    revision = (service.environments.get(environment.id) or environment).revision
    session = service.sessions.open(
        environment.id,
        owner=owner,
        revision=revision,
        model=models.set_services(model, [*info.services]),
    )
    service.audit.note(owner, "create", environment.id, name=environment.name, template=info.name)
    return {"environment_id": environment.id, "session_id": session.id, "name": environment.name}


async def _create_template(
    request: ServiceRequest, name: str, *, public: bool, services: tuple[Any, ...]
) -> TemplateInfo:
    templates, owner = service_of(request).templates, request.user.name
    return await asyncio.to_thread(
        lambda: templates.create(name, owner=owner, public=public, services=services)
    )


async def _find_template(request: ServiceRequest, template_id: str) -> TemplateInfo:
    templates, owner = service_of(request).templates, request.user.name
    info = await asyncio.to_thread(lambda: templates.get(template_id, owner=owner))
    if info is None:
        raise NotFoundException(f"Environment template {template_id} not found")
    return info


async def _own_template(request: ServiceRequest, template_id: str) -> TemplateInfo:
    info = await _find_template(request, template_id)
    if info.owner != request.user.name:
        raise PermissionDeniedException(f"the template {info.name!r} belongs to {info.owner}: clone it")
    return info


def _template_data(info: TemplateInfo) -> dict[str, Any]:
    return {
        "id": info.id,
        "name": info.name,
        "tenant_id": info.owner,
        "version": 0,
        "is_public": info.public,
        "created": info.created,
        "updated": info.updated,
    }


def _template_detail(info: TemplateInfo) -> dict[str, Any]:
    return {**_template_data(info), "services": list(info.services)}
