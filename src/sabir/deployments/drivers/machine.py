"""A machine at work, wherever its hands are: in this process, or at the other end of a connection.

Between the engine and hands: resources and tasks as plain data, answers as outcomes, secrets marked again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct

from sabir.deployments.drivers.machine_kinds import MACHINE_KINDS
from sabir.deployments.drivers.responses import describe_mismatch
from sabir.deployments.host_agent.files import Directory, File
from sabir.deployments.host_agent.processes import digest_of
from sabir.deployments.host_agent.root import HostAgentError
from sabir.errors import DeployError, UnreachableError
from sabir.graph.secrets import Secrets, holds_sensitive, secret_texts
from sabir.graph.values import Sensitive, Value, reveal_all, reveal_value
from sabir.resources.driver import Kind
from sabir.resources.effects import Effects
from sabir.resources.outcome import (
    CompletionStatus,
    FieldChange,
    Observation,
    Outcome,
    OutcomeStatus,
    ResourceReading,
)
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task


def task_data(task: Task) -> dict[str, Any]:
    """A task as hands take it. It holds secrets in clear: it goes to the target and nowhere else."""
    action = Action.UPDATE if task.action in (Action.CHECK, Action.PURGE) else task.action
    return {
        "operation": task.operation_id,
        "action": action.value,
        "fields": _reveal_fields(task.resource),
        "recorded": None if task.recorded is None else reveal_all(task.recorded),
        "timeout": task.timeout,
        "private": holds_sensitive(task.resource.desired.get("content")),
    }


def _reveal_fields(resource: Resource) -> dict[str, Any]:
    """A sensitive command goes into a file that its owner alone reads: the words of a process are seen by all of its machine."""
    fields: dict[str, Any] = reveal_all(dict(resource.desired))
    is_text = (
        resource.kind == "command" and isinstance(fields.get("run"), str) and fields.get("script") is None
    )
    if is_text and holds_sensitive(resource.desired["run"]):
        fields["script"] = fields.pop("run")
    return fields


def build_reading(answer: Mapping[str, Any], resource: Resource) -> ResourceReading:
    secrets = _collect_secrets(resource)
    fields = {
        name: _mark_value(value, resource.desired.get(name), secrets)
        for name, value in answer["fields"].items()
    }
    return ResourceReading(exists=answer["exists"], fields=fields, results=answer.get("results") or {})


def build_outcome(answer: Mapping[str, Any], task: Task) -> Outcome:
    secrets = _collect_secrets(task.resource)
    results = {name: secrets.mark_sensitive(value) for name, value in (answer.get("results") or {}).items()}
    seen = answer.get("fields")
    return Outcome(
        changed=answer.get("changed", True),
        fields=None
        if seen is None
        else {name: secrets.mark_sensitive(value) for name, value in seen.items()},
        results=results,
        log=tuple(map(secrets.redact, answer.get("log") or ())),
    )


def build_failure(message: str, task: Task, *, passing: bool = False) -> Outcome:
    words = _collect_secrets(task.resource).redact(message)
    return Outcome(status=OutcomeStatus.FAILED, changed=False, message=words, passing=passing)


def build_unknown(message: str, task: Task) -> Outcome:
    """It was asked for and nobody answered."""
    words = _collect_secrets(task.resource).redact(message)
    return Outcome(status=OutcomeStatus.UNKNOWN, message=words)


def build_observation(answer: Mapping[str, Any], task: Task) -> Observation:
    sighting = CompletionStatus(answer["sighting"])
    done = build_outcome(answer, task) if sighting is CompletionStatus.DONE else None
    return Observation(sighting=sighting, outcome=done, look_at=answer.get("look_at"))


def _collect_secrets(resource: Resource) -> Secrets:
    return Secrets(secret_texts(dict(resource.desired)) or ())


def _mark_value(value: Value, wanted: Value, secrets: Secrets) -> Value:
    if isinstance(wanted, Sensitive):
        return value if value is None else Sensitive(value)
    return secrets.mark_sensitive(value)


def find_differences(resource: Resource, seen: ResourceReading) -> Sequence[FieldChange]:
    """The fields that are wanted and not so, as hands read them."""
    if seen.changes is not None:
        return seen.changes
    wanted = _comparable_fields(resource.kind, reveal_all(resource.desired))
    return [*_compare_fields(wanted, seen, resource)]


def _compare_fields(
    wanted: Mapping[str, Any], seen: ResourceReading, resource: Resource
) -> Iterable[FieldChange]:
    for name, value in wanted.items():
        there = seen.fields.get(name)
        if value is not None and reveal_value(there) != value:
            hidden = isinstance(resource.desired.get(name), Sensitive)
            yield FieldChange(field=name, before=there, after=Sensitive(value) if hidden else value)
    if seen.fields.get("is") is not None:
        yield FieldChange(field="kind", before=seen.fields["is"], after=resource.kind)


def _comparable_fields(kind: str, desired: dict[str, Any]) -> Mapping[str, Any]:
    """The fields that a read gives back, in the form it gives them."""
    match kind:
        case "absent":
            return {"gone": True}
        case "file":
            return File().comparable(desired)
        case "directory":
            return Directory().comparable(desired)
        case "process":
            return {"digest": digest_of(desired)}
        case "archive":
            content = desired["content"]
            data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
            return {"path": desired["path"], "digest": hashlib.sha256(data).hexdigest()}
        case "service":
            return {name: desired.get(name) for name in ("state", "enabled")}
        case "user":
            groups = desired.get("groups")
            plain = {name: value for name, value in desired.items() if name not in ("system", "create_home")}
            return plain if groups is None else {**plain, "groups": sorted(groups)}
        case "group":
            return {name: value for name, value in desired.items() if name != "system"}
        case _:
            return desired


class ResponseLostError(DeployError):
    """Something was asked for, and it cannot be told whether it was done."""


class _ReadResponse(Struct, frozen=True):
    exists: bool
    fields: dict[str, Any]
    results: dict[str, Any] | None = None


class _ChangeResponse(Struct, frozen=True):
    changed: bool = True
    fields: dict[str, Any] | None = None
    results: dict[str, Any] | None = None
    log: list[str] | None = None


class _ObserveResponse(_ChangeResponse, frozen=True, kw_only=True):
    sighting: Literal["done", "not done", "cannot tell"]
    look_at: str | None = None


def _check_response(answer: dict[str, Any], shape: type[Struct]) -> dict[str, Any]:
    """The answer, when it is one: a machine that was broken into answers what it likes."""
    misfit = describe_mismatch(answer, shape)
    if misfit is not None:
        raise ResponseLostError(f"the machine answers with something that is no answer: {misfit}")
    return answer


class HostAgent(Protocol):
    async def do(self, verb: str, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        """One of `work.VERBS`. `HandError`: it failed; `AnswerLost`: nobody knows; any other `DeployError`: it was not asked."""
        ...


class MachineDriver:
    """The kinds of a machine, wherever it is."""

    @property
    def kinds(self) -> Mapping[str, Kind]:
        return MACHINE_KINDS

    def diff(self, resource: Resource, reading: ResourceReading) -> Sequence[FieldChange]:
        return find_differences(resource, reading)


class MachineConnection:
    def __init__(self, hands: HostAgent) -> None:
        self.hands = hands

    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:  # noqa: ARG002  files have no other name
        fields = reveal_all(dict(resource.desired))
        try:
            return build_reading(
                _check_response(await self.hands.do("read", resource.kind, fields), _ReadResponse), resource
            )
        except HostAgentError as error:
            raise DeployError(str(error)) from error

    async def apply(self, task: Task, effects: Effects) -> Outcome:  # noqa: ARG002  nothing here is a program
        if task.action is Action.RUN and task.resource.kind == "process":
            return await self._restart_process(task)
        return await self._run_verb("apply", task)

    async def delete(self, task: Task, effects: Effects) -> Outcome:  # noqa: ARG002  as above
        return await self._run_verb("delete", task)

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:  # noqa: ARG002  as above
        if task.resource.kind == "process":
            return await self._restart_process(task)
        return await self._run_verb("call", task, call=operation)

    async def _restart_process(self, task: Task) -> Outcome:
        stopped = await self._run_verb("delete", task)
        return stopped if stopped.failed else await self._run_verb("apply", task)

    async def _run_verb(self, verb: str, task: Task, **more: str) -> Outcome:
        kind = task.resource.kind
        try:
            answer = _check_response(
                await self.hands.do(verb, kind, {**task_data(task), **more}), _ChangeResponse
            )
        except HostAgentError as error:
            return build_failure(str(error), task, passing=error.passing)
        except ResponseLostError as error:
            if MACHINE_KINDS[kind].idempotent:
                return build_failure(str(error), task, passing=True)
            return build_unknown(str(error), task)
        except DeployError as error:
            return build_failure(str(error), task, passing=isinstance(error, UnreachableError))
        return build_outcome(answer, task)

    async def observe(self, task: Task) -> Observation:
        try:
            answer = await self.hands.do("observe", task.resource.kind, task_data(task))
            return build_observation(_check_response(answer, _ObserveResponse), task)
        except HostAgentError as error:
            raise DeployError(str(error)) from error
