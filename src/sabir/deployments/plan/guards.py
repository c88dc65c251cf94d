"""What a plan may not do without being asked for by name: delete much, or what must not go."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from sabir.deployments.plan.steps import Plan
from sabir.resources.step import Action

__all__ = ["Guarded", "guarded"]

_SHARE: Final = 5
"""Deleting more than one in so many needs consent."""


class Guarded(Struct, frozen=True):
    """Why a plan needs consent, and the word that gives it when it is typed."""

    message: str
    word: str
    deleted: str
    """What the plan deletes, such as `all 4 resources` or `3 of 10 resources`."""


def guarded(plan: Plan, *, allowed: int | None) -> Guarded | None:
    """Whether the deletions of a plan need consent. `allowed`: so many are consented to; -1: any number."""
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
    return Guarded(
        message=f"this would delete {deleted}: give --allow-delete {deletions} (or all)",
        word=plan.environment,
        deleted=deleted,
    )
