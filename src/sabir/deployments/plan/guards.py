"""Guards of a plan: deletions that need confirmation or permission, and changes that a rollback cannot undo.

Deleting runs what the record of a resource says (the `undo` of a script, for example). A record is not
evidence of permission: an untrusted directory can contain a state, and a state can be imported. So these
deletions need `--trust`, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from sabir.deployments.placement import MISSING_PERMISSION
from sabir.deployments.plan.steps import Plan, PlannedStep
from sabir.diagnostics.finding import Finding
from sabir.resources.step import Action
from sabir.session import Trust

_SHARE: Final = 5
"""Deleting more than one in this many resources needs confirmation."""


class DeletionGuard(Struct, frozen=True):
    """Why a plan needs confirmation, and the word to type for it."""

    message: str
    word: str
    deleted: str
    """What the plan deletes, such as `all 4 resources` or `3 of 10 resources`."""


def find_guard(plan: Plan, *, allowed: int | None) -> DeletionGuard | None:
    """Return the guard if the deletions of a plan need confirmation; None if they do not.

    `allowed` is the number of deletions that were confirmed in advance; -1: any number. Replacements and
    resources that are only forgotten do not count. Up to a fifth of the recorded resources may be deleted
    without confirmation.
    """
    deletions = sum(
        step.action is Action.DELETE and not step.replaces and step.left is None for step in plan.steps
    )
    if not deletions or allowed == -1 or (allowed is not None and deletions <= allowed):
        return None
    if deletions * _SHARE <= plan.recorded:
        return None
    if deletions < plan.recorded:
        deleted = f"{deletions} of {plan.recorded} resources"
    else:
        deleted = "the only resource" if deletions == 1 else f"all {deletions} resources"
    return DeletionGuard(
        message=f"this would delete {deleted}: give --allow-delete {deletions} (or all)",
        word=plan.environment,
        deleted=deleted,
    )


def find_irreversible(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Return the addresses whose steps cannot be undone, each with what is lost or not undone."""
    return tuple(told for step in plan.steps for told in _describe_loss(step))


def _describe_loss(step: PlannedStep) -> Iterator[tuple[str, str]]:
    """Yield what a step loses: at most one entry."""
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


def report_denied_deletions(plan: Plan, trust: Trust, file: str) -> Iterator[Finding]:
    """Yield a finding for each deletion that would run recorded code without permission.

    `file` is the project that the findings are about.
    """
    if trust.scripts:
        return
    for step in plan.steps:
        if step.action is Action.DELETE and step.placed.kind.code and step.does_something:
            message = f"{step.address} is a {step.placed.resource.kind}: taking it away does what is recorded for it"
            yield MISSING_PERMISSION.about_file(file, message, hint="give --trust scripts when you trust it")
