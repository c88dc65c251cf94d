"""Leave for what a plan takes away: the record of a resource says what is run then, and a record may come from anywhere.

A folder of a stranger can hold a state, a state can be imported: that something is recorded gives no leave.
"""

from __future__ import annotations

from collections.abc import Iterator

from sabir.deployments.plan.steps import Plan
from sabir.deployments.problems import NO_LEAVE
from sabir.diagnostics.finding import Finding
from sabir.resources.step import Action
from sabir.session import Trust

__all__ = ["refused_deletions"]


def refused_deletions(plan: Plan, trust: Trust, file: str) -> Iterator[Finding]:
    """A finding for each step that would run or end what the record says, without leave for it. `file`: what they are about."""
    if trust.scripts:
        return
    for step in plan.steps:
        if step.action is Action.DELETE and step.placed.kind.code and step.does_something:
            message = f"{step.address} is a {step.placed.resource.kind}: taking it away does what is recorded for it"
            yield NO_LEAVE.about_file(file, message, hint="give --trust scripts when you trust it")
