"""Suggestions for misspelled names."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from heapq import nsmallest
from itertools import chain
from typing import Final

_FEW: Final = 60
"""So many names are compared with all their letters."""
_BESIDE: Final = 6
"""Of more names, so many before and behind the place where the misspelt one would stand."""
_MANY: Final = 500
_ALIKE: Final = 20
"""Of up to `_MANY` names also so many that have most letters in common with it, wherever these stand."""
_LONGEST: Final = 300
"""Nobody misspells a longer name by a letter or two, and to compare takes the square of its length."""


def suggest(name: str, *names: Iterable[str]) -> str | None:
    """The known name closest to a misspelt one, or None when nothing is close.

    Close means: the same but for capitals and separators, another ending of the same word (`Property`, `Properties`), or at
    most a third of its letters edited (a swap of two neighbours counts as one edit).

    Whoever asks often for the same thousands of names gives them as one `frozenset`, and other names beside it: it is
    sorted once.
    """
    return next(iter(_closest_names(name, names)), None)


def suggest_unique(name: str, *names: Iterable[str]) -> str | None:
    """Return the suggestion when no second one is equally close: what a fix may write."""
    nearest = _closest_names(name, names)
    return nearest[0] if len(nearest) == 1 else None


def did_you_mean(name: str, *names: Iterable[str]) -> str | None:
    """`did you mean 'X'?` ready to be a finding's hint, or None. Two that are equally close are both named."""
    nearest = _closest_names(name, names)
    shown = nearest if len(nearest) == 2 else nearest[:1]
    return f"did you mean {' or '.join(map(repr, shown))}?" if shown else None


def join_names(names: Iterable[str], most: int = 12) -> str:
    """Join available names for a hint; of very many, only the first ones."""
    words = list(names)
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def is_respelt(name: str, other: str) -> bool:
    """Return whether two names differ only in case and separators."""
    return _fold_name(name) == _fold_name(other)


def _closest_names(name: str, scopes: tuple[Iterable[str], ...]) -> list[str]:
    """The closest names, sorted; several when they are equally close."""
    wanted = _fold_name(name)
    if len(wanted) > _LONGEST:
        return []
    best: list[str] = []
    bound = max(1, len(wanted) // 3) + 1
    letters = _letter_bits(wanted)
    likely = [_index_names(frozenset(names)).likely(wanted, letters) for names in scopes]
    for folded, candidate, of_candidate in dict.fromkeys(chain.from_iterable(likely)):
        if candidate == name or abs(len(folded) - len(wanted)) > bound:
            continue
        if folded == wanted:
            edits = 0
        elif _has_other_ending(wanted, folded):
            edits = 1
        elif (of_candidate ^ letters).bit_count() > 2 * bound:
            continue
        else:
            edits = edit_distance(wanted, folded, bound + 1)
        if edits < bound:
            best, bound = [candidate], edits
        elif edits == bound and best:
            best.append(candidate)
    return sorted(best) if bound < len(wanted) else []


_Name = tuple[str, str, int]
"""Folded, as it is, and the set of its letters."""


class _Names:
    """Names in order, by their beginning and by their end."""

    def __init__(self, names: frozenset[str]) -> None:
        folded = ((_fold_name(name), name) for name in names)
        self._forwards: list[_Name] = sorted((plain, name, _letter_bits(plain)) for plain, name in folded)
        self._backwards = sorted((name[0][::-1], name) for name in self._forwards)

    def likely(self, wanted: str, letters: int) -> Iterable[_Name]:
        """The names to compare with; first those that begin or end most alike, of very many only these.

        Whoever misspells a thousand names of a thousand must not wait for a million comparisons.
        """
        names, reverse = self._forwards, self._backwards
        here = bisect_left(names, (wanted, "", 0))
        there = bisect_left(reverse, (wanted[::-1], ("", "", 0)))
        beside = names[max(0, here - _BESIDE) : here + _BESIDE]
        beside += [name for _, name in reverse[max(0, there - _BESIDE) : there + _BESIDE]]
        if len(names) <= _FEW:
            return [*beside, *names]
        if len(names) <= _MANY:
            return [*beside, *nsmallest(_ALIKE, names, key=lambda name: (name[2] ^ letters).bit_count())]
        return beside


@lru_cache(maxsize=16)
def _index_names(names: frozenset[str]) -> _Names:
    return _Names(names)


def _letter_bits(name: str) -> int:
    """The set of its letters as bits: an edit changes two of them at most."""
    bits = 0
    for char in name:
        bits |= 1 << (ord(char) & 63)
    return bits


def _fold_name(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _has_other_ending(left: str, right: str) -> bool:
    stem = min(len(left), len(right)) - 1
    return stem >= 4 and abs(len(left) - len(right)) <= 3 and left[:stem] == right[:stem]


def _strip_common(left: str, right: str) -> tuple[str, str]:
    """Both without what they begin and end with alike: no edit is needed there."""
    end = min(len(left), len(right))
    start = 0
    while start < end and left[start] == right[start]:
        start += 1
    left, right, end = left[start:], right[start:], end - start
    behind = 0
    while behind < end and left[-1 - behind] == right[-1 - behind]:
        behind += 1
    return left[: len(left) - behind], right[: len(right) - behind]


def edit_distance(left: str, right: str, bound: int) -> int:
    """Optimal string alignment distance; stops early and answers `bound` once it cannot be below."""
    left, right = _strip_common(left, right)
    width = len(right)
    before: list[int] = []
    previous = list(range(width + 1))
    for row, char in enumerate(left, 1):
        # Cells further than the bound from the diagonal cannot lead below it.
        first, last = max(1, row - bound + 1), min(width, row + bound - 1)
        current = [row if first == 1 else bound] * first + [bound] * (width - first + 1)
        least = current[first - 1]
        for column in range(first, last + 1):
            other = right[column - 1]
            cost = (
                previous[column - 1]
                if char == other
                else 1 + min(previous[column - 1], previous[column], current[column - 1])
            )
            if (
                char != other
                and row > 1
                and column > 1
                and char == right[column - 2]
                and left[row - 2] == other
            ):
                cost = min(cost, before[column - 2] + 1)
            current[column] = cost
            if cost < least:
                least = cost
        if least >= bound:
            return bound
        before, previous = previous, current
    return min(previous[width], bound)
