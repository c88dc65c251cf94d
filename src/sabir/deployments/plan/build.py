"""From wanted resources and recorded ones to the steps between them.

Each resource is judged by itself first (`_Judge`): nothing to do, or one of the actions, with a reason. Then the order is
laid over the steps: what is required comes before, what goes away goes in the reverse of the order it came in, and what reacts
to a change comes after it. Everything is linear in the resources and their requirements.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.deployments.plan.compare import (
    kept_changes,
    recorded_changes,
    unknown_names,
    wanted_fields,
)
from sabir.deployments.plan.order import Ordered, ordered
from sabir.deployments.plan.steps import Plan, PlannedStep
from sabir.deployments.store.codec import Codec
from sabir.deployments.store.records import Record, RecordStatus
from sabir.deployments.targets import Placed, Targets
from sabir.errors import DeployError
from sabir.graph.address import Address
from sabir.graph.values import Value, unknowns
from sabir.resources.outcome import Change, Reading
from sabir.resources.resource import Resource
from sabir.resources.step import Action
from sabir.source.collector import collector_paused

__all__ = ["DELETION", "PlanRequest", "build_plan", "recorded_resource"]

DELETION = "#delete"
"""What the key of a deletion ends with; the key of any other step is the address."""


class PlanRequest(Struct, frozen=True, kw_only=True, eq=False):
    environment: str
    serial: int
    wanted: Mapping[str, Placed]
    """By the text of the address, in the order of the description."""
    records: Mapping[str, Record]
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
    pending: Sequence[tuple[str, str]] = ()
    """What cannot be evaluated yet, with the reason. As long as there is something, nothing is deleted because it is not
    described: it may only not be described yet."""


@collector_paused()
def build_plan(request: PlanRequest) -> Plan:
    """All steps in an order in which they can be taken one after the other."""
    judge = _Judge(request)
    steps: dict[str, PlannedStep] = {}
    waiting: list[tuple[str, str]] = []
    later: dict[str, str] = {}
    unchanged = 0
    for address, placed in request.wanted.items():
        if request.selected is not None and address not in request.selected:
            continue
        record = request.records.get(address)
        if record is not None and record.status is RecordStatus.UNKNOWN:
            waiting.append(
                (address, "the outcome of its last step is unknown: settle it with `sabir resolve`")
            )
            continue
        judged = judge.wanted(address, placed, record)
        unchanged += not judged
        reason = judge.cannot_be_foreseen(judged)
        if reason is not None:
            later[address] = reason
        steps.update((step.key, step) for step in judged)
    for step in judge.deletions(waiting):
        steps[step.key] = step
    steps = _with_reactions(request, steps)
    blocked = {address for address, _ in waiting}
    arranged = ordered(request.wanted, request.records, _without(steps, later), {*blocked, *later})
    after = {each.address: each.reason for each in arranged.waiting}
    also_later = {each.address for each in arranged.waiting if each.root in later}
    later |= {address: reason for address, reason in after.items() if address in also_later}
    return Plan(
        environment=request.environment,
        serial=request.serial,
        steps=tuple(_ordered_step(steps[key], arranged) for key in arranged.keys),
        through=arranged.through,
        unchanged=unchanged,
        waiting=(*waiting, *((address, why) for address, why in after.items() if address not in also_later)),
        later=(*request.pending, *later.items()),
        recorded=len(request.records),
    )


def _without(steps: Mapping[str, PlannedStep], later: Collection[str]) -> Mapping[str, PlannedStep]:
    return {key: step for key, step in steps.items() if step.address not in later} if later else steps


def _ordered_step(step: PlannedStep, arranged: Ordered) -> PlannedStep:
    return replace(step, requires=arranged.requires.get(step.key, ()))


class _Judge:
    def __init__(self, request: PlanRequest) -> None:
        self.request = request
        self._published = {
            str(attribute)
            for placed in request.wanted.values()
            for attribute in placed.resource.results.values()
        }

    def cannot_be_foreseen(self, steps: Sequence[PlannedStep]) -> str | None:
        """Why nothing can be said of a step before others have given their values back and everything is evaluated again.

        A value that stands for what another resource gives back is filled in when the step is about to run; what is computed
        from such a value cannot be.
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
        for unknown in unknowns(value):
            if unknown.of is None:
                return unknown.why or "it rests on what is not deployed yet"
            if unknown.of not in self._published and unknown.of.partition("|")[0] not in self.request.wanted:
                return unknown.why or f"it needs {unknown.of.replace('|', '.')}"
        return None

    def wanted(self, address: str, placed: Placed, record: Record | None) -> list[PlannedStep]:
        """The steps for a resource that is described: none, one, or the two of a replacement."""
        fields = wanted_fields(placed.resource, self.request.observed)
        unforeseen = unknown_names(fields)
        placed = _with_fields(placed, fields)
        reading = self.request.readings.get(address)
        verb = Action.RUN if placed.kind.runs else None
        if record is None and not self._may_begin(placed.resource):
            return []
        if record is None:
            changes = () if reading is None else tuple(placed.driver.diff(placed.resource, reading))
            return [_step(address, verb or Action.CREATE, placed, None, changes, "it is new", unforeseen)]
        if _is_taken_over(placed, record):
            reason = f"it was kept as a {record.kind}"
            return [_step(address, verb or Action.UPDATE, placed, record, (), reason, unforeseen)]
        moved = _moved(placed, record)
        changes = self._changes(placed, fields, record, reading)
        if moved is not None:
            return self._replacement(address, placed, record, changes, moved, unforeseen)
        if reading is not None and not reading.exists:
            reason = "it is recorded, but gone from its target"
            return [_step(address, Action.CREATE, placed, record, changes, reason, unforeseen)]
        if record.status is RecordStatus.FAILED:
            reason = "the last step on it failed"
            return [_step(address, verb or Action.UPDATE, placed, record, changes, reason, unforeseen)]
        if placed.resource.established is not None:
            return []
        in_place = [change.field for change in changes if change.field in placed.kind.replaced_by]
        if in_place:
            reason = f"{', '.join(in_place)} cannot be changed in place"
            return self._replacement(address, placed, record, changes, reason, unforeseen)
        if changes or unforeseen:
            changed = placed.resource.when_changed or f"{_fields(changes)} changed"
            reason = changed if changes else f"{', '.join(unforeseen)} is not known yet"
            return [_step(address, verb or Action.UPDATE, placed, record, changes, reason, unforeseen)]
        if address in self.request.expired:
            reason = "what it gave back has expired"
            return [_step(address, verb or Action.CHECK, placed, record, (), reason)]
        if self.request.repair and verb is None:
            return [_step(address, Action.CHECK, placed, record, (), "everything is looked at again")]
        return []

    def _may_begin(self, resource: Resource) -> bool:
        """Whether something new is run because it is new."""
        return resource.established is None and not any(
            str(address) in self.request.records for address in resource.unless
        )

    def _changes(
        self, placed: Placed, fields: Mapping[str, Value], record: Record, reading: Reading | None
    ) -> tuple[Change, ...]:
        if reading is not None and reading.exists:
            changes = placed.driver.diff(placed.resource, reading)
        else:
            changes = recorded_changes(fields, record, self.request.codec)
        return kept_changes(changes, placed.resource.lifecycle)

    def _replacement(
        self,
        address: str,
        placed: Placed,
        record: Record,
        changes: tuple[Change, ...],
        reason: str,
        unforeseen: tuple[str, ...],
    ) -> list[PlannedStep]:
        verb = Action.RUN if placed.kind.runs else Action.CREATE
        gone = replace(self._deletion(address, record, reason), replaces=True, left=None)
        back = _step(address, verb, placed, record, changes, reason, unforeseen)
        return [gone, replace(back, replaces=True)]

    def deletions(self, waiting: list[tuple[str, str]]) -> Iterable[PlannedStep]:
        """Steps for what is recorded and no longer described."""
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

    def _deletion(self, address: str, record: Record, reason: str) -> PlannedStep:
        if address in self.request.protected:
            raise DeployError(f"{address} must not be destroyed (prevent_destroy), but {reason}")
        resource = recorded_resource(record, self.request.codec)
        placed = self.request.targets.placed_as(resource, target=record.target, driver=record.driver)
        return PlannedStep(
            key=address + DELETION,
            action=Action.DELETE,
            address=address,
            placed=placed,
            record=record,
            reason=reason,
            left=placed.target.why_left(resource),
        )


