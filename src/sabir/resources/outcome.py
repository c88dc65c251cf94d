"""What comes back from the world: what is there, what a step did, what can be told of a step that was cut off."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct, field

from sabir.graph.values import Value

if TYPE_CHECKING:
    from sabir.graph.address import Address
    from sabir.resources.resource import Resource


class FieldChange(Struct, frozen=True, kw_only=True):
    """A field that is not as it should be. Sensitive values stay marked: whoever shows them writes `<<REDACTED>>`."""

    field: str
    before: Value = None
    after: Value = None


class Health(Enum):
    """Whether something that is as it was written also does what it is for."""

    OK = "ok"
    WAITING = "waiting"
    """Not yet: its pods start, its Job runs."""
    FAILING = "failing"


class ResourceReading(Struct, frozen=True, kw_only=True):
    """A resource as it is in the world now."""

    exists: bool
    fields: Mapping[str, Value] = field(default_factory=dict[str, Value])
    id: str | None = None
    """What the target calls it, when it gives names of its own."""
    results: Mapping[str, Value] = field(default_factory=dict[str, Value])
    changes: tuple[FieldChange, ...] | None = None
    """The difference to what is wanted, where only the target (or foreign code) can tell; `diff` answers with it then."""
    message: str | None = None
    """A few words for people: what the read found beside the fields."""
    warning: str | None = None
    """What will not be as it is wanted, whatever is done: a field that the target does not know, a template that it would refuse."""
    health: Health = Health.OK
    belongs_to: str | None = None
    """Another environment that manages it: it cannot be adopted."""


def list_reported_changes(
    resource: Resource, reading: ResourceReading, *, whole: str
) -> tuple[FieldChange, ...]:
    """What the target told when it was read; of a resource that is not there, the field that is the whole of it."""
    if not reading.exists:
        return (FieldChange(field=whole, after=resource.desired.get(whole)),)
    return reading.changes or ()


def describe_differences(fields: Iterable[str]) -> str:
    """Return the message of a resource that only reports and differs; without fields it does not exist."""
    names = ", ".join(fields)
    return f"differs from the desired state: {names}" if names else "not found"


class OutcomeStatus(Enum):
    DONE = "done"
    NON_COMPLIANT = "non_compliant"
    """A resource that only reports differs from its desired state. Nothing was changed."""
    FAILED = "failed"
    SKIPPED = "skipped"
    """It declined, as Inmanta's handlers may: nothing was done, and what depends on it waits."""
    UNKNOWN = "unknown"
    """It cannot be told whether it was done: the connection broke after the request was sent."""


class Outcome(Struct, frozen=True, kw_only=True):
    """How a step ended."""

    status: OutcomeStatus = OutcomeStatus.DONE
    changed: bool = True
    """False: everything was as it should be already."""
    id: str | None = None
    fields: Mapping[str, Value] | None = None
    """The resource as it is now, for what only the target knows; None: as it was wanted."""
    results: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """Values that others may use: an address, a generated id, what a script gave out."""
    message: str | None = None
    """Why it failed, or a few words on what was done. It never holds a secret."""
    untouched: bool = False
    """A failure before anything was done: nothing is recorded of the resource."""
    passing: bool = False
    """A failure whose cause may pass by itself (a connection refused, a lock held): worth another try."""
    brought: tuple[Resource, ...] = ()
    """Of a program: other resources that it brought to what they should be, with their fields. They are recorded so."""
    gone: tuple[Address, ...] = ()
    """Of a program: other resources that it took away."""
    log: tuple[str, ...] = ()
    """Lines that belong to it: what a script wrote. Secrets are taken out."""

    @property
    def failed(self) -> bool:
        return self.status not in (OutcomeStatus.DONE, OutcomeStatus.NON_COMPLIANT)


class CompletionStatus(Enum):
    """What a look by operation id tells of a step that was cut off."""

    DONE = "done"
    NOT_DONE = "not done"
    CANNOT_TELL = "cannot tell"


class Observation(Struct, frozen=True, kw_only=True):
    sighting: CompletionStatus
    outcome: Outcome | None = None
    """With `DONE`: what the step gave. With `NOT_DONE`: at most the id of what was begun."""
    look_at: str | None = None
    """With `CANNOT_TELL`: where a person should look."""
