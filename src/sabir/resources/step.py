"""Steps: one change of one resource, or one run of something."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct, field

from sabir.graph.values import Value
from sabir.resources.outcome import FieldChange
from sabir.resources.resource import Resource


class Action(Enum):
    """What a step does; the value is its name in plans and events."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    """Delete and re-create. A driver never gets it: it is two steps, `DELETE` and `CREATE`."""
    DELETE = "delete"
    PURGE = "purge"
    """Ensure that the resource does not exist, and keep it so: `purged = true` of Inmanta."""
    RUN = "run"
    """Run what is not managed: a script, an operation, a program; also a managed resource that reacts to a
    change."""
    CHECK = "check"
    """Read, and change only what differs: what `--repair` does with everything."""

    @property
    def sign(self) -> str:
        """Its symbol in a plan."""
        return _SIGNS[self]


_SIGNS = {
    Action.CREATE: "+",
    Action.UPDATE: "~",
    Action.REPLACE: "-/+",
    Action.DELETE: "-",
    Action.PURGE: "-",
    Action.RUN: ">",
    Action.CHECK: "?",
}


class Task(Struct, frozen=True, kw_only=True, eq=False):
    """What a driver is asked to do: a step with all values filled in, at the moment it runs."""

    operation_id: str
    """The same for all attempts of a step; passed to the target wherever it can store it."""
    action: Action
    resource: Resource
    """With final values: nothing unknown any more; `reveal_value` returns what is sensitive."""
    recorded: Mapping[str, Value] | None = None
    """The fields as this driver last wrote them; None: there is no record."""
    id: str | None = None
    """The name that the target assigned then."""
    changes: tuple[FieldChange, ...] = ()
    """The differences that the plan found."""
    attempt: int = 1
    begun_before: bool = False
    """An earlier step on the resource was interrupted: what exists may be its work."""
    timeout: float | None = None
    """Seconds until the engine gives up; a driver that can stop its work on the target should do so then."""
    operation: str | None = None
    """Of a call: the operation of the kind, for `Connection.call`. None: the resource itself."""
    arguments: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """Of a call."""