def recorded_resource(record: Record, codec: Codec) -> Resource:
    """A resource as it was recorded, for who looks at it or takes it away."""
    return Resource(
        address=Address.parse(record.address),
        kind=record.kind,
        desired=codec.read(record.desired),
        target=record.target,
        driver=record.driver,
    )


def _with_fields(placed: Placed, fields: Mapping[str, Value]) -> Placed:
    if placed.resource.late is None and fields == placed.resource.desired:
        return placed
    return replace(placed, resource=replace(placed.resource, desired=fields))


def _is_taken_over(placed: Placed, record: Record) -> bool:
    """Below a folder of its own it would be something else than what is recorded."""
    return record.kind in placed.resource.takes_over and not placed.target.contained


def _moved(placed: Placed, record: Record) -> str | None:
    """Why a recorded resource cannot be brought to what is wanted where it is."""
    if record.kind != placed.resource.kind:
        return f"it was a {record.kind}"
    if record.driver != placed.driver.name or record.target != placed.target.name:
        return f"it was on {record.target}"
    return None


def _fields(changes: Iterable[Change]) -> str:
    return ", ".join(change.field for change in changes)


def _step(
    address: str,
    action: Action,
    placed: Placed,
    record: Record | None = None,
    changes: tuple[Change, ...] = (),
    reason: str = "",
    unforeseen: tuple[str, ...] = (),
) -> PlannedStep:
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


def _with_reactions(request: PlanRequest, steps: dict[str, PlannedStep]) -> dict[str, PlannedStep]:
    """What reacts to a change gets a step of its own, taken only when the change really came.

    A reaction is itself a change that others may react to, so they are followed from the steps outwards.
    """
    followers: dict[str, list[str]] = {}
    for address, placed in request.wanted.items():
        for cause in placed.resource.reacts_to:
            followers.setdefault(str(cause), []).append(address)
    if not followers:
        return steps
    steps = dict(steps)
    queue = [*steps]
    for key in queue:
        for address in followers.get(key, ()):
            if request.selected is not None and address not in request.selected:
                continue
            placed = request.wanted[address]
            if any(str(other) not in request.records for other in placed.resource.established or ()):
                continue
            step = steps.get(address)
            if step is None:
                causes = tuple(str(cause) for cause in placed.resource.reacts_to)
                step = _step(address, Action.RUN, placed, request.records.get(address), (), f"{key} changes")
                steps[address] = replace(step, only_if=causes)
                queue.append(address)
    return steps
