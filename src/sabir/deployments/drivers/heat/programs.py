"""What programs ask of Heat, one call after another: kinds that run, with the answer as a result.

A program decides itself what follows from the status of a stack, so a stack that failed is an answer. What Heat refuses is a
failure, with the name by which programs know it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sabir.deployments.drivers.heat.api import Heat, HeatFailure, StackData
from sabir.deployments.drivers.heat.pushing import Pushing, has_tag
from sabir.deployments.drivers.heat.stack import WantedStack, operation_tag, wanted_stack
from sabir.graph.secrets import Secrets
from sabir.graph.values import Value, reveal_all
from sabir.resources.driver import Kind
from sabir.resources.effects import heat_failure_name
from sabir.resources.fields import Field, FieldType
from sabir.resources.outcome import Observation, Outcome, OutcomeStatus, Sighting
from sabir.resources.step import Task

__all__ = ["CALLS", "called", "observed_call"]

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


async def called(task: Task, pushing: Pushing, secrets: Secrets) -> Outcome:
    try:
        stack = await _done(task, pushing)
        return await _outcome(pushing.heat, stack, secrets)
    except HeatFailure as failure:
        if failure.was_sent:
            raise
        name = heat_failure_name(failure.status)
        return Outcome(
            status=OutcomeStatus.FAILED,
            message=secrets.scrubbed(failure.message),
            results={"name": name},
            passing=failure.passing,
        )


async def _done(task: Task, pushing: Pushing) -> StackData | None:
    arguments = reveal_all(task.resource.desired)
    kind, name = task.resource.kind, str(arguments["stack"])
    stack = await pushing.heat.find(name)
    if kind == _READ:
        return stack
    if kind == _DELETE:
        if stack is None:
            raise HeatFailure(f"The Stack ({name}) could not be found.", status=404)
        return await pushing.delete(stack)
    begun = await pushing.begun(stack)
    if begun is not None:
        return begun
    wanted = _wanted(arguments)
    if kind == _CREATE:
        return await pushing.create(wanted)
    if stack is None:
        raise HeatFailure(f"The Stack ({name}) could not be found.", status=404)
    return await pushing.update(stack, wanted)


def _wanted(arguments: Mapping[str, Any]) -> WantedStack:
    tags = [tag for tag in str(arguments.get("tags") or "").split(",") if tag]
    names = ("template", "parameters", "environment", "files")
    fields = {name: arguments[name] for name in names if arguments.get(name)}
    return wanted_stack({"template": {}, **fields, "name": arguments["stack"], "tags": tags})


async def observed_call(task: Task, heat: Heat, secrets: Secrets) -> Observation:
    kind = task.resource.kind
    stack = await heat.find(str(reveal_all(task.resource.desired)["stack"]))
    if kind == _DELETE and stack is None:
        return Observation(sighting=Sighting.DONE, outcome=await _outcome(heat, None, secrets))
    is_ours = stack is not None and has_tag(stack, operation_tag(task.operation_id))
    if kind in (_CREATE, _UPDATE) and stack is not None and is_ours and not _is_busy(stack):
        return Observation(sighting=Sighting.DONE, outcome=await _outcome(heat, stack, secrets))
    return Observation(sighting=Sighting.NOT_DONE)


def _is_busy(stack: StackData) -> bool:
    return bool(stack["stack_status"].endswith("_IN_PROGRESS"))


async def _outcome(heat: Heat, stack: StackData | None, secrets: Secrets) -> Outcome:
    answer: Value = None
    if stack is not None:
        outputs = {output["output_key"]: output.get("output_value") for output in stack.get("outputs") or ()}
        answer = {
            "template": secrets.marked(dict(await heat.template(stack))),
            "parameters": secrets.marked(dict(stack.get("parameters") or {})),
            "status": stack["stack_status"],
            "reason": stack.get("stack_status_reason"),
            "outputs": secrets.marked(outputs),
        }
    return Outcome(id=None if stack is None else stack["id"], results={"answer": answer})
