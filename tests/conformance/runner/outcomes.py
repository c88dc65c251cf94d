"""Cases with several right outcomes: one of them is enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["compare_outcomes", "shown_outcomes"]

Outcome = dict[str, Any]


def compare_outcomes(outcomes: Sequence[Outcome], compare: Callable[[Outcome], list[str]]) -> list[str]:
    """Nothing when an outcome fits; else what differs from each."""
    differences = [compare(outcome) for outcome in outcomes]
    if not all(differences):
        return []
    if len(differences) == 1:
        return differences[0]
    return [f"outcome {number}: {text}" for number, texts in enumerate(differences, 1) for text in texts]


def shown_outcomes(outcomes: Sequence[Outcome]) -> Outcome | list[Outcome]:
    """For people to read: a single outcome stands alone."""
    return outcomes[0] if len(outcomes) == 1 else list(outcomes)
