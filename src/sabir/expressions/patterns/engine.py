"""Running regular expressions of users so that none of them runs for ever, on any thread.

Python's engine backtracks and cannot be stopped: `(a+)+$` on thirty characters takes minutes. So the cost is estimated first.
What is surely cheap runs as it is, which is nearly everything and twice as fast; the rest runs in the engine of the package
`regex`, which stops itself, in a form that means the same there (`rewriting`). What has no such form is refused. Possessive
repetitions that `re` has faults with never run in `re` (`cost`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from sabir.errors import ExpressionError
from sabir.expressions.patterns.syntax import is_cheap
from sabir.expressions.patterns.translation import UnwritablePatternError, rewrite_pattern

Pattern = re.Pattern[str]
Match = re.Match[str]
"""Those of the other engine answer the same questions."""

_SECONDS: Final = 0.4


class PatternRefusedError(ExpressionError):
    """A regular expression did not come to an end on a text, or might not and cannot be stopped."""


class ResultTooLongError(ExpressionError):
    """The text after a replacement would be longer than allowed."""


def guard_pattern(pattern: Pattern, text: str) -> Pattern | _TimedPattern:
    """The pattern to ask about this text."""
    return pattern if is_cheap(pattern, text) else build_timed_pattern(pattern, text)


def matches_start(pattern: Pattern, text: str) -> bool:
    """Whether the beginning of a text matches. Raises `PatternRefused`."""
    return guard_pattern(pattern, text).match(text) is not None


def matches_whole(pattern: Pattern, text: str) -> bool:
    """Whether all of a text matches. Raises `PatternRefused`."""
    return guard_pattern(pattern, text).fullmatch(text) is not None


def substitute_matches(pattern: Pattern, text: str, template: str, *, count: int = 0, most: int) -> str:
    """The text with its matches replaced; `ResultTooLong` before more than `most` characters are made.

    Raises what `re` raises for a template that is none.
    """
    # Read by Python's rules, whichever engine matches. The pattern itself does not run.
    _template_pieces(template, pattern)
    parts: list[str] = []
    size, at = len(text), 0
    for number, match in enumerate(guard_pattern(pattern, text).finditer(text), 1):
        written = _expand_template(match, template, pattern)
        size += len(written)
        if size > most:
            raise ResultTooLongError("the text after the replacement would be too long")
        start, end = match.span()
        parts += (text[at:start], written)
        at = end
        if number == count:
            break
    return "".join((*parts, text[at:]))


def _expand_template(match: Match, template: str, pattern: Pattern) -> str:
    if isinstance(match, re.Match):
        return match.expand(template)
    # The other engine reads templates in its own way, and knows no names of groups here: each group is filled in by number.
    pieces = _template_pieces(template, pattern)
    return "".join(match.group(int(piece)) or "" if n % 2 else piece for n, piece in enumerate(pieces))


@lru_cache(maxsize=64)
def _template_pieces(template: str, pattern: Pattern) -> tuple[str, ...]:
    """Literal texts and, between them, numbers of groups.

    Python expands the template for a match whose groups are their own numbers between marks, so that it alone reads it.
    """
    mark = next(character for character in map(chr, range(0xE000, 0xF900)) if character not in template)
    names = {number: f"?P<{name}>" for name, number in pattern.groupindex.items()}
    whole, *numbers = (f"{mark}{number}{mark}" for number in range(pattern.groups + 1))
    groups = "".join(f"({names.get(n, '')}{number})" for n, number in enumerate(numbers, 1))
    # What stands in the lookahead has groups and is not a part of group 0.
    match = re.match(f"{whole}(?={groups})", whole + "".join(numbers))
    assert match is not None
    return tuple(match.expand(template).split(mark))


class _TimedPattern:
    """A pattern in the engine that stops itself."""

    def __init__(self, pattern: str, compiled: Any) -> None:
        self._pattern = pattern
        self._compiled = compiled

    def match(self, string: str, /) -> Match | None:
        answer: Match | None = self._call_engine("match", string)
        return answer

    def fullmatch(self, string: str, /) -> Match | None:
        answer: Match | None = self._call_engine("fullmatch", string)
        return answer

    def search(self, string: str, /) -> Match | None:
        answer: Match | None = self._call_engine("search", string)
        return answer

    def findall(self, string: str, /) -> list[Any]:
        """As Python has it: the texts of the one group, tuples of several, else the whole matches."""
        return [_match_value(match) for match in self.finditer(string)]

    def split(self, string: str, /, maxsplit: int = 0) -> list[Any]:
        parts: list[Any] = []
        at = 0
        for number, match in enumerate(self.finditer(string), 1):
            parts += (string[at : match.start()], *match.groups())
            at = match.end()
            if number == maxsplit:
                break
        return [*parts, string[at:]]

    def finditer(self, string: str, /) -> Iterator[Match]:
        try:
            yield from self._compiled.finditer(string, timeout=_SECONDS)
        except TimeoutError:
            raise self._too_slow() from None

    def _call_engine(self, method: str, *arguments: Any) -> Any:
        try:
            return getattr(self._compiled, method)(*arguments, timeout=_SECONDS)
        except TimeoutError:
            raise self._too_slow() from None
        except MemoryError:
            raise PatternRefusedError(
                f"{_describe_pattern(self._pattern)} takes too much memory on this text"
            ) from None

    def _too_slow(self) -> PatternRefusedError:
        return PatternRefusedError(f"{_describe_pattern(self._pattern)} takes too long on this text")


def _match_value(match: Match) -> Any:
    groups = match.groups("")
    return match.group() if not groups else groups[0] if len(groups) == 1 else groups


def _describe_pattern(pattern: str) -> str:
    return f"the regular expression {pattern if len(pattern) <= 60 else pattern[:57] + '…'!r}"


def build_timed_pattern(pattern: Pattern, text: str) -> _TimedPattern:
    """The pattern in the engine that stops itself, for a text."""
    return _compile_timed(pattern.pattern, pattern.flags, text.isascii())


@lru_cache(maxsize=512)
def _compile_timed(pattern: str, flags: int, for_ascii: bool) -> _TimedPattern:  # noqa: FBT001  # keys of the cache
    import regex  # few texts need it

    try:
        written = rewrite_pattern(pattern, flags, for_ascii=for_ascii)
        return _TimedPattern(pattern, regex.compile(written, regex.VERSION0))
    except (UnwritablePatternError, regex.error, RecursionError, OverflowError):
        raise PatternRefusedError(
            f"{_describe_pattern(pattern)} might take for ever on this text, and has parts that cannot be stopped"
        ) from None
