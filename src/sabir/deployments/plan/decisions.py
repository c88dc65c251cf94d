"""Decisions about single resources: no step, or an action with a reason.

`StepDecider` compares the desired state of one resource with its record, and with a reading of the target
where there is one. It does not look at other resources: the order of steps, reactions and requirements that
have to wait are added by `build`. The checks in `_steps` are ordered from the strongest reason to the
weakest, and the first that applies decides. A resource that moved to another target is replaced even if its
last step failed, and a failed step is repeated even if nothing changed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.deployments.plan.compare import (
    drop_ignored_changes,
    find_recorded_changes,
    find_unknown_fields,
    resolve_fields,
    without_feedback,
)
from sabir.deployments.plan.steps import PlannedStep
from sabir.deployments.store.records import RecordStatus, ResourceRecord
from sabir.deployments.store.seal import Codec
from sabir.deployments.targets import PlacedResource, Targets
from sabir.errors import DeployError
from sabir.graph.address import Address
from sabir.graph.values import Value, find_unknowns
from sabir.resources.outcome import FieldChange, ResourceReading
from sabir.resources.resource import Resource
from sabir.resources.step import Action


class PlanRequest(Struct, frozen=True, kw_only=True, eq=False):
    """Inputs of a plan: desired resources, records, step outputs and readings."""

    environment: str
    serial: int
    """The number of the state that the records were read from."""
    wanted: Mapping[str, PlacedResource]
    """Desired resources by the text of their address, in the order of the project."""
    records: Mapping[str, ResourceRecord]
    targets: Targets
    codec: Codec
    observed: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """Step outputs that count, by the text of the attribute's address."""
    readings: Mapping[str, ResourceReading] = field(default_factory=dict[str, ResourceReading])
    """The actual state of the resources that were read."""
    selected: Collection[str] | None = None
    """Addresses that the plan is limited to; None: all."""
    repair: bool = False
    """Check every resource, also those that seem unchanged."""
    expired: Collection[str] = ()
    """Addresses of resources with an output that no longer counts."""
    protected: Collection[str] = ()
    """Addresses that must not be destroyed."""
    givers: Mapping[str, str] = field(default_factory=dict[str, str])
    """The address of the resource that reported each observed value."""
    spent: Collection[str] = ()
    """Addresses that already had their step in this deployment. A change of them now belongs to the next one:
    otherwise two programs that feed each other would run forever."""
    values_then: Callable[[ResourceRecord], Mapping[str, Value] | None] = lambda _: None
    """Returns the step outputs that were known when a resource had its step, if that was in an unfinished
    deployment that this one resumes; None otherwise."""
    pending: Sequence[tuple[str, str]] = ()
    """What cannot be evaluated yet, with the reason. As long as there is any, nothing is deleted for being
    absent from the project: it may only be absent so far."""


DELETION = "#delete"
"""Suffix of the key of a deletion; the key of any other step is the address."""


_NEW: Final[Mapping[Action | None, str]] = {
    Action.PURGE: "purge",
    Action.CHECK: "report only",
}
"""The reason of a step on a new resource that is not a creation."""


