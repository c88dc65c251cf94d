"""What a plan is made of: what is wanted, what is recorded, and what was seen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct, field

from sabir.deployments.store.codec import Codec
from sabir.deployments.store.records import ResourceRecord
from sabir.deployments.targets import Placed, Targets
from sabir.graph.values import Value
from sabir.resources.outcome import Reading

__all__ = ["PlanRequest"]


class PlanRequest(Struct, frozen=True, kw_only=True, eq=False):
    environment: str
    serial: int
    wanted: Mapping[str, Placed]
    """By the text of the address, in the order of the description."""
    records: Mapping[str, ResourceRecord]
    targets: Targets
    codec: Codec
    observed: Mapping[str, Value] = field(default_factory=dict[str, Value])
    readings: Mapping[str, Reading] = field(default_factory=dict[str, Reading])
    """What was seen in the world, of those that were looked at."""
    selected: Collection[str] | None = None
    """Addresses that the plan is about; None: all."""
    repair: bool = False
    """Everything is looked at again."""
    expired: Collection[str] = ()
    """Addresses of what gave back something that does not count any more."""
    protected: Collection[str] = ()
    """Addresses that must not be destroyed."""
    givers: Mapping[str, str] = field(default_factory=dict[str, str])
    """The address of the resource that gave each observed value."""
    spent: Collection[str] = ()
    """Addresses that had their step in this deployment: what changes of them now is for the next one."""
    values_then: Callable[[ResourceRecord], Mapping[str, Value] | None] = lambda _: None
    """What had been observed when a resource had its step, if that was in an unfinished deployment that this one resumes."""
    pending: Sequence[tuple[str, str]] = ()
    """What cannot be evaluated yet, with the reason. As long as there is something, nothing is deleted because it is not
    described: it may only not be described yet."""
