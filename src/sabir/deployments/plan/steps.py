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
    """The call that a step makes."""

    name: str
    operation: str | None = None
    """An operation of the resource's kind; None: the resource itself is run."""
    arguments: Mapping[str, Value] = field(default_factory=dict[str, Value])


class PlannedStep(Struct, frozen=True, kw_only=True, eq=False):
    """One step, and the reason for it."""

    key: str
    action: Action
    address: str
    placed: PlacedResource
    """The desired resource; for a deletion the recorded one."""
    record: ResourceRecord | None = None
    changes: tuple[FieldChange, ...] = ()
    reason: str = ""
    requires: tuple[str, ...] = ()
    """Keys of steps, or of resources without a step (see `Plan.through`), that come before it."""
    replaces: bool = False
    """It is half of a replacement: the deletion, or the creation after it."""
    unforeseen: tuple[str, ...] = ()
    """Fields whose values are known only after other steps have run."""
    only_if: tuple[str, ...] = ()
    """It runs only if one of these steps changed something."""
    if_changed: bool = False
    """It runs only if its fields, with the outputs of the steps before it, differ from the recorded ones."""
    call: PlannedCall | None = None
    """It is a call: it runs each time, and only its outputs are recorded."""
    effects: tuple[str, ...] = ()
    """Expected effects of a program, one line each."""
    left: str | None = None
    """Why the resource of a deletion is only forgotten and not deleted."""

    @property
    def does_something(self) -> bool:
        """Whether the step touches a target.

        A managed resource always does. A script with an `undo` and nothing to run is only recorded, and
        without an `undo` its deletion has nothing to do.
        """
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
    """The steps from one state to the desired one, and what has to wait."""

    environment: str
    serial: int
    """The number of the state that it was made for."""
    steps: tuple[PlannedStep, ...] = ()
    through: Mapping[str, tuple[str, ...]] = {}
    """Unchanged resources between steps, with what they come after."""
    unchanged: int = 0
    waiting: tuple[tuple[str, str], ...] = ()
    """Addresses without a step, each with the reason: an unknown outcome."""
    later: tuple[tuple[str, str], ...] = ()
    """Addresses that are planned after earlier steps have reported their outputs, each with the reason."""
    postponed: tuple[str, ...] = ()
    """Addresses that changed after their step in this deployment; the next one has a step for them."""
    recorded: int = 0
    """The number of resources before the plan is applied."""

    @cached_property
    def counts(self) -> Counter[Action]:
        """Number of steps by action; the two halves of a replacement count as one."""
        return Counter(
            Action.REPLACE if step.replaces else step.action
            for step in self.steps
            if not (step.replaces and step.action is Action.DELETE) and step.left is None
        )

    @property
    def forgotten(self) -> int:
        """Number of resources that are removed from the state and not deleted."""
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
        """Number of resources that would be deleted, also those that are replaced."""
        return sum(step.action is Action.DELETE and step.left is None for step in self.steps)
