"""Running regular expressions of users so that none of them runs for ever, on any thread.

Python's engine backtracks and cannot be stopped: `(a+)+$` on thirty characters takes minutes. So the cost is estimated first.
What is surely cheap runs as it is, which is nearly everything and twice as fast; the rest runs in the engine of the package
`regex`, which stops itself. Python's `re` says what is a pattern in both cases, and what `regex` would read as an extension of
its own is escaped, so that a pattern means the same wherever it runs. One difference is known: to Python the separators
`\\x1c` to `\\x1f` are white space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

__all__ = ["Match", "PatternTooSlow", "ResultTooLong", "bounded", "is_cheap", "matches_start", "substitute"]

Pattern = re.Pattern[str]
Match = re.Match[str]
"""Those of the other engine answer the same questions."""

_CHEAP = 20_000_000  # steps that surely take less than a second
_SECONDS = 1.0
_MAX_NESTED = 18  # characters; a nested repetition may take two to that power of steps


class PatternTooSlow(Exception):
    """A regular expression did not come to an end on a text."""

    def __init__(self, pattern: str) -> None:
        super().__init__(f"the regular expression {pattern!r} takes more than a second on this text")


class ResultTooLong(Exception):
    """The text after a replacement would be longer than allowed."""


def bounded(pattern: Pattern, text: str) -> Pattern | _Stopping:
    """The pattern to ask about this text."""
    return pattern if is_cheap(pattern, text) else _stopping(pattern.pattern, pattern.flags)


def matches_start(pattern: Pattern, text: str) -> bool:
    """Whether the beginning of a text matches. Raises `PatternTooSlow`."""
    return bounded(pattern, text).match(text) is not None


def substitute(pattern: Pattern, text: str, template: str, *, count: int = 0, most: int) -> str:
    """The text with its matches replaced; `ResultTooLong` before more than `most` characters are made.

    Raises what `re` raises for a template that is none.
    """
    pattern.sub(template, "")  # the template is read by Python's rules, whichever engine matches
    parts: list[str] = []
    size, at = len(text), 0
    for number, match in enumerate(bounded(pattern, text).finditer(text), 1):
        written = match.expand(template)
        size += len(written)
        if size > most:
            raise ResultTooLong("the text after the replacement would be too long")
        start, end = match.span()
        parts += (text[at:start], written)
        at = end
        if number == count:
            break
    return "".join((*parts, text[at:]))


class _Stopping:
    """A pattern in the engine that stops itself."""

    def __init__(self, pattern: str, compiled: Any) -> None:
        self._pattern = pattern
        self._compiled = compiled

    def match(self, string: str, /) -> Match | None:
        answer: Match | None = self._asked("match", string)
        return answer

    def search(self, string: str, /) -> Match | None:
        answer: Match | None = self._asked("search", string)
        return answer

    def findall(self, string: str, /) -> list[Any]:
        answer: list[Any] = self._asked("findall", string)
        return answer

    def split(self, string: str, /, maxsplit: int = 0) -> list[Any]:
        answer: list[Any] = self._asked("split", string, maxsplit)
        return answer

    def finditer(self, string: str, /) -> Iterator[Match]:
        try:
            yield from self._compiled.finditer(string, timeout=_SECONDS)
        except TimeoutError:
            raise PatternTooSlow(self._pattern) from None

    def _asked(self, method: str, *arguments: Any) -> Any:
        try:
            return getattr(self._compiled, method)(*arguments, timeout=_SECONDS)
        except TimeoutError:
            raise PatternTooSlow(self._pattern) from None


@lru_cache(maxsize=512)
def _stopping(pattern: str, flags: int) -> _Stopping:
    import regex  # few texts need it

    same = (re.IGNORECASE, re.MULTILINE, re.DOTALL, re.VERBOSE, re.UNICODE)
    wanted = regex.VERSION0 | (regex.ASCII if flags & re.ASCII else 0)
    for flag in same:
        wanted |= flags & flag
    try:
        return _Stopping(pattern, regex.compile(_without_extensions(pattern), wanted))
    except regex.error:
        # What only Python's engine reads cannot be stopped, and it may need to be.
        raise PatternTooSlow(pattern) from None


@cache
def _token() -> Pattern:
    return re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(|\)|\||[*+]|\{\d*,?\d*\}|.", re.DOTALL)


def _without_extensions(pattern: str) -> str:
    """The pattern as `regex` has to read it to mean what it means to Python.

    There `x{e}` is a match with errors, `[[:alpha:]]` a class of characters, and `{,3}` not a repetition everywhere.
    """
    return "".join(map(_translated, (match.group() for match in _token().finditer(pattern))))


def _translated(token: str) -> str:
    if token[0] == "[" and len(token) > 1:
        return "[" + re.sub(
            r"\\.|\[", lambda part: r"\[" if part[0] == "[" else part[0], token[1:], flags=re.DOTALL
        )
    if token in ("{", "{}"):
        return token.replace("{", r"\{")
    if token[0] == "{":
        return "{0" + token[1:] if token[1] == "," else token
    return token


def is_cheap(pattern: Pattern, text: str) -> bool:
    size = len(text)
    nested, repeats = _repetitions(pattern.pattern)
    if nested:
        return size <= _MAX_NESTED
    return repeats == 0 or (size + 1) ** (repeats + 1) <= _CHEAP


@lru_cache(maxsize=512)
def _repetitions(pattern: str) -> tuple[bool, int]:
    """Whether a repetition lies within a repetition (or a choice does), and how many repetitions there are."""
    nested, repeats = False, 0
    groups = [False]  # for each open group: whether it holds a repetition or a choice
    closed = False  # whether the group just closed does
    for match in _token().finditer(pattern):
        token = match.group()
        if token == "(":
            groups.append(False)
        elif token == ")" and len(groups) > 1:
            closed = groups.pop()
            groups[-1] = groups[-1] or closed
            continue
        elif token == "|":
            groups[-1] = True
        elif token in "*+" or (token[0] == "{" and token[-1] == "}" and len(token) > 2):
            repeats += 1
            nested = nested or closed
            groups[-1] = True
        closed = False
    return nested, repeats
