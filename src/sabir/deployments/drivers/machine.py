"""A machine at work, wherever its hands are: in this process, or at the other end of a connection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct

from sabir.deployments.drivers.answers import misfit_of
from sabir.deployments.drivers.kinds import MACHINE_KINDS
from sabir.deployments.drivers.translation import (
    differences,
    failed,
    in_doubt,
    observation,
    outcome,
    reading,
    task_data,
)
from sabir.deployments.host_agent.root import HandError
from sabir.errors import DeployError, UnreachableError
from sabir.graph.values import reveal_all
from sabir.resources.driver import Kind
from sabir.resources.effects import Effects
from sabir.resources.outcome import Change, Observation, Outcome, Reading
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task

__all__ = ["AnswerLost", "Hands", "MachineConnection", "MachineDriver"]


class AnswerLost(DeployError):
    """Something was asked for, and it cannot be told whether it was done."""


class _Read(Struct, frozen=True):
    exists: bool
    fields: dict[str, Any]
    results: dict[str, Any] | None = None


class _Done(Struct, frozen=True):
    changed: bool = True
    fields: dict[str, Any] | None = None
    results: dict[str, Any] | None = None
    log: list[str] | None = None


class _Observed(_Done, frozen=True, kw_only=True):
    sighting: Literal["done", "not done", "cannot tell"]
    look_at: str | None = None


def _fitting(answer: dict[str, Any], shape: type[Struct]) -> dict[str, Any]:
    """The answer, when it is one: a machine that was broken into answers what it likes."""
    misfit = misfit_of(answer, shape)
    if misfit is not None:
        raise AnswerLost(f"the machine answers with something that is no answer: {misfit}")
    return answer


class Hands(Protocol):
    async def do(self, verb: str, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        """One of `work.VERBS`. `HandError`: it failed; `AnswerLost`: nobody knows; any other `DeployError`: it was not asked."""
        ...


class MachineDriver:
    """The kinds of a machine, wherever it is."""

    @property
    def kinds(self) -> Mapping[str, Kind]:
        return MACHINE_KINDS

    def diff(self, resource: Resource, reading: Reading) -> Sequence[Change]:
        return differences(resource, reading)


class MachineConnection:
    def __init__(self, hands: Hands) -> None:
        self.hands = hands

    async def read(self, resource: Resource, target_id: str | None) -> Reading:  # noqa: ARG002  files have no other name
        fields = reveal_all(dict(resource.desired))
        try:
            return reading(_fitting(await self.hands.do("read", resource.kind, fields), _Read), resource)
        except HandError as error:
            raise DeployError(str(error)) from error

    async def apply(self, task: Task, effects: Effects) -> Outcome:  # noqa: ARG002  nothing here is a program
        if task.action is Action.RUN and task.resource.kind == "process":
            return await self._restarted(task)
        return await self._done("apply", task)

    async def delete(self, task: Task, effects: Effects) -> Outcome:  # noqa: ARG002  as above
        return await self._done("delete", task)

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:  # noqa: ARG002  as above
        if task.resource.kind == "process":
            return await self._restarted(task)
        return await self._done("call", task, call=operation)

    async def _restarted(self, task: Task) -> Outcome:
        stopped = await self._done("delete", task)
        return stopped if stopped.failed else await self._done("apply", task)

    async def _done(self, verb: str, task: Task, **more: str) -> Outcome:
        kind = task.resource.kind
        try:
            answer = _fitting(await self.hands.do(verb, kind, {**task_data(task), **more}), _Done)
        except HandError as error:
            return failed(str(error), task, passing=error.passing)
        except AnswerLost as error:
            if MACHINE_KINDS[kind].idempotent:
                return failed(str(error), task, passing=True)
            return in_doubt(str(error), task)
        except DeployError as error:
            return failed(str(error), task, passing=isinstance(error, UnreachableError))
        return outcome(answer, task)

    async def observe(self, task: Task) -> Observation:
        try:
            answer = await self.hands.do("observe", task.resource.kind, task_data(task))
            return observation(_fitting(answer, _Observed), task)
        except HandError as error:
            raise DeployError(str(error)) from error
