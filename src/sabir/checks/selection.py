"""Selection of findings by rule code, and of the files to check.

Codes are selected by `--select`, `--ignore`, `--extend-select` and the settings of the same names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import parse_code
from sabir.errors import UsageError
from sabir.lazy import lazy_pattern

_pattern: Final = lazy_pattern(r"(?:(?P<prefix>[A-Z]+):)?(?P<number>[EW][0-9]{0,3})|(?P<name>[A-Z]+):?")


class CodePattern(Struct, frozen=True):
    """A pattern for rule codes.

    It is a full code, `MPL:E042`; a bare one, `E042`, which matches under any prefix; the beginning of either (`MPL:E0`, `W`);
    or a prefix alone, `MPL`. Case does not matter.
    """

    prefix: str | None
    """None matches any prefix."""
    number: str
    """`E042` or its beginning; empty matches all."""

    @staticmethod
    def parse(text: str) -> CodePattern:
        """Parse one pattern; raise `UsageError` if it is not one."""
        match = _pattern().fullmatch(text.strip().upper())
        if match is None:
            raise UsageError(f"{text.strip()!r} is no code: write MPL:E042, E042, W or a prefix such as MPL")
        if match["name"] is not None:
            return CodePattern(match["name"], "")
        return CodePattern(match["prefix"], match["number"])

    def matches(self, code: str) -> bool:
        """Return whether a full code such as `MPL:E042` matches."""
        parts = parse_code(code)
        return self._takes_prefix(parts.prefix) and f"{parts.kind}{parts.number:03}".startswith(self.number)

    @property
    def is_exact(self) -> bool:
        """Whether the pattern names one code (under any prefix) instead of a group."""
        return len(self.number) == 4

    def _takes_prefix(self, prefix: str) -> bool:
        return self.prefix is None or self.prefix == prefix

    def __str__(self) -> str:
        if self.prefix is None:
            return self.number
        return f"{self.prefix}:{self.number}" if self.number else self.prefix


def split_words(texts: Iterable[str]) -> tuple[str, ...]:
    """Split options that are comma-separated lists, repeated, or both, into single words."""
    return tuple(word.strip() for text in texts for word in text.split(",") if word.strip())


class Selection(Struct, frozen=True, kw_only=True, dict=True):
    """The rule codes to report. An empty `select` means all codes that are not off by default."""

    select: tuple[CodePattern, ...] = ()
    ignore: tuple[CodePattern, ...] = ()
    extend: tuple[CodePattern, ...] = ()

    @staticmethod
    def parse(
        select: Iterable[str] = (), ignore: Iterable[str] = (), extend: Iterable[str] = ()
    ) -> Selection:
        """Parse lists of code patterns as written on the command line.

        Raises `UsageError` for an invalid pattern.
        """
        return Selection(
            select=tuple(map(CodePattern.parse, split_words(select))),
            ignore=tuple(map(CodePattern.parse, split_words(ignore))),
            extend=tuple(map(CodePattern.parse, split_words(extend))),
        )

    @cached_property
    def _answers(self) -> dict[tuple[str, bool], bool]:
        return {}

    def takes(self, code: str, *, off_by_default: bool = False) -> bool:
        """Return whether findings of this code are reported; the result is cached.

        A code that is off by default has to be named exactly: a group such as `MPL` does not enable it.
        """
        key = (code, off_by_default)
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = self._decide(code, off_by_default=off_by_default)
        return answer

    def ignores(self, code: str) -> bool:
        """Return whether `ignore` names this code."""
        return any(pattern.matches(code) for pattern in self.ignore)

    def patterns(self) -> tuple[CodePattern, ...]:
        """Return all patterns, to check that each matches a known code."""
        return (*self.select, *self.extend, *self.ignore)

    def _decide(self, code: str, *, off_by_default: bool) -> bool:
        if self.ignores(code):
            return False
        named = (*self.select, *self.extend)
        if off_by_default:
            return any(pattern.is_exact and pattern.matches(code) for pattern in named)
        return not self.select or any(pattern.matches(code) for pattern in named)


class FileSelection(Struct, frozen=True):
    """The files to report findings for: the named ones, or all of the package."""

    names: frozenset[str] | None = None
    """None means all files, including files that the package lacks: a missing manifest is reported, too."""

    @staticmethod
    def of(files: Iterable[str] | None) -> FileSelection:
        return FileSelection(None if files is None else frozenset(files))

    def __contains__(self, name: str) -> bool:
        return self.names is None or name in self.names

    def only(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Filter findings by selected file, for checks that have to read all files to check one."""
        return (finding for finding in findings if finding.filename in self)
