"""A plan as data: steps with their reasons, and the order between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct, field

from sabir.deployments.store.records import ResourceRecord
from sabir.deployments.targets import PlacedResource
from sabir.graph.values import Value
from sabir.resources.outcome import FieldChange
from sabir.resources.step import Action


class PlannedCall(Struct, frozen=True, kw_only=True, eq=False):
    """What makes a step a call."""

    name: str
    operation: str | None = None
    """One of the operations of the resource's kind; None: the resource itself is run."""
    arguments: Mapping[str, Value] = field(default_factory=dict[str, Value])


class PlannedStep(Struct, frozen=True, kw_only=True, eq=False):
    """One step, and why it is taken."""

    key: str
    action: Action
    address: str
    placed: PlacedResource
    """What is wanted; for a deletion what is recorded, as a resource."""
    record: ResourceRecord | None = None
    changes: tuple[FieldChange, ...] = ()
    reason: str = ""
    requires: tuple[str, ...] = ()
    """Keys of steps, or of resources without a step (see `Plan.through`), that come before."""
    replaces: bool = False
    """Half of a replacement: the deletion, or the creation after it."""
    unforeseen: tuple[str, ...] = ()
    """Fields whose values are known only when other steps are done."""
    only_if: tuple[str, ...] = ()
    """It is taken only when one of these steps changed something."""
    if_changed: bool = False
    """It is taken only when its fields, with what steps before it gave, differ from what is recorded."""
    call: PlannedCall | None = None
    """It is a call: run each time, and nothing of the resource is recorded but what it gives back."""
    effects: tuple[str, ...] = ()
    """Of a program: what it is foreseen to do, a line each."""
    left: str | None = None
    """Of a deletion that deletes nothing: why the resource is only forgotten and stays as it is."""

    @property
    def does_something(self) -> bool:
        """Whether the world is touched. What is kept is; what is run may only be recorded with what undoes it, or have nothing
        that undoes it when it goes."""
        if self.left is not None:
            return False
        if not self.placed.kind.runs:
            return True
        fields = self.placed.resource.desired
        undo = fields.get("undo")
        if self.action is Action.DELETE:
            return undo is not None
        return undo is None or fields.get("run") is not None or fields.get("script") is not None


class Plan(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    environment: str
    serial: int
    """The number of the state that it was made for."""
    steps: tuple[PlannedStep, ...] = ()
    through: Mapping[str, tuple[str, ...]] = {}
    """Resources that are as they should be and stand between steps, with what they come after."""
    unchanged: int = 0
    waiting: tuple[tuple[str, str], ...] = ()
    """Addresses that nothing is done about, each with the reason: an outcome that is unknown."""
    later: tuple[tuple[str, str], ...] = ()
    """What cannot be foreseen yet, each with the reason: it is planned when the steps before it have given their values back."""
    postponed: tuple[str, ...] = ()
    """Addresses that changed after they had their step in this deployment: the next one has one for them."""
    recorded: int = 0
    """How many resources there were before."""

    @cached_property
    def counts(self) -> Counter[Action]:
        """Steps by action; the two halves of a replacement are one."""
        return Counter(
            Action.REPLACE if step.replaces else step.action
            for step in self.steps
            if not (step.replaces and step.action is Action.DELETE) and step.left is None
        )

    @property
    def forgotten(self) -> int:
        """Resources that are no longer looked after, and stay as they are."""
        return sum(step.left is not None for step in self.steps)

    @property
    def is_open(self) -> bool:
        """Whether something is left to do, now or later."""
        return bool(self.steps or self.waiting or self.later)

    @property
    def is_call(self) -> bool:
        return any(step.call is not None for step in self.steps)

    @property
    def deletions(self) -> int:
        """Resources that would be gone, or gone for a moment."""
        return sum(step.action is Action.DELETE and step.left is None for step in self.steps)
