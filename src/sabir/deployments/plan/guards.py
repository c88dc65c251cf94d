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


def guarded(plan: Plan, *, allowed: int | None) -> Guarded | None:
    """Whether the deletions of a plan need consent. `allowed`: so many are consented to; -1: any number."""
    deletions = sum(
        step.action is Action.DELETE and not step.replaces and step.left is None for step in plan.steps
    )
    if not deletions or allowed == -1 or (allowed is not None and deletions <= allowed):
        return None
    if deletions * _SHARE <= plan.recorded:
        return None
    share = "all" if deletions == plan.recorded else f"{deletions} of {plan.recorded}"
    things = "resource" if plan.recorded == 1 else "resources"
    return Guarded(
        f"this would delete {share} {'' if share != 'all' else f'{plan.recorded} '}{things}: "
        f"give --allow-delete {deletions} (or all)",
        plan.environment,
    )
