"""Results from targets: the actual state of a resource, the outcome of a step, and the fate of an interrupted
one.
"""

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
    """A field that differs from its desired value. Sensitive values stay marked; views print `<<REDACTED>>`."""

    field: str
    before: Value = None
    after: Value = None


class Health(Enum):
    """Whether a resource in its desired state also works."""

    OK = "ok"
    WAITING = "waiting"
    """Not yet: its pods are starting, its Job is running."""
    FAILING = "failing"


class ResourceReading(Struct, frozen=True, kw_only=True):
    """The actual state of a resource."""

    exists: bool
    fields: Mapping[str, Value] = field(default_factory=dict[str, Value])
    id: str | None = None
    """The name that the target assigned, if it assigns names."""
    results: Mapping[str, Value] = field(default_factory=dict[str, Value])
    changes: tuple[FieldChange, ...] | None = None
    """The differences from the desired state, where only the target (or third-party code) can tell; `diff`
    returns them then."""
    message: str | None = None
    """A short note of what the read found in addition to the fields."""
    warning: str | None = None
    """What will differ whatever is done: a field that the target does not know, a template that it would
    reject."""
    health: Health = Health.OK
    belongs_to: str | None = None
    """Another environment that manages it: it cannot be adopted."""


def list_reported_changes(
    resource: Resource, reading: ResourceReading, *, whole: str
) -> tuple[FieldChange, ...]:
    """Return the changes that the target reported; for a missing resource, its main field `whole` as the only
    change."""
    if not reading.exists:
        return (FieldChange(field=whole, after=resource.desired.get(whole)),)
    return reading.changes or ()


def describe_differences(fields: Iterable[str]) -> str:
    """Return the message of a resource that only reports and differs; without fields it does not exist."""
    names = ", ".join(fields)
    return f"differs from the desired state: {names}" if names else "not found"


class OutcomeStatus(Enum):
    """How a step ended."""

    DONE = "done"
    NON_COMPLIANT = "non_compliant"
    """A resource that only reports differs from its desired state. Nothing was changed."""
    FAILED = "failed"
    SKIPPED = "skipped"
    """It declined, as Inmanta's handlers may: nothing was done, and its dependents are cancelled."""
    UNKNOWN = "unknown"
    """It is not known whether it was done: the connection broke after the request was sent."""


class Outcome(Struct, frozen=True, kw_only=True):
    """The result of a step."""

    status: OutcomeStatus = OutcomeStatus.DONE
    changed: bool = True
    """False: everything was already in its desired state."""
    id: str | None = None
    fields: Mapping[str, Value] | None = None
    """The resource as the target returned it, for values that only the target knows; None: as desired."""
    results: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """Step outputs: an address, a generated id, what a script returned."""
    message: str | None = None
    """Why it failed, or a short note of what was done. It never contains a secret."""
    untouched: bool = False
    """Nothing was touched, so nothing is recorded of the resource."""
    passing: bool = False
    """The cause of the failure may be temporary (connection refused, lock held): worth another attempt."""
    brought: tuple[Resource, ...] = ()
    """Of a program: other resources that it brought to their desired state. They are recorded so."""
    gone: tuple[Address, ...] = ()
    """Of a program: other resources that it deleted."""
    log: tuple[str, ...] = ()
    """Its output lines, with secrets removed."""

    @property
    def failed(self) -> bool:
        """Whether dependents must not run: failed, skipped or unknown."""
        return self.status not in (OutcomeStatus.DONE, OutcomeStatus.NON_COMPLIANT)


class CompletionStatus(Enum):
    """What a lookup by operation id found out about an interrupted step."""

    DONE = "done"
    NOT_DONE = "not done"
    CANNOT_TELL = "cannot tell"


class Observation(Struct, frozen=True, kw_only=True):
    """The result of a lookup by operation id."""

    sighting: CompletionStatus
    outcome: Outcome | None = None
    """With `DONE`: the outcome of the step. With `NOT_DONE`: at most the id of what was begun."""
    look_at: str | None = None
    """With `CANNOT_TELL`: where a person should look."""
