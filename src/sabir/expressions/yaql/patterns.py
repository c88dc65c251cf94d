"""The regular expressions of YAQL, none of which runs for ever: what may be slow runs in a process of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from sabir.expressions.patterns import PatternFailed, PatternTooSlow, ResultTooLong, is_cheap, run_apart
from sabir.expressions.yaql.errors import LimitExceeded, YaqlRuntimeError

__all__ = ["Found", "find", "find_all", "split", "substitute"]

Pattern = re.Pattern[str]


class Found(Struct, frozen=True, eq=False):
    """One match: the text and the spans of the whole and of each group; (-1, -1) for a group that took no part."""

    text: str
    spans: tuple[tuple[int, int], ...]

    def group(self, number: int = 0) -> str | None:
        start, end = self.spans[number]
        return None if start < 0 else self.text[start:end]


def find(pattern: Pattern, text: str) -> Found | None:
    if is_cheap(pattern, text):
        match = pattern.search(text)
        return Found(text, match.regs) if match else None
    spans = _far("all", pattern, text, count=1)
    return Found(text, _as_spans(spans[0])) if spans else None


def find_all(pattern: Pattern, text: str) -> Iterator[Found]:
    if is_cheap(pattern, text):
        return (Found(text, match.regs) for match in pattern.finditer(text))
    return iter([Found(text, _as_spans(spans)) for spans in _far("all", pattern, text)])


def split(pattern: Pattern, text: str, count: int) -> list[Any]:
    if is_cheap(pattern, text):
        return pattern.split(text, count)
    result: list[Any] = _far("split", pattern, text, count=count)
    return result


def substitute(pattern: Pattern, text: str, template: str, *, count: int, quota: int) -> str:
    """Replaces matches. Refuses a result that would take more than the quota before it is built."""
    try:
        if not is_cheap(pattern, text):
            result: str = _far("sub", pattern, text, template=template, count=count, quota=quota)
            return result
        size = len(text)
        for number, match in enumerate(pattern.finditer(text), 1):
            size += len(match.expand(template))
            if size > quota:
                raise LimitExceeded("the text after the replacement would be too long")
            if number == count:
                break
        return pattern.sub(template, text, count)
    except (re.error, IndexError) as problem:
        raise YaqlRuntimeError(f"{template!r} is not a replacement: {problem}") from problem


def _as_spans(spans: list[list[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in spans)


def _far(
    what: str, pattern: Pattern, text: str, *, count: int = 0, template: str = "", quota: int = 0
) -> Any:
    try:
        return run_apart(what, pattern, text, count=count, template=template, quota=quota)
    except (PatternTooSlow, ResultTooLong) as problem:
        raise LimitExceeded(str(problem)) from None
    except PatternFailed as problem:
        raise YaqlRuntimeError(str(problem)) from None
