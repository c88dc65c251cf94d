"""The plan builder: from desired and recorded resources to the steps between them.

1. Each resource is decided by itself (`decisions`): no step, or an action with a reason.
2. Programs between two steps, and resources that react to a change, get conditional steps: whether they run
   is decided when the steps before them have ended.
3. The steps are ordered (`order`): requirements first, deletions in the reverse of the creation order,
   reactions after their causes. Whatever depends on something that has to wait, waits, too.

All of it is linear in the number of resources and requirements.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from sabir.deployments.plan.compare import resolve_fields, without_feedback
from sabir.deployments.plan.decisions import PlanRequest, StepDecider, build_step
from sabir.deployments.plan.order import StepOrder, order_steps
from sabir.deployments.plan.steps import Plan, PlannedStep
from sabir.deployments.store.records import RecordStatus
from sabir.graph.values import Value
from sabir.interpreter import collector_paused
from sabir.resources.step import Action


@collector_paused()
def build_plan(request: PlanRequest) -> Plan:
    """Return the plan: all steps, in an order in which they can be applied one by one.

    Raises `DeployError` if desired resources require each other, or a protected one would be deleted.
    """
    judge = StepDecider(request)
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
        judged = judge.decide_steps(address, placed, record)
        unchanged += not judged
        reason = judge.explain_deferral(judged)
        if reason is not None:
            later[address] = reason
        steps.update((step.key, step) for step in judged)
    for step in judge.deletions(waiting):
        steps[step.key] = step
    steps = _with_reactions(request, _with_possible_changes(request, steps))
    blocked = {address for address, _ in waiting}
    arranged = order_steps(request.wanted, request.records, _drop_steps(steps, later), {*blocked, *later})
    after = {each.address: each.reason for each in arranged.waiting}
    # Two kinds of waiting: for a person to resolve an unknown outcome, or for outputs of earlier steps of this
    # deployment. The root decides which one a dependent waits for.
    also_later = {each.address for each in arranged.waiting if each.root in later}
    later |= {address: reason for address, reason in after.items() if address in also_later}
    return Plan(
        environment=request.environment,
        serial=request.serial,
        steps=tuple(_apply_order(steps[key], arranged) for key in arranged.keys),
        through=arranged.through,
        unchanged=unchanged,
        waiting=(*waiting, *((address, why) for address, why in after.items() if address not in also_later)),
        later=(*request.pending, *later.items()),
        postponed=tuple(judge.postponed),
        recorded=len(request.records),
    )


def _drop_steps(steps: Mapping[str, PlannedStep], later: Collection[str]) -> Mapping[str, PlannedStep]:
    return {key: step for key, step in steps.items() if step.address not in later} if later else steps


def _apply_order(step: PlannedStep, arranged: StepOrder) -> PlannedStep:
    return replace(step, requires=arranged.requires.get(step.key, ()))


def _with_possible_changes(request: PlanRequest, steps: dict[str, PlannedStep]) -> dict[str, PlannedStep]:
    """Add programs whose inputs earlier steps may change, if a later step depends on both.

    Without them that later step would run now with old values and once more with new ones. They run only if
    their fields have really changed. A program that no other step waits for need not be added: it is planned
    when the values are known.
    """
    taken = {
        step.address: step
        for step in steps.values()
        if step.action is Action.RUN and step.does_something and step.placed.resource.late is not None
    }
    if len(taken) < 2:
        return steps
    requires = {
        address: [str(other) for other in placed.resource.requires]
        for address, placed in request.wanted.items()
    }
    required_by: dict[str, list[str]] = {}
    for address, others in requires.items():
        for other in others:
            required_by.setdefault(other, []).append(address)
    # Reachable from one planned step and leading to another: only these can delay a step.
    between = _reached(taken, required_by) & _reached(taken, requires)
    between = {address for address in between if _may_change(request, steps, address)}
    if not between:
        return steps
    # Values that no step of this plan can change any more. A program that reads only these cannot change.
    known = {
        name: value
        for name, value in request.observed.items()
        if (giver := request.givers.get(name)) not in between and giver not in taken
    }
    readers = [
        address
        for address in request.wanted
        if address in between and _reads_other_values(request, address, known)
    ]
    added = {}
    for address in readers:
        record, placed = request.records[address], request.wanted[address]
        step = build_step(address, Action.RUN, placed, record, (), "a step before it may change its inputs")
        added[address] = replace(step, if_changed=True)
    return {**steps, **added}


def _reached(begin: Iterable[str], edges: Mapping[str, Sequence[str]]) -> set[str]:
    reached = {*begin}
    queue = [*reached]
    for address in queue:
        for other in edges.get(address, ()):
            if other not in reached:
                reached.add(other)
                queue.append(other)
    return reached


def _may_change(request: PlanRequest, steps: Mapping[str, PlannedStep], address: str) -> bool:
    """Tell whether a resource without a step is a program that could run again in this deployment."""
    placed, record = request.wanted.get(address), request.records.get(address)
    if placed is None or record is None or record.status is not RecordStatus.PRESENT:
        return False
    if address in steps or address in request.spent:
        return False
    if request.selected is not None and address not in request.selected:
        return False
    resource = placed.resource
    return placed.kind.runs and resource.late is not None and resource.established is None


def _reads_other_values(request: PlanRequest, address: str, known: Mapping[str, Value]) -> bool:
    """Tell whether the fields of a resource depend on more than the known values."""
    resource, record = request.wanted[address].resource, request.records[address]
    fields = [
        resolve_fields(resource, without_feedback(resource, values, request.givers, record, request.codec))
        for values in (request.observed, known)
    ]
    return fields[0] != fields[1]


def _with_reactions(request: PlanRequest, steps: dict[str, PlannedStep]) -> dict[str, PlannedStep]:
    """Add a step for each resource that reacts to a planned one; it runs only if the cause really changes
    something.

    A reaction is a change that others may react to, so the reactions are followed outwards from the steps.
    Each address is queued at most once, so cycles of reactions end.
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
            if address in request.spent:
                continue
            placed = request.wanted[address]
            if any(str(other) not in request.records for other in placed.resource.established or ()):
                continue
            step = steps.get(address)
            if step is None:
                causes = tuple(str(cause) for cause in placed.resource.reacts_to)
                step = build_step(
                    address, Action.RUN, placed, request.records.get(address), (), f"{key} changes"
                )
                steps[address] = replace(step, only_if=causes)
                queue.append(address)
    return steps
