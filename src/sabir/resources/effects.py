"""Effects: how a program acts on targets, one journaled call after another.

A language whose projects are programs (MuranoPL) returns one resource of a kind that runs, with its own
driver. The `apply` of that driver interprets the program and requests every effect here. The position of a
call in the sequence (concurrent branches have their own prefix) and a digest of the call are its key in the
journal:

    run/3             the third effect of the program
    run/3.1.left/1    the first effect of the branch `left`, the first branch opened after the third effect

After a crash the program is run again from its start. A call with a recorded outcome returns it and does
nothing. A call that was started is looked up by its operation id. A call that differs from the one recorded
at its position raises `DivergedError`, and nothing is done. So the program must be deterministic: no clock,
random number, variable or file except through effects.

Programs catch failures of Heat by the exception names of its client (`heat_failure_name`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from msgspec import Struct, field

from sabir.errors import DeployError
from sabir.graph.values import Value
from sabir.resources.outcome import Outcome

ANSWER: Final = "answer"
"""The key of an effect's results that holds its return value for the program."""
FAILURE: Final = "name"
"""The key of a failed effect's results that holds the name by which programs catch it."""


class Effect(Struct, frozen=True, kw_only=True):
    """One call: a kind that runs, of the driver of a target, with arguments."""

    kind: str
    arguments: Mapping[str, Value] = field(default_factory=dict[str, Value])
    target: str | None = None
    """None: the target of the resource that runs the program."""
    driver: str | None = None
    """None: the driver of the target."""
    timeout: float | None = None


class RecordedEffect(Struct, frozen=True, kw_only=True):
    """An effect that succeeded, as the state records it."""

    environment: str
    application: str
    """The address of the resource that runs the program."""
    kind: str
    arguments: Mapping[str, Value]
    answer: Value = None


class Effects(Protocol):
    """The interface of the engine for a running program."""

    async def perform(self, effect: Effect) -> Outcome:
        """Return the outcome of a call, done now or recorded. A failure is an outcome, too, and is replayed
        like one.

        Raises `DivergedError`. Raises `asyncio.CancelledError` to stop the program when the deployment stops.
        """
        ...

    def branch(self, name: str) -> Effects:
        """Return the effects of a concurrent branch. The name must be the same in each run."""
        ...

    def note(self, line: str) -> None:
        """Report a line of the program as an event of the deployment. It is not repeated in a replay."""
        ...


class DivergedError(DeployError):
    """A program that is run again asks for something else than is recorded at this position; nothing was
    done."""

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
    """Return the exception of the Heat client for an HTTP status."""
    return f"heatclient.exc.{_NAMES.get(status, 'HTTPException')}"
