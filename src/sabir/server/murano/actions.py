"""Actions, static methods, class schemas and deployments in Murano's API."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
from litestar import Controller, Response, get, post
from litestar.exceptions import ClientException, NotFoundException
from litestar.params import FromPath, FromQuery, JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_400_BAD_REQUEST
from msgspec import Struct

from sabir.diagnostics.decoding import UNDECODED, explain_decode_error
from sabir.server.access import require_permission
from sabir.server.murano.environments import murano_environment
from sabir.server.murano.models import ClassUse, object_ids, package_of, with_required
from sabir.server.murano.responses import list_deployments, report_data
from sabir.server.request_context import (
    ServiceRequest,
    build_response,
    json_response,
    redacted_for,
    refuse_depth,
    service_of,
)
from sabir.server.service import SabirService
from sabir.server.store.catalogue import PackageInfo
from sabir.server.store.environments import EnvironmentKind
from sabir.server.store.jobs import JobInfo, JobState
from sabir.server.store.tokens import Verb
from sabir.server.work.asking import TaskResponse
from sabir.server.work.commands import SABIR, JobRequest

_NOBODY: Final = b'{"?": {"id": "nobody", "type": "io.murano.Object"}}'
"""A static method needs no object, but a run needs a model."""


class MuranoActions(Controller):
    """Calls of public methods on deployed objects, under `/v1/environments/ID/actions`."""

    path = "/environments/{environment_id:str}/actions"
    tags = ("murano",)

    @post("/{action_id:str}", guards=[require_permission(Verb.DEPLOY)], status_code=HTTP_200_OK)
    async def call(
        self, request: ServiceRequest, environment_id: FromPath[str], action_id: FromPath[str]
    ) -> dict[str, str]:
        """Call a public method of a deployed object; `task_id` identifies its result."""
        service, info = service_of(request), await murano_environment(request, environment_id)
        arguments = _decode_body(await request.body())
        model = await asyncio.to_thread(service.environments.model, info.id)
        operation = _parse_operation(action_id, set(object_ids(model)))
        call = JobRequest(verb="call", operation=operation, arguments=arguments)
        job = await service.submit(info, call, owner=request.user.name)
        return {"task_id": job.id}

    @get("/{task_id:str}", guards=[require_permission(Verb.DEPLOY)])
    async def result(
        self, request: ServiceRequest, environment_id: FromPath[str], task_id: FromPath[str]
    ) -> Response[bytes]:
        """Return the result of a call; empty while it runs."""
        job = await asyncio.to_thread(service_of(request).jobs.get, task_id)
        if job is None or job.environment != environment_id:
            raise NotFoundException(f"no task {task_id!r}")
        return json_response(_result_data(job) if job.state.is_final else None)


def _decode_body(body: bytes) -> dict[str, Any]:
    try:
        return refuse_depth(msgspec.json.decode(body or b"{}", type=dict[str, Any] | None) or {})  # type: ignore[no-any-return]
    except UNDECODED as error:
        raise ClientException(
            f"arguments are an object of JSON: {explain_decode_error(error, body)}"
        ) from error


def _parse_operation(action_id: str, ids: set[str]) -> str:
    """Split `OBJECT_METHOD`. Both may contain underscores, so the existing object ids decide."""
    position = action_id.find("_")
    while position > 0:
        if action_id[:position] in ids:
            return f"{action_id[:position]}.{action_id[position + 1 :]}"
        position = action_id.find("_", position + 1)
    raise NotFoundException(
        f"no action {action_id!r}: it is OBJECT_METHOD, as environments show under _actions"
    )


def _result_data(job: JobInfo) -> dict[str, Any]:
    if job.state is not JobState.DONE:
        return {"isException": True, "result": {"message": job.message or job.state.value, "details": None}}
    results = job.result.get("results", {}) if isinstance(job.result, dict) else {}
    value = next((each["result"] for each in results.values() if "result" in each), None)
    return {"isException": False, "result": value}


class _StaticCall(Struct, frozen=True):
    className: str  # noqa: N815  as it is sent
    methodName: str  # noqa: N815
    packageName: str | None = None  # noqa: N815
    classVersion: str | None = None  # noqa: N815
    parameters: dict[str, Any] = {}


class MuranoStatics(Controller):
    """Static methods and schemas of classes in the catalog."""

    path = "/"
    tags = ("murano",)

    @post("/actions", guards=[require_permission(Verb.DEPLOY)], status_code=HTTP_200_OK)
    async def call(self, request: ServiceRequest, data: JSONBody[_StaticCall]) -> Response[bytes]:
        """Call a static method, with the limits for untrusted code, and return its result."""
        use = ClassUse(data.className, _version_range(data.classVersion), data.packageName)
        parameters = [f"--arg={name}={_encode_value(value)}" for name, value in data.parameters.items()]
        words = ["run", "--quiet", f"--call={data.className}.{data.methodName}", *parameters]
        answered = await _of_class(request, use, words)
        if answered.status != HTTP_200_OK:
            return build_response(answered)
        return build_response(
            TaskResponse(HTTP_200_OK, msgspec.json.encode(msgspec.json.decode(answered.body)["result"]))
        )

    @get(
        ["/schemas/{class_name:str}", "/schemas/{class_name:str}/{methods:str}"],
        guards=[require_permission(Verb.READ)],
    )
    async def schema(
        self,
        request: ServiceRequest,
        class_name: FromPath[str],
        methods: FromPath[str] = "",
        classVersion: FromQuery[str | None] = None,  # noqa: N803  as it is sent
        packageName: FromQuery[str | None] = None,  # noqa: N803
    ) -> Response[bytes]:
        """Return JSON Schemas: of the arguments of the named methods (`a,b`), else of the class under the
        empty name.
        """
        use = ClassUse(class_name, _version_range(classVersion), packageName)
        schemas: dict[str, msgspec.Raw] = {}
        for method in methods.split(",") if methods else [""]:
            words = ["model", "--schema", f"--class={class_name}"]
            asked = [*words, f"--method={method}"] if method else words
            answered = await _of_class(request, use, asked)
            if answered.status != HTTP_200_OK:
                return build_response(answered)
            schemas[method] = msgspec.Raw(answered.body)
        return json_response(schemas)


def _version_range(version: str | None) -> str | None:
    """Return None for `=0`, which the client sends when no version was requested."""
    return None if version == "=0" else version


def _encode_value(value: Any) -> str:
    return msgspec.json.encode(value).decode()


async def _of_class(request: ServiceRequest, use: ClassUse, words: list[str]) -> TaskResponse:
    """Run a command on a class of the catalog and return its response."""
    service, owner = service_of(request), request.user.name
    package = await asyncio.to_thread(package_of, service, use, owner=owner)
    needed = await asyncio.to_thread(lambda: [*with_required(service, [package], owner=owner)])
    with _link_packages(service, needed) as folder:
        if words[0] == "run":
            (folder / "model.json").write_bytes(_NOBODY)
            words = [*words, f"--model={folder / 'model.json'}"]
        line = [
            *SABIR,
            *words,
            "--limits=strict",
            f"--search-path={folder / 'packages'}",
        ]
        answered = await service.commanding.answer(
            [*line, "--", str(service.catalogue.archive_path(package))]
        )
    # The client knows no 422.
    return answered if answered.status == HTTP_200_OK else TaskResponse(HTTP_400_BAD_REQUEST, answered.body)


@contextmanager
def _link_packages(service: SabirService, packages: Iterable[PackageInfo]) -> Generator[Path]:
    """Yield a directory whose `packages` contains exactly these packages."""
    with tempfile.TemporaryDirectory(prefix="sabir-") as name:
        folder = Path(name)
        (folder / "packages").mkdir()
        for info in packages:
            archive = service.catalogue.archive_path(info)
            (folder / "packages" / archive.name).symlink_to(archive)
        yield folder


class MuranoDeployments(Controller):
    """Deployments and their reports, per environment and for all environments."""

    path = "/"
    tags = ("murano",)

    @get("/deployments", guards=[require_permission(Verb.READ)])
    async def every(self, request: ServiceRequest) -> dict[str, list[dict[str, Any]]]:
        service = service_of(request)

        def read() -> list[dict[str, Any]]:
            infos = service.environments.all(kind=EnvironmentKind.MURANO)
            seen = [info.id for info in infos if request.user.may(Verb.READ, info.id)]
            return [each for id_ in seen for each in list_deployments(service, id_)]

        return {"deployments": await asyncio.to_thread(read)}

    @get("/environments/{environment_id:str}/deployments", guards=[require_permission(Verb.READ)])
    async def of_environment(
        self, request: ServiceRequest, environment_id: FromPath[str]
    ) -> dict[str, list[dict[str, Any]]]:
        service, info = service_of(request), await murano_environment(request, environment_id)
        return {"deployments": await asyncio.to_thread(list_deployments, service, info.id)}

    @get(
        "/environments/{environment_id:str}/deployments/{deployment_id:str}",
        guards=[require_permission(Verb.READ)],
    )
    async def reports(
        self,
        request: ServiceRequest,
        environment_id: FromPath[str],
        deployment_id: FromPath[str],
        service_id: FromQuery[list[str] | None] = None,
    ) -> dict[str, list[dict[str, Any]]]:
        """Return the messages of a deployment, optionally of some applications only."""
        service = service_of(request)
        job = await asyncio.to_thread(service.jobs.get, deployment_id)
        if job is None or job.environment != environment_id:
            raise NotFoundException(f"Deployment {deployment_id} not found")
        # The client writes `?service_id=a?service_id=b`.
        named = {part for text in service_id or () for part in text.split("?service_id=")}
        reports = await asyncio.to_thread(lambda: [*report_data(service, job)])
        told = [each for each in reports if not named or each["entity_id"] in named]
        return {"reports": redacted_for(request, environment_id, told)}

    @get("/environments/{environment_id:str}/lastStatus", guards=[require_permission(Verb.READ)])
    async def last_status(
        self, request: ServiceRequest, environment_id: FromPath[str]
    ) -> dict[str, dict[str, dict[str, Any] | None]]:
        """Return the last message of each object."""
        service, info = service_of(request), await murano_environment(request, environment_id)

        def read() -> dict[str, dict[str, Any] | None]:
            last: dict[str, dict[str, Any] | None] = dict.fromkeys(
                object_ids(service.environments.model(info.id))
            )
            for job in reversed(service.jobs.of(info.id)):
                for report in report_data(service, job):
                    if report["entity_id"] in last:
                        last[report["entity_id"]] = report
            return last

        return {"lastStatuses": redacted_for(request, info.id, await asyncio.to_thread(read))}
