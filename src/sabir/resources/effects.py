"""Effects: how a program changes the world, one journalled call after another.

A language whose descriptions are programs (MuranoPL) hands over one resource of a kind that runs, with a driver of its own.
That driver's `apply` interprets the program and asks for every effect here. The place of a call in the sequence (branches that
run at the same time have their own prefix) and a digest of the call are its key in the journal:

    run/3           the third effect of the program
    run/4.left/1    the first effect of the branch `left`, which was opened as the fourth

After a crash the program is run again from its start. Calls that have a result get that result and do nothing; a call that
was begun is observed by its operation id; a call that differs from what is recorded at its place is `Diverged`, and nothing is
done. So the program must be the same: no clock, random number, variable or file except through effects.

How programs know the failures of Heat: by the exceptions of its client.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from msgspec import Struct, field

from sabir.errors import DeployError
from sabir.graph.values import Value
from sabir.resources.outcome import Outcome

ANSWER: Final = "answer"
"""The result of an effect under which a driver gives what the program wants to know."""
FAILURE: Final = "name"
"""The result of a failed effect under which a driver gives the name that programs catch it by."""


class Effect(Struct, frozen=True, kw_only=True):
    """One call: a kind that runs, of the driver of a target, with its arguments."""

    kind: str
    arguments: Mapping[str, Value] = field(default_factory=dict[str, Value])
    target: str | None = None
    """None: the target of the resource that runs the program."""
    driver: str | None = None
    """None: the driver of the target."""
    timeout: float | None = None


class RecordedEffect(Struct, frozen=True, kw_only=True):
    """A call that a program made and that succeeded, as the state records it."""

    environment: str
    application: str
    """The address of the resource that runs the program."""
    kind: str
    arguments: Mapping[str, Value]
    answer: Value = None


class Effects(Protocol):
    """What a running program has of the engine."""

    async def perform(self, effect: Effect) -> Outcome:
        """The outcome of the call: done now, or as it is recorded. A failure is an outcome, too, and is replayed like one.

        Raises `Diverged`; and stops the program (`asyncio.CancelledError`) when the deployment is to stop or the outcome of
        the call is unknown.
        """
        ...

    def branch(self, name: str) -> Effects:
        """The effects of a branch that runs beside others; the name is the same in each run."""
        ...

    def note(self, line: str) -> None:
        """A line of the program for people: an event of the deployment. Not written again in a replay."""
        ...


class DivergedError(DeployError):
    """A program that is run again asks for something else than is recorded at this place; nothing was done."""

    def __init__(self, position: str, recorded: str, asked: str) -> None:
        self.position = position
        super().__init__(
            f"the program differs from its record at {position}: recorded is {recorded}, now it asks for {asked}"
        )


_NAMES: Final = {
    400: "HTTPBadRequest",
    401: "HTTPUnauthorized",
    403: "HTTPForbidden",
    404: "HTTPNotFound",
    409: "HTTPConflict",
    500: "HTTPInternalServerError",
    503: "HTTPServiceUnavailable",
}


def heat_failure_name(status: int) -> str:
    return f"heatclient.exc.{_NAMES.get(status, 'HTTPException')}"
