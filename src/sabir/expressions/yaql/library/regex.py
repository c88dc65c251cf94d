"""YAQL functions of regular expressions, each of which runs in bounded time and memory."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

from msgspec import Struct

from sabir.expressions.patterns import (
    Match,
    PatternError,
    PatternRefusedError,
    ResultTooLongError,
    compile_pattern,
    guard_pattern,
)
from sabir.expressions.patterns import substitute_matches as replace_matches
from sabir.expressions.yaql.errors import LimitExceeded, YaqlRuntimeError
from sabir.expressions.yaql.functions import LAMBDA, Library
from sabir.expressions.yaql.kinds import BOOL, INT, KINDS, NULL, PATTERN, STRING
from sabir.expressions.yaql.limits import YaqlLimits
from sabir.expressions.yaql.scope import Lambda, Variables

Pattern = re.Pattern[str]


class RegexMatch(Struct, frozen=True, eq=False):
    """A match: the text, and the spans of the whole match and of each group.

    (-1, -1) for an unused group.
    """

    text: str
    spans: tuple[tuple[int, int], ...]

    def group(self, number: int = 0) -> str | None:
        """Return the text of a group; None for one that took no part in the match."""
        start, end = self.spans[number]
        return None if start < 0 else self.text[start:end]


@contextmanager
def _translate_refusals() -> Generator[None]:
    try:
        yield
    except (PatternRefusedError, ResultTooLongError) as problem:
        raise LimitExceeded(str(problem)) from None


def find_match(pattern: Pattern, text: str) -> RegexMatch | None:
    """Return the first match, or None. Raises `LimitExceeded` for a pattern that takes too long."""
    with _translate_refusals():
        match = guard_pattern(pattern, text).search(text)
    return None if match is None else _build_match(text, match)


def find_all(pattern: Pattern, text: str) -> Iterator[RegexMatch]:
    """Yield all matches. Raises `LimitExceeded` for a pattern that takes too long."""
    with _translate_refusals():
        for match in guard_pattern(pattern, text).finditer(text):
            yield _build_match(text, match)


def _build_match(text: str, match: Match) -> RegexMatch:
    return RegexMatch(text, match.regs)


def split_text(pattern: Pattern, text: str, count: int) -> list[Any]:
    """Split a text at the matches, at most `count` times; 0 means everywhere."""
    with _translate_refusals():
        return guard_pattern(pattern, text).split(text, count)


def substitute_text(pattern: Pattern, text: str, template: str, *, count: int, quota: int) -> str:
    """Replace matches by a template.

    Raises `LimitExceeded` before a result larger than the quota is built.

    Raises `YaqlRuntimeError` if the template is invalid or names an unknown group.
    """
    try:
        with _translate_refusals():
            return replace_matches(pattern, text, template, count=count, most=quota)
    except (re.error, IndexError) as problem:
        raise YaqlRuntimeError(f"{template!r} is not a replacement: {problem}") from problem


FUNCTIONS = Library()

_FLAG = BOOL | NULL


def compile_regex(pattern: str, flags: int = 0) -> Pattern:
    """Compile a pattern; raise `YaqlRuntimeError` if it is not a regular expression."""
    try:
        return compile_pattern(pattern, flags)
    except PatternError as problem:
        raise YaqlRuntimeError(f"{pattern!r} is not a regular expression: {problem}") from problem


@FUNCTIONS.function("regex", STRING, _FLAG, _FLAG, _FLAG)
def regex(
    pattern: str,
    ignore_case: bool = False,  # noqa: FBT001, FBT002 - parameters of YAQL
    multi_line: bool = False,  # noqa: FBT001, FBT002
    dot_all: bool = False,  # noqa: FBT001, FBT002
) -> Pattern:
    """Compile a pattern with the given flags."""
    flags = re.IGNORECASE if ignore_case else re.UNICODE
    if multi_line:
        flags |= re.MULTILINE
    if dot_all:
        flags |= re.DOTALL
    return compile_regex(pattern, flags)


@FUNCTIONS.method("matches", PATTERN, STRING)
def matches(regexp: Pattern, string: str) -> bool:
    """Return whether the pattern matches anywhere in the string."""
    return find_match(regexp, string) is not None


@FUNCTIONS.method("matches", STRING, STRING)
def matches_text(string: str, regexp: str) -> bool:
    """Return whether the pattern, given as a string, matches anywhere in the string."""
    return matches(compile_regex(regexp), string)


@FUNCTIONS.operator("=~", STRING, PATTERN)
def is_like(string: str, regexp: Pattern) -> bool:
    """Return whether the pattern matches anywhere in the string."""
    return matches(regexp, string)


@FUNCTIONS.operator("=~", STRING, STRING)
def is_like_text(string: str, pattern: str) -> bool:
    """Return whether the pattern, given as a string, matches anywhere in the string."""
    return matches(compile_regex(pattern), string)


@FUNCTIONS.operator("!~", STRING, PATTERN)
def is_unlike(string: str, regexp: Pattern) -> bool:
    """Return whether the pattern matches nowhere in the string."""
    return not matches(regexp, string)


@FUNCTIONS.operator("!~", STRING, STRING)
def is_unlike_text(string: str, pattern: str) -> bool:
    """Return whether the pattern, given as a string, matches nowhere in the string."""
    return not matches(compile_regex(pattern), string)


def _match_variables(variables: Variables, regexp: Pattern, match: RegexMatch) -> Variables:
    """Return the variables with `$` for the match, `$2`, `$3` … for its groups, and named groups by name."""
    result = {**variables, "$": _group_record(match, 0)}
    for number in range(1, regexp.groups + 1):
        result[str(number + 1)] = _group_record(match, number)
    for name, number in regexp.groupindex.items():
        result[name] = _group_record(match, number)
    return result


def _group_record(match: RegexMatch, group: int) -> dict[str, Any]:
    start, end = match.spans[group]
    return {"value": match.group(group), "start": start, "end": end}


@FUNCTIONS.method("search", PATTERN, STRING, LAMBDA)
def search(variables: Variables, regexp: Pattern, string: str, selector: Lambda | None = None) -> Any:
    """Return the first match or the selector's value of it; null if there is none."""
    match = find_match(regexp, string)
    if match is None:
        return None
    return match.group() if selector is None else selector.within(_match_variables(variables, regexp, match))