class StepDecider:
    """Decides the steps of each desired or recorded resource."""

    def __init__(self, request: PlanRequest) -> None:
        self.request = request
        self._published = {
            str(attribute)
            for placed in request.wanted.values()
            for attribute in placed.resource.results.values()
        }
        self.postponed: list[str] = []
        """Addresses whose changes belong to the next deployment."""

    def explain_deferral(self, steps: Sequence[PlannedStep]) -> str | None:
        """Return why steps cannot be planned before others have run; None if they can.

        An unknown value that stands for the output of another resource is filled in when the step is about to
        run. A value computed from such an output cannot be filled in: the project has to be evaluated again
        first.
        """
        for step in steps:
            resource = step.placed.resource
            if resource.late is not None:
                continue
            for name in step.unforeseen:
                reason = self._unfillable(resource.desired[name])
                if reason is not None:
                    return f"{name} is not known yet: {reason}"
        return None

    def _unfillable(self, value: Value) -> str | None:
        for unknown in find_unknowns(value):
            if unknown.of is None:
                return unknown.why or "it rests on what is not deployed yet"
            if unknown.of not in self._published and unknown.of.partition("|")[0] not in self.request.wanted:
                return unknown.why or f"it needs {unknown.of.replace('|', '.')}"
        return None

    def decide_steps(
        self, address: str, placed: PlacedResource, record: ResourceRecord | None
    ) -> list[PlannedStep]:
        """Return the steps for a desired resource: none, one, or the two of a replacement.

        Steps that belong to the next deployment are dropped, and their address is added to `postponed`.
        """
        steps = self._steps(address, placed, record)
        if not self._is_postponed(address, placed, record, steps):
            return steps
        self.postponed.append(address)
        return []

    def _is_postponed(
        self,
        address: str,
        placed: PlacedResource,
        record: ResourceRecord | None,
        steps: Sequence[PlannedStep],
    ) -> bool:
        """Tell whether the steps are caused only by what changed after the resource had its step in this
        deployment.

        A deployment that resumes an interrupted one must decide as that one did. It therefore compares with
        the values of that time: if those call for no change, the resource was up to date, and later outputs
        wait for the next one.
        """
        if not any(step.does_something for step in steps):
            return False
        if address in self.request.spent:
            return True
        if record is None or record.status is not RecordStatus.PRESENT or not placed.kind.runs:
            return False
        if address in self.request.expired or placed.resource.late is None:
            return False
        then = self.request.values_then(record)
        if then is None:
            return False
        fields = resolve_fields(placed.resource, self._before_feedback(placed.resource, record, then))
        return not find_unknown_fields(fields) and not self._changes(placed, fields, record, None)

    def _before_feedback(
        self, resource: Resource, record: ResourceRecord | None, observed: Mapping[str, Value]
    ) -> Mapping[str, Value]:
        """Return the observed values, with those that the resource itself influenced as they were when it
        ran."""
        return without_feedback(resource, observed, self.request.givers, record, self.request.codec)

    def _steps(
        self, address: str, placed: PlacedResource, record: ResourceRecord | None
    ) -> list[PlannedStep]:
        """Return the steps for a desired resource, without regard to earlier steps of this deployment."""
        observed = self._before_feedback(placed.resource, record, self.request.observed)
        fields = resolve_fields(placed.resource, observed)
        unforeseen = find_unknown_fields(fields)
        placed = _with_fields(placed, fields)
        reading = self.request.readings.get(address)
        verb = _verb(placed)
        if record is None and not self._may_begin(placed.resource):
            return []
        if record is None:
            changes = () if reading is None else tuple(placed.driver.diff(placed.resource, reading))
            reason = _NEW.get(verb, "it is new")
            return [build_step(address, verb or Action.CREATE, placed, None, changes, reason, unforeseen)]
        # Before the check for a replacement: the recorded kind differs, but it is the same thing on the target.
        if _is_taken_over(placed, record):
            reason = f"it was kept as a {record.kind}"
            return [build_step(address, verb or Action.UPDATE, placed, record, (), reason, unforeseen)]
        moved = _explain_replacement(placed, record)
        changes = self._changes(placed, fields, record, reading)
        if moved is not None:
            return self._replacement(address, placed, record, changes, moved, unforeseen)
        # Someone else deleted it: there is nothing to update, whatever became of the last step.
        if reading is not None and not reading.exists:
            reason = "it is recorded, but gone from its target"
            return [build_step(address, verb or Action.CREATE, placed, record, changes, reason, unforeseen)]
        if record.status is RecordStatus.FAILED:
            reason = "the last step on it failed"
            return [build_step(address, verb or Action.UPDATE, placed, record, changes, reason, unforeseen)]
        # It runs only as a reaction; `build` adds its step if one of its causes has one.
        if placed.resource.established is not None:
            return []
        in_place = [change.field for change in changes if change.field in placed.kind.replaced_by]
        if in_place:
            reason = f"{', '.join(in_place)} cannot be changed in place"
            return self._replacement(address, placed, record, changes, reason, unforeseen)
        # A field that is not known yet may turn out unchanged; the runner compares again and then skips the
        # step.
        if changes or unforeseen:
            changed = placed.resource.when_changed or f"{_join_fields(changes)} changed"
            reason = changed if changes else f"{', '.join(unforeseen)} is not known yet"
            return [build_step(address, verb or Action.UPDATE, placed, record, changes, reason, unforeseen)]
        if address in self.request.expired:
            reason = "what it gave back has expired"
            action = Action.RUN if placed.kind.runs else Action.CHECK
            return [build_step(address, action, placed, record, (), reason)]
        if self.request.repair and not placed.kind.runs:
            return [build_step(address, Action.CHECK, placed, record, (), "everything is looked at again")]
        return []

    def _may_begin(self, resource: Resource) -> bool:
        """Tell whether a resource is run because it is new: it does not only react, and it is not too late
        for it."""
        return resource.established is None and not any(
            str(address) in self.request.records for address in resource.unless
        )

    def _changes(
        self,
        placed: PlacedResource,
        fields: Mapping[str, Value],
        record: ResourceRecord,
        reading: ResourceReading | None,
    ) -> tuple[FieldChange, ...]:
        """Return the differing fields, from the actual state if it was read, otherwise from the record."""
        if reading is not None and reading.exists:
            changes = placed.driver.diff(placed.resource, reading)
        else:
            changes = find_recorded_changes(fields, record, self.request.codec)
        return drop_ignored_changes(changes, placed.resource.lifecycle)

    def _replacement(
        self,
        address: str,
        placed: PlacedResource,
        record: ResourceRecord,
        changes: tuple[FieldChange, ...],
        reason: str,
        unforeseen: tuple[str, ...],
    ) -> list[PlannedStep]:
        """Return the deletion and the creation of a replacement. Raises `DeployError` for a protected
        resource."""
        verb = _verb(placed) or Action.CREATE
        # A replacement always deletes, so `left`, which turns a deletion into forgetting, does not apply.
        gone = replace(self._deletion(address, record, reason), replaces=True, left=None)
        back = build_step(address, verb, placed, record, changes, reason, unforeseen)
        return [gone, replace(back, replaces=True)]

    def deletions(self, waiting: list[tuple[str, str]]) -> Iterable[PlannedStep]:
        """Yield the deletions of recorded resources that the project no longer contains.

        Resources with an unknown outcome are added to `waiting` instead: deleting what may be half done is a
        guess.
        """
        request = self.request
        for address, record in request.records.items():
            if address in request.wanted or request.pending:
                continue
            if request.selected is not None and address not in request.selected:
                continue
            if record.status is RecordStatus.UNKNOWN:
                waiting.append(
                    (address, "the outcome of its last step is unknown: settle it with `sabir resolve`")
                )
                continue
            yield self._deletion(
                address, record, "it is no longer described" if request.wanted else "everything goes"
            )

    def _deletion(self, address: str, record: ResourceRecord, reason: str) -> PlannedStep:
        """Return the step that deletes a recorded resource, on the target and with the driver of its record."""
        if address in self.request.protected:
            raise DeployError(f"{address} must not be destroyed (prevent_destroy), but {reason}")
        resource = restore_resource(record, self.request.codec)
        placed = self.request.targets.place_recorded(resource, target=record.target, driver=record.driver)
        return PlannedStep(
            key=address + DELETION,
            action=Action.DELETE,
            address=address,
            placed=placed,
            record=record,
            reason=reason,
            left=placed.target.why_left(resource),
        )


