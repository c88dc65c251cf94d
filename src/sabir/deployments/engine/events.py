"""What the state machine of a plan is told and what it answers: steps, events and instructions."""

from __future__ import annotations

from msgspec import Struct

from sabir.deployments.store.records import StepState
from sabir.resources.outcome import Outcome


class StepNode(Struct, frozen=True, kw_only=True):
    """A step as far as its order goes."""

    key: str
    requires: tuple[str, ...] = ()
    target: str = ""
    lane: str | None = None
    retries: int = 0
    only_if: tuple[str, ...] = ()
    tolerates: bool = False
    """It is run also when something that it requires failed or was not done."""
    passes: bool = False
    """No step: it only passes the order on."""


# Events


class IntentSavedEvent(Struct, frozen=True):
    key: str


class StepEndedEvent(Struct, frozen=True):
    """What was run came to an end."""

    key: str
    outcome: Outcome


class StepSuspendedEvent(Struct, frozen=True):
    """What was run stopped in the middle and can go on from there another time: its intent stays open."""

    key: str


class EndSavedEvent(Struct, frozen=True):
    key: str


class TimePassedEvent(Struct, frozen=True):
    now: float


class InterruptEvent(Struct, frozen=True):
    pass


Event = (
    IntentSavedEvent | StepEndedEvent | StepSuspendedEvent | EndSavedEvent | TimePassedEvent | InterruptEvent
)


# Instructions


class SaveIntent(Struct, frozen=True):
    key: str
    attempt: int


class Run(Struct, frozen=True):
    key: str
    attempt: int


class SaveEnd(Struct, frozen=True):
    """Write how a step ended; come back with `EndSaved`."""

    key: str
    state: StepState
    attempt: int
    outcome: Outcome | None = None
    reason: str | None = None
    """Why it was not run."""


class SaveRetry(Struct, frozen=True):
    """Write that it failed and when it is tried again; nothing comes back."""

    key: str
    attempt: int
    not_before: float
    outcome: Outcome


class Wake(Struct, frozen=True):
    """Come back with `TimePassed` at this time."""

    at: float


class Cancel(Struct, frozen=True):
    """Stop what runs, now; its outcome is found out by the next deployment."""

    keys: tuple[str, ...]


class Finish(Struct, frozen=True):
    """Nothing is left to do."""


Instruction = SaveIntent | Run | SaveEnd | SaveRetry | Wake | Cancel | Finish
