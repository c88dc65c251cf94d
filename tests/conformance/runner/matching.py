"""Pairing without regard to order: every expectation gets a partner of its own that fits it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["pair_up", "unpaired"]

E = TypeVar("E")
A = TypeVar("A")


def pair_up(expected: Sequence[E], actual: Sequence[A], fits: Callable[[E, A], bool]) -> dict[int, int]:
    """A largest pairing (index of expected to index of actual), found by augmenting paths.

    Taking the first that fits would not do: an entry that accepts any line could take the partner of one that does not.
    """
    candidates = [[index for index, other in enumerate(actual) if fits(one, other)] for one in expected]
    taken: dict[int, int] = {}

    def place(index: int, tried: set[int]) -> bool:
        for candidate in candidates[index]:
            if candidate in tried:
                continue
            tried.add(candidate)
            if candidate not in taken or place(taken[candidate], tried):
                taken[candidate] = index
                return True
        return False

    for index in range(len(expected)):
        place(index, set())
    return {index: candidate for candidate, index in taken.items()}


def unpaired(
    expected: Sequence[E], actual: Sequence[A], fits: Callable[[E, A], bool]
) -> tuple[list[E], list[A]]:
    """What is left on either side after pairing."""
    pairs = pair_up(expected, actual, fits)
    used = set(pairs.values())
    return (
        [one for index, one in enumerate(expected) if index not in pairs],
        [other for index, other in enumerate(actual) if index not in used],
    )
