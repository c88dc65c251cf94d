"""What cannot go back when an earlier wish is deployed again: what was run stays done, and what is taken away is gone."""

from __future__ import annotations

from collections.abc import Iterator

from sabir.deployments.plan.steps import Plan, PlannedStep
from sabir.resources.step import Action

__all__ = ["cannot_go_back"]


def cannot_go_back(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Addresses, each with what stays as it is or is lost for good."""
    return tuple(told for step in plan.steps for told in _told(step))


def _told(step: PlannedStep) -> Iterator[tuple[str, str]]:
    kind = step.placed.kind
    if kind.runs and step.action is Action.DELETE:
        if step.placed.resource.desired.get("undo") is None:
            yield step.address, "what it did stays done: nothing says how to undo it"
    elif kind.runs and step.record is not None:
        yield step.address, "what it did is not undone: it is run again as it was then"
    elif step.left is not None:
        return
    elif step.action is Action.DELETE and not step.replaces:
        yield step.address, "it goes, with the data in it"
    elif step.action is Action.DELETE:
        yield step.address, "it is made anew, without the data in it"
