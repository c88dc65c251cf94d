"""Steps: one change of one resource, or one run of something."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct, field

from sabir.graph.values import Value
from sabir.resources.outcome import FieldChange
from sabir.resources.resource import Resource


class Action(Enum):
    """What a step does; the value is its word in plans and events."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    """Delete and create anew. A driver never gets it: it is two steps, `DELETE` and `CREATE`."""
    DELETE = "delete"
    PURGE = "purge"
    """Make sure that what the resource describes is not there, and keep it so: `purged = true` of Inmanta."""
    RUN = "run"
    """Run what is not kept: a script, an operation, a program; also a kept resource that reacts to a change."""
    CHECK = "check"
    """Look, and change only what differs: what `--repair` does with everything."""

    @property
    def sign(self) -> str:
        """Its sign in a plan."""
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
    """What a driver is asked to do: a step with everything filled in, at the moment it runs."""

    operation_id: str
    """The same over all attempts of a step; given to the target wherever that can keep it."""
    action: Action
    resource: Resource
    """With values as they are to be used: nothing unknown any more; `reveal` shows what is sensitive."""
    recorded: Mapping[str, Value] | None = None
    """The fields as they were last written, by this driver; None: there is no record."""
    id: str | None = None
    """What the target called it then."""
    changes: tuple[FieldChange, ...] = ()
    """What the plan saw differ."""
    attempt: int = 1
    begun_before: bool = False
    """An earlier step on the resource was begun and cut off: what is there may be ours."""
    timeout: float | None = None
    """Seconds until the engine gives up; a driver that can stop its work at the target should stop it then."""
    operation: str | None = None
    """Of a call: which of the operations of the kind; the driver gets it by `Connection.call`. None: the resource itself."""
    arguments: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """Of a call."""
