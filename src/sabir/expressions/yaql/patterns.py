"""The regular expressions of YAQL, none of which runs for ever."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

from msgspec import Struct

from sabir.expressions.patterns import Match, PatternRefused, ResultTooLong, bounded
from sabir.expressions.patterns import substitute as replace_matches
from sabir.expressions.yaql.errors import LimitExceeded, YaqlRuntimeError

__all__ = ["Found", "find", "find_all", "split_text", "substitute"]

Pattern = re.Pattern[str]


class Found(Struct, frozen=True, eq=False):
    """One match: the text and the spans of the whole and of each group; (-1, -1) for a group that took no part."""

    text: str
    spans: tuple[tuple[int, int], ...]

    def group(self, number: int = 0) -> str | None:
        start, end = self.spans[number]
        return None if start < 0 else self.text[start:end]


@contextmanager
def _limited() -> Generator[None]:
    try:
        yield
    except (PatternRefused, ResultTooLong) as problem:
        raise LimitExceeded(str(problem)) from None


def find(pattern: Pattern, text: str) -> Found | None:
    with _limited():
        match = bounded(pattern, text).search(text)
    return None if match is None else _found(text, match)


def find_all(pattern: Pattern, text: str) -> Iterator[Found]:
    with _limited():
        for match in bounded(pattern, text).finditer(text):
            yield _found(text, match)


def _found(text: str, match: Match) -> Found:
    return Found(text, match.regs)


def split_text(pattern: Pattern, text: str, count: int) -> list[Any]:
    with _limited():
        return bounded(pattern, text).split(text, count)


def substitute(pattern: Pattern, text: str, template: str, *, count: int, quota: int) -> str:
    """Replaces matches. Refuses a result that would take more than the quota before it is built."""
    try:
        with _limited():
            return replace_matches(pattern, text, template, count=count, most=quota)
    except (re.error, IndexError) as problem:
        raise YaqlRuntimeError(f"{template!r} is not a replacement: {problem}") from problem
