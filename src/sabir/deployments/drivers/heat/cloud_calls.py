"""What programs ask of the other services of a cloud: networks, people, definitions, workflows.

What programs ask of Heat, one call after another: kinds that run, with the answer as a result.

A program decides itself what follows from the status of a stack, so a stack that failed is an answer. What Heat refuses is a
failure, with the name by which programs know it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

from msgspec import Struct

from sabir.deployments.drivers.heat.api import Heat, HeatApiError, StackData
from sabir.deployments.drivers.heat.stack import DesiredStack, build_desired_stack, operation_tag
from sabir.deployments.drivers.heat.stack_operations import StackOperation, has_tag
from sabir.deployments.drivers.responses import InvalidResponseError, decode_json, run_in_thread
from sabir.diagnostics.reasons import explain_error
from sabir.graph.secrets import Secrets
from sabir.graph.values import Value, reveal_all
from sabir.resources.driver import Kind
from sabir.resources.effects import ANSWER, FAILURE, heat_failure_name
from sabir.resources.fields import Field, FieldType
from sabir.resources.outcome import CompletionStatus, Observation, Outcome, OutcomeStatus
from sabir.resources.step import Task

if TYPE_CHECKING:
    from keystoneauth1.adapter import Adapter


_READ: Final = "heat.read"
_CREATE: Final = "heat.create"
_UPDATE: Final = "heat.update"
_DELETE: Final = "heat.delete"

_STACK: Final = {
    "stack": Field(about="the name of the stack", required=True),
    "region": Field(about="the region that the program names; the target says which one is meant"),
}
_CONTENT: Final = {
    **_STACK,
    "template": Field(about="the template", type=FieldType.MAP, required=True),
    "parameters": Field(about="values of its parameters", type=FieldType.MAP),
    "environment": Field(about="its environment", type=FieldType.ANY),
    "files": Field(about="texts that it names", type=FieldType.MAP),
    "tags": Field(about="tags of the stack, with commas between them"),
    "in_background": Field(about="nobody waits for it", type=FieldType.FLAG),
}

CALLS: Final[Mapping[str, Kind]] = {
    _READ: Kind(about="look at a stack", fields=_STACK, runs=True, idempotent=True),
    _CREATE: Kind(about="make a stack and wait for it", fields=_CONTENT, runs=True),
    _UPDATE: Kind(about="change a stack and wait for it", fields=_CONTENT, runs=True),
    _DELETE: Kind(about="take a stack away and wait for it", fields=_STACK, runs=True),
}


async def run_stack_call(task: Task, pushing: StackOperation, secrets: Secrets) -> Outcome:
    try:
        stack = await _apply_stack_call(task, pushing)
        return await _build_outcome(pushing.heat, stack, secrets)
    except HeatApiError as failure:
        if failure.was_sent:
            raise
        name = heat_failure_name(failure.status)
        return Outcome(
            status=OutcomeStatus.FAILED,
            message=secrets.redact(failure.message),
            results={"name": name},
            passing=failure.passing,
        )


async def _apply_stack_call(task: Task, pushing: StackOperation) -> StackData | None:
    arguments = reveal_all(task.resource.desired)
    kind, name = task.resource.kind, str(arguments["stack"])
    stack = await pushing.heat.find(name)
    if kind == _READ:
        return stack
    if kind == _DELETE:
        if stack is None:
            raise HeatApiError(f"The Stack ({name}) could not be found.", status=404)
        return await pushing.delete(stack)
    begun = await pushing.wait_if_started(stack)
    if begun is not None:
        return begun
    wanted = _parse_desired_stack(arguments)
    if kind == _CREATE:
        return await pushing.create(wanted)
    if stack is None:
        raise HeatApiError(f"The Stack ({name}) could not be found.", status=404)
    return await pushing.update(stack, wanted)


def _parse_desired_stack(arguments: Mapping[str, Any]) -> DesiredStack:
    tags = [tag for tag in str(arguments.get("tags") or "").split(",") if tag]
    names = ("template", "parameters", "environment", "files")
    fields = {name: arguments[name] for name in names if arguments.get(name)}
    return build_desired_stack({"template": {}, **fields, "name": arguments["stack"], "tags": tags})


async def observe_stack_call(task: Task, heat: Heat, secrets: Secrets) -> Observation:
    kind = task.resource.kind
    stack = await heat.find(str(reveal_all(task.resource.desired)["stack"]))
    if kind == _DELETE and stack is None:
        return Observation(sighting=CompletionStatus.DONE, outcome=await _build_outcome(heat, None, secrets))
    is_ours = stack is not None and has_tag(stack, operation_tag(task.operation_id))
    if kind in (_CREATE, _UPDATE) and stack is not None and is_ours and not _is_busy(stack):
        return Observation(sighting=CompletionStatus.DONE, outcome=await _build_outcome(heat, stack, secrets))
    return Observation(sighting=CompletionStatus.NOT_DONE)


def _is_busy(stack: StackData) -> bool:
    return bool(stack["stack_status"].endswith("_IN_PROGRESS"))


async def _build_outcome(heat: Heat, stack: StackData | None, secrets: Secrets) -> Outcome:
    answer: Value = None
    if stack is not None:
        outputs = {output["output_key"]: output.get("output_value") for output in stack.get("outputs") or ()}
        answer = {
            "template": secrets.mark_sensitive(dict(await heat.template(stack))),
            "parameters": secrets.mark_sensitive(dict(stack.get("parameters") or {})),
            "status": stack["stack_status"],
            "reason": stack.get("stack_status_reason"),
            "outputs": secrets.mark_sensitive(outputs),
        }
    return Outcome(id=None if stack is None else stack["id"], results={"answer": answer})


_OWN_USER: Final = "user"
_OWN_PROJECT: Final = "project"
"""Where a program was told no ids, these stand for whoever signed in."""


def _call_kind(about: str, *, looks: bool = True) -> Kind:
    return Kind(about=about, runs=True, idempotent=looks)


QUESTIONS: Final[Mapping[str, Kind]] = {
    "neutron.list": _call_kind("networks, subnets, routers, ports or extensions"),
    "neutron.create_router": _call_kind("a router", looks=False),
    "keystone.user": _call_kind("who signed in"),
    "keystone.project": _call_kind("the project"),
    "glance.namespaces": _call_kind("namespaces of metadata definitions"),
    "glance.objects": _call_kind("objects of a namespace"),
    "mistral.upload": _call_kind("workflows", looks=False),
    "mistral.run": _call_kind("an execution of a workflow", looks=False),
    "mistral.read": _call_kind("an execution"),
}


class _Request(Struct, frozen=True):
    """One request to a service, and the part of the answer that is wanted."""

    service: str
    path: str
    part: str | None = None
    body: Any = None
    """None: it only looks."""


async def query_service(task: Task, heat: Heat) -> Outcome:
    """The answer of a service. A cloud without the service has nothing to list; anything else is a failure."""
    arguments: dict[str, Any] = reveal_all(dict(task.resource.desired))
    client = heat.client
    request = _build_request(task.resource.kind, arguments, client)
    try:
        answer = await run_in_thread(
            lambda: _send_request(request, client, arguments.get("region")), seconds=heat.seconds
        )
    except InvalidResponseError as error:
        raise HeatApiError(
            f"the {request.service} service: {error}", status=500, was_sent=request.body is not None
        ) from error
    except HeatApiError as failure:
        if failure.was_sent:
            raise
        name = "keystoneauth1.exceptions.http.HttpError"
        return Outcome(status=OutcomeStatus.FAILED, message=failure.message, results={FAILURE: name})
    return Outcome(changed=request.body is not None, results={ANSWER: answer})


def _build_request(kind: str, arguments: dict[str, Any], client: Adapter) -> _Request:
    match kind:
        case "neutron.list":
            resource = arguments["resource"]
            filters = _of_project(arguments.get("filters") or {}, client)
            query = f"?{urlencode(filters)}" if filters else ""
            return _Request("network", f"/v2.0/{resource}{query}", resource)
        case "neutron.create_router":
            router = _of_project(arguments["router"], client)
            return _Request("network", "/v2.0/routers", "router", {"router": router})
        case "keystone.user":
            id_ = _replace_placeholder(arguments["id"], _OWN_USER, client.get_user_id())
            return _Request("identity", f"/v3/users/{quote(id_)}", "user")
        case "keystone.project":
            id_ = _replace_placeholder(arguments["id"], _OWN_PROJECT, client.get_project_id())
            return _Request("identity", f"/v3/projects/{quote(id_)}", "project")
        case "glance.namespaces":
            query = urlencode({"resource_types": arguments["resourceType"]})
            return _Request("image", f"/v2/metadefs/namespaces?{query}", "namespaces")
        case "glance.objects":
            return _Request(
                "image", f"/v2/metadefs/namespaces/{quote(arguments['namespace'])}/objects", "objects"
            )
        case "mistral.upload":
            return _Request("workflowv2", "/workflows", None, arguments["definition"])
        case "mistral.run":
            body = {
                "workflow_name": arguments["name"],
                "input": arguments.get("input") or {},
                "params": arguments.get("params") or {},
            }
            return _Request("workflowv2", "/executions", None, body)
        case _:
            return _Request("workflowv2", f"/executions/{quote(arguments['id'])}")


def _of_project(values: Mapping[str, Any], client: Adapter) -> dict[str, Any]:
    project = client.get_project_id()
    return {
        name: _replace_placeholder(value, _OWN_PROJECT, project)
        if name in ("tenant_id", "project_id")
        else value
        for name, value in values.items()
    }


def _replace_placeholder(value: Any, placeholder: str, replacement: str | None) -> Any:
    return replacement if value == placeholder and replacement is not None else value


def _send_request(request: _Request, client: Adapter, region: str | None) -> Any:
    from keystoneauth1.adapter import Adapter
    from keystoneauth1.exceptions import (
        ClientException,
        ConnectFailure,
        EndpointNotFound,
        UnknownConnectionError,
    )

    from sabir.deployments.drivers.heat.session import find_rejection

    service = Adapter(
        client.session,
        service_type=request.service,
        interface=client.interface,
        region_name=region or client.region_name,
    )
    changes = request.body is not None
    content = {"data": request.body} if isinstance(request.body, str) else {"json": request.body}
    try:
        response = service.request(request.path, "POST" if changes else "GET", raise_exc=False, **content)
    except EndpointNotFound as error:
        if request.service == "network" and not changes:
            return []
        raise HeatApiError(f"the cloud has no {request.service} service") from error
    except (ConnectFailure, UnknownConnectionError) as error:
        if (reason := find_rejection(error)) is not None:
            raise InvalidResponseError(reason) from error
        raise HeatApiError(
            f"the {request.service} service does not answer: {explain_error(error)}", was_sent=changes
        ) from error
    except ClientException as error:
        raise HeatApiError(
            f"the {request.service} service cannot be asked: {explain_error(error)}"
        ) from error
    if response.status_code >= 400:
        raise HeatApiError(
            f"the {request.service} service says {response.status_code}: {response.text[:300]}"
        )
    answer = decode_json(response.content)
    if request.part is None:
        return answer
    if not isinstance(answer, dict) or request.part not in answer:
        raise InvalidResponseError(f"its answer holds no {request.part!r}")
    return answer[request.part]
