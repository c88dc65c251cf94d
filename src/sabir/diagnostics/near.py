"""The near name: what the user may have meant."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

__all__ = ["did_you_mean", "is_respelt", "near", "only_near"]

_FEW: Final = 200
"""So many names are compared with all their letters."""


def near(name: str, names: Iterable[str]) -> str | None:
    """The known name closest to a misspelt one, or None when nothing is close.

    Close means: the same but for capitals and separators, another ending of the same word (`Property`, `Properties`), or at
    most a third of its letters edited (a swap of two neighbours counts as one edit).
    """
    return next(iter(_nearest(name, names)), None)


def only_near(name: str, names: Iterable[str]) -> str | None:
    """The near name when there is no second one as close: what a repair may write."""
    nearest = _nearest(name, names)
    return nearest[0] if len(nearest) == 1 else None


def is_respelt(name: str, other: str) -> bool:
    """Whether two names differ in capitals and separators only."""
    return _folded(name) == _folded(other)


def _nearest(name: str, names: Iterable[str]) -> list[str]:
    """The closest names, sorted; several when they are equally close."""
    wanted = _folded(name)
    best: list[str] = []
    bound = max(1, len(wanted) // 3) + 1
    for candidate in _likely(wanted, set(names), bound):
        folded = _folded(candidate)
        if candidate == name or abs(len(folded) - len(wanted)) > bound:
            continue
        distance = 0 if folded == wanted else _edits(wanted, folded, bound + 1)
        if distance < bound:
            best, bound = [candidate], distance
        elif distance == bound and best:
            best.append(candidate)
    return best if bound < len(wanted) else []


def _likely(wanted: str, names: set[str], bound: int) -> list[str]:
    """The names to compare with, sorted. Of very many only those that begin alike, and not too many of them.

    Whoever misspells a thousand names of a thousand must not wait for a million comparisons.
    """
    if len(names) <= _FEW:
        return sorted(names)
    shortest, longest, letter = len(wanted) - bound, len(wanted) + 2 * bound, wanted[:1]
    alike = [
        name for name in names if shortest <= len(name) <= longest and name[:1] in (letter, letter.upper())
    ]
    if len(alike) <= _FEW:
        return sorted(alike)
    alike.sort(key=_folded)
    middle = bisect_left(alike, wanted, key=_folded)
    beside = alike[max(0, middle - _FEW // 2) : middle + _FEW // 2]
    ending = [name for name in alike if name.endswith(wanted[-2:])]
    return sorted({*beside, *ending[:_FEW]})


def did_you_mean(name: str, names: Iterable[str]) -> str | None:
    """`did you mean 'X'?` ready to be a finding's hint, or None. Two that are equally close are both named."""
    nearest = _nearest(name, names)
    shown = nearest if len(nearest) == 2 else nearest[:1]
    return f"did you mean {' or '.join(map(repr, shown))}?" if shown else None


def _folded(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _edits(left: str, right: str, bound: int) -> int:
    stem = min(len(left), len(right)) - 1
    has_other_ending = stem >= 4 and left[:stem] == right[:stem] and abs(len(left) - len(right)) <= 3
    return 1 if has_other_ending else _distance(left, right, bound)


def _distance(left: str, right: str, bound: int) -> int:
    """Optimal string alignment distance; stops early and answers `bound` once it cannot be below."""
    before: list[int] = []
    previous = list(range(len(right) + 1))
    for row, char in enumerate(left, 1):
        current = [row]
        for column, other in enumerate(right, 1):
            cost = min(previous[column] + 1, current[-1] + 1, previous[column - 1] + (char != other))
            if row > 1 and column > 1 and char == right[column - 2] and left[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        if min(current) >= bound:
            return bound
        before, previous = previous, current
    return previous[-1]