@FUNCTIONS.method("searchAll", PATTERN, STRING, LAMBDA)
def search_all(
    variables: Variables, regexp: Pattern, string: str, selector: Lambda | None = None
) -> Iterator[Any]:
    """Yield each match or the selector's value of it."""
    kept = variables.copy()
    for match in find_all(regexp, string):
        yield match.group() if selector is None else selector.within(_match_variables(kept, regexp, match))


@FUNCTIONS.method("split", PATTERN, STRING, INT)
def split(regexp: Pattern, string: str, max_split: int = 0) -> list[Any]:
    """Split a string at the matches; the texts of groups are included, as in Python."""
    return split_text(regexp, string, max_split)


@FUNCTIONS.method("split", STRING, PATTERN, INT)
def split_string(string: str, regexp: Pattern, max_split: int = 0) -> list[Any]:
    """Split a string at the matches, with the string as receiver."""
    return split(regexp, string, max_split)


@FUNCTIONS.method("replace", PATTERN, STRING, STRING, INT)
def replace(limits: YaqlLimits, regexp: Pattern, string: str, repl: str, count: int = 0) -> str:
    """Replace up to `count` matches by a template; 0 means all."""
    return substitute_text(regexp, string, repl, count=count, quota=limits.quota)


@FUNCTIONS.method("replace", STRING, PATTERN, STRING, INT)
def replace_string(limits: YaqlLimits, string: str, regexp: Pattern, repl: str, count: int = 0) -> str:
    """Replace matches by a template, with the string as receiver."""
    return replace(limits, regexp, string, repl, count)


@FUNCTIONS.method("replaceBy", PATTERN, STRING, LAMBDA, INT)
def replace_by(
    limits: YaqlLimits, variables: Variables, regexp: Pattern, string: str, repl: Lambda, count: int = 0
) -> str:
    """Replace up to `count` matches by the value of a lambda; 0 means all."""
    parts: list[str] = []
    size, at = len(string), 0
    for number, match in enumerate(find_all(regexp, string), 1):
        start, end = match.spans[0]
        written = _as_text(repl.within(_match_variables(variables, regexp, match)))
        size += len(written)
        limits.check_bits(size * 8)
        parts += (string[at:start], written)
        at = end
        if number == count:
            break
    return "".join((*parts, string[at:]))


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise YaqlRuntimeError("the replacement is not a string")
    return value


@FUNCTIONS.method("replaceBy", STRING, PATTERN, LAMBDA, INT)
def replace_string_by(
    limits: YaqlLimits, variables: Variables, string: str, regexp: Pattern, repl: Lambda, count: int = 0
) -> str:
    """Replace matches by the value of a lambda, with the string as receiver."""
    return replace_by(limits, variables, regexp, string, repl, count)


@FUNCTIONS.function("escapeRegex", STRING)
def escape_regex(string: str) -> str:
    """Escape the special characters of a string, so that it matches itself."""
    return re.escape(string)


@FUNCTIONS.function("isRegex")
def is_regex(value: Any) -> bool:
    return KINDS[type(value)] == PATTERN
