"""From wanted resources and recorded ones to the steps between them.

Each resource is judged by itself first (`judging.py`): nothing to do, or one of the actions, with a reason. Then the order is
laid over the steps: what is required comes before, what goes away goes in the reverse of the order it came in, and what reacts
to a change comes after it. Everything is linear in the resources and their requirements.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from sabir.deployments.plan.judging import Judge, planned_step
from sabir.deployments.plan.order import Ordered, ordered
from sabir.deployments.plan.request import PlanRequest
from sabir.deployments.plan.steps import Plan, PlannedStep
from sabir.deployments.store.records import RecordStatus
from sabir.resources.step import Action
from sabir.source.collector import collector_paused

__all__ = ["build_plan"]


@collector_paused()
def build_plan(request: PlanRequest) -> Plan:
    """All steps in an order in which they can be taken one after the other."""
    judge = Judge(request)
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
                step = planned_step(
                    address, Action.RUN, placed, request.records.get(address), (), f"{key} changes"
                )
                steps[address] = replace(step, only_if=causes)
                queue.append(address)
    return steps