def _verb(placed: PlacedResource) -> Action | None:
    """Return the action that a resource always has; None if it depends on what is there."""
    if placed.resource.report_only:
        return Action.CHECK
    if placed.kind.runs:
        return Action.RUN
    return Action.PURGE if placed.resource.purges else None


def restore_resource(record: ResourceRecord, codec: Codec) -> Resource:
    """Return a resource as it is recorded, to read or delete it."""
    return Resource(
        address=Address.parse(record.address),
        kind=record.kind,
        desired=codec.read(record.desired),
        target=record.target,
        driver=record.driver,
    )


def _with_fields(placed: PlacedResource, fields: Mapping[str, Value]) -> PlacedResource:
    if placed.resource.late is None and fields == placed.resource.desired:
        return placed
    return replace(placed, resource=replace(placed.resource, desired=fields))


def _is_taken_over(placed: PlacedResource, record: ResourceRecord) -> bool:
    """Tell whether the record, of another kind, is about the same thing.

    Under a root directory the two kinds would be two different things.
    """
    return record.kind in placed.resource.takes_over and not placed.target.contained


def _explain_replacement(placed: PlacedResource, record: ResourceRecord) -> str | None:
    """Return why a recorded resource cannot be brought to its desired state in place; None if it can."""
    if record.kind != placed.resource.kind:
        return f"it was a {record.kind}"
    if record.driver != placed.driver.name or record.target != placed.target.name:
        return f"it was on {record.target}"
    return None


def _join_fields(changes: Iterable[FieldChange]) -> str:
    return ", ".join(change.field for change in changes)


def build_step(
    address: str,
    action: Action,
    placed: PlacedResource,
    record: ResourceRecord | None = None,
    changes: tuple[FieldChange, ...] = (),
    reason: str = "",
    unforeseen: tuple[str, ...] = (),
) -> PlannedStep:
    """Return a step on a resource. A program is asked for the effects that it expects to have."""
    foreseen = placed.resource.foreseen
    return PlannedStep(
        key=address,
        action=action,
        address=address,
        placed=placed,
        record=record,
        changes=changes,
        reason=reason,
        unforeseen=unforeseen,
        effects=() if foreseen is None else foreseen(),
    )
