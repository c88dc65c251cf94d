"""Events and instructions of the state machine, and its view of a step.

An event reports what has happened (`IntentSavedEvent`, `StepEndedEvent` …); an instruction is what the runner
has to do next (`SaveIntent`, `Run` …). See `state_machine` for the protocol.
"""

from __future__ import annotations

from msgspec import Struct

from sabir.deployments.store.records import StepState
from sabir.resources.outcome import Outcome


class StepNode(Struct, frozen=True, kw_only=True):
    """A step as far as its order is concerned."""

    key: str
    requires: tuple[str, ...] = ()
    target: str = ""
    lane: str | None = None
    """Steps of one lane never run at the same time."""
    retries: int = 0
    """How many times a temporary failure is retried."""
    only_if: tuple[str, ...] = ()
    """It runs only if one of these steps changed something."""
    tolerates: bool = False
    """It also runs if something it requires failed or was cancelled."""
    passes: bool = False
    """Not a step: a node that only passes the order on, so that n steps before m steps need n + m edges, not
    n * m."""


# Events


class IntentSavedEvent(Struct, frozen=True):
    """The intent of a step is on disk, so it may run."""

    key: str


class StepEndedEvent(Struct, frozen=True):
    """A step that was running ended with an outcome."""

    key: str
    outcome: Outcome


class StepSuspendedEvent(Struct, frozen=True):
    """A step stopped in the middle and can be resumed later; its intent stays open."""

    key: str


class EndSavedEvent(Struct, frozen=True):
    """The end of a step is on disk, so its dependents may start."""

    key: str


class TimePassedEvent(Struct, frozen=True):
    """The clock reached a time that `Wake` asked for, in seconds."""

    now: float


class InterruptEvent(Struct, frozen=True):
    """The user asked to stop. The first one lets running steps finish, the second one does not."""


Event = (
    IntentSavedEvent | StepEndedEvent | StepSuspendedEvent | EndSavedEvent | TimePassedEvent | InterruptEvent
)


# Instructions


class SaveIntent(Struct, frozen=True):
    """Write what a step is about to do; report with `IntentSavedEvent`."""

    key: str
    attempt: int


class Run(Struct, frozen=True):
    """Start a step; report with `StepEndedEvent` or `StepSuspendedEvent`."""

    key: str
    attempt: int


class SaveEnd(Struct, frozen=True):
    """Write how a step ended; report with `EndSavedEvent`."""

    key: str
    state: StepState
    attempt: int
    outcome: Outcome | None = None
    reason: str | None = None
    """Why it did not run."""


class SaveRetry(Struct, frozen=True):
    """Write that an attempt failed and when the next one is due; nothing is reported."""

    key: str
    attempt: int
    not_before: float
    outcome: Outcome


class Wake(Struct, frozen=True):
    """Report with `TimePassedEvent` at this time. A later `Wake` replaces an earlier one."""

    at: float


class Cancel(Struct, frozen=True):
    """Stop running steps now; the next deployment finds out their outcome."""

    keys: tuple[str, ...]


class Finish(Struct, frozen=True):
    """Nothing is left to do."""


Instruction = SaveIntent | Run | SaveEnd | SaveRetry | Wake | Cancel | Finish
