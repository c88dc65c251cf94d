"""What drivers have in common whose resources are run, not kept: there is nothing to compare or to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sabir.errors import DeployError
from sabir.resources.driver import DriverContext
from sabir.resources.effects import Effects
from sabir.resources.fields import Field
from sabir.resources.outcome import Change, Outcome, Reading
from sabir.resources.resource import Resource
from sabir.resources.step import Task

__all__ = ["NoOperations", "RunConnection", "RunDriver", "ask_leave"]


def ask_leave(context: DriverContext, reason: str) -> None:
    """For drivers that run code of a description. It was asked for before a plan, but what is no longer described is
    ended without having been placed."""
    if not context.session.trust.scripts:
        raise DeployError(f"{reason}: give --trust scripts when you trust it")


class RunDriver:
    """A driver whose targets have no settings, unless it says otherwise."""

    def settings(self) -> Mapping[str, Field]:
        return {}

    def diff(self, resource: Resource, reading: Reading) -> Sequence[Change]:  # noqa: ARG002  nothing is kept
        return ()


class NoOperations:
    """A connection whose resources have no operations."""

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:  # noqa: ARG002  there is none
        raise DeployError(f"{task.resource.address} has no operation {operation!r}")


class RunConnection(NoOperations):
    async def read(self, resource: Resource, target_id: str | None) -> Reading:  # noqa: ARG002  it is not called
        return Reading(exists=True)

    async def delete(self, task: Task, effects: Effects) -> Outcome:  # noqa: ARG002  what has run is over
        return Outcome(changed=False)
