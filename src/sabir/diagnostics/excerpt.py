"""The part of two examples that a reader wants to see: the files that differ, and in long ones the lines that do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from sabir.diagnostics.rules import Example

__all__ = ["differing_parts"]

_SHORT: Final = 12
"""A file of so many lines is shown whole."""
_CONTEXT: Final = 1
_GAP: Final = "…"
_LONGEST_LINE: Final = 120
_MOST_LINES: Final = 40


def differing_parts(bad: Example, good: Example) -> tuple[Example, Example]:
    """Both examples, cut down to what tells them apart; examples that do not differ are given as they are."""
    names = [name for name in dict.fromkeys((*bad, *good)) if bad.get(name) != good.get(name)]
    if not names:
        return _cut(bad), _cut(good)
    left: dict[str, str] = {}
    right: dict[str, str] = {}
    for name in names:
        if name in bad and name in good:
            left[name], right[name] = _changed_lines(bad[name], good[name])
        else:
            target, content = (left, bad[name]) if name in bad else (right, good[name])
            target[name] = _bounded(content.splitlines())
    # A side whose only difference is that a file is not there is shown by the files that are.
    return left or _overview(bad), right or _overview(good)


def _cut(example: Example) -> Example:
    return {name: _bounded(content.splitlines()) for name, content in example.items()}


def _overview(example: Example) -> Example:
    """Short files whole, of long ones the name."""
    return {
        name: content if content.count("\n") <= _SHORT else f"{_GAP}\n" for name, content in example.items()
    }


def _changed_lines(bad: str, good: str) -> tuple[str, str]:
    from difflib import SequenceMatcher

    old, new = bad.splitlines(), good.splitlines()
    if max(len(old), len(new)) <= _SHORT:
        return _bounded(old), _bounded(new)
    if max(len(old), len(new)) > 2000:  # comparing them would take longer than anybody wants to wait
        return _bounded(old), _bounded(new)
    wanted: tuple[set[int], set[int]] = (set(), set())
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            wanted[0].update(_around(old, start, end))
            wanted[1].update(_around(new, new_start, new_end))
    return _excerpt(old, wanted[0]), _excerpt(new, wanted[1])


def _around(lines: Sequence[str], start: int, end: int) -> Iterable[int]:
    """The lines of a change, those beside it, and the keys above under which it stands."""
    first, last = max(0, start - _CONTEXT), min(len(lines), end + _CONTEXT)
    yield from range(first, last)
    depth = min((_indent(lines[at]) for at in range(first, last) if lines[at].strip()), default=0)
    for at in range(first - 1, -1, -1):
        if depth == 0:
            return
        if lines[at].strip() and _indent(lines[at]) < depth:
            depth = _indent(lines[at])
            yield at


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _excerpt(lines: Sequence[str], wanted: set[int]) -> str:
    shown: list[str] = []
    before = -1
    for at in sorted(wanted):
        if at != before + 1:
            shown.append(" " * _indent(lines[at]) + _GAP)
        shown.append(lines[at])
        before = at
    if before != len(lines) - 1:
        shown.append(_GAP)
    return _bounded(shown)


def _bounded(lines: Sequence[str]) -> str:
    """The lines as a text, none too long and not too many: examples of hostile input are both."""
    shown = [line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + _GAP for line in lines]
    if len(shown) > _MOST_LINES:
        shown = [*shown[: _MOST_LINES - 1], _GAP]
    return "".join(f"{line}\n" for line in shown)
