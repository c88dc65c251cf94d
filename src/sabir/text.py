"""Source texts, spans and locations.

Positions are stored as character offsets. Lines and columns are computed only when a position is shown, because most
positions never are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from sabir.lazy import lazy_pattern

if TYPE_CHECKING:
    import re


REDACTED: Final = "<<REDACTED>>"
_LARGE: Final = 1_000_000

INVISIBLE: Final = r"\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
"""Characters that control a terminal, the text direction or line ends, or show nothing; for a regex class."""
_INVISIBLE_STARTS: Final = b"\x7f\xc2\xd8\xe1\xe2\xef\xf3"
"""First UTF-8 bytes of the invisible characters: searching for single bytes is 100 times as fast as decoding."""
_invisible: Final = lazy_pattern(rf"[{INVISIBLE}\ud800-\udfff]")


def format_json(
    value: object,
    *,
    indent: int | None = None,
    sort_keys: bool = False,
    default: Callable[[Any], Any] | None = None,
) -> str:
    """Return a value as JSON: letters unescaped, all invisible characters escaped."""
    import json

    return escape_json(
        json.dumps(value, indent=indent, sort_keys=sort_keys, default=default, ensure_ascii=False)
    )


def escape_json(text: str) -> str:
    r"""Escape the invisible characters of a JSON text, as `\u202e`; its value stays the same.

    JSON writers escape U+0000 to U+001F inside strings themselves, and outside strings only spaces and line feeds
    occur.
    """
    if text.isascii() and "\x7f" not in text:
        return text
    return _invisible().sub(_escape, text)


def escape_json_bytes(data: bytes | bytearray) -> bytes:
    """Escape the invisible characters of a JSON text in UTF-8, see `escape_json`."""
    if not any(start in data for start in _INVISIBLE_STARTS):
        return bytes(data)
    return escape_json(data.decode("utf-8")).encode("utf-8")


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


class Span(Struct, frozen=True, gc=False):  # it holds no object that could refer back to it
    """A half-open range of character offsets."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of the other."""
        return Span(self.start, other.end)

    def shift(self, by: int) -> Span:
        """Return the span moved by a number of characters."""
        return Span(self.start + by, self.end + by)

    def contains(self, other: Span) -> bool:
        """Return whether the other span lies inside this one; equal spans contain each other."""
        return self.start <= other.start and other.end <= self.end


EMPTY_SPAN = Span(0, 0)


class Location(Struct, frozen=True, gc=False):
    """A position for people and programs: line and column start at 1. Line 0 means the whole file."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


class Source(Struct, frozen=True, eq=False, dict=True, weakref=True):
    """A text and its name: a path relative to the package root, with `/`, or a name in angle brackets."""

    name: str
    text: str
    hidden: tuple[Span, ...] = ()
    """Spans of secrets, sorted and disjoint; they are redacted when the text is shown."""

    def __repr__(self) -> str:
        return f"Source({self.name!r})"

    @cached_property
    def line_starts(self) -> Sequence[int]:
        """Offsets at which the lines start; the first one is 0."""
        if len(self.text) > _LARGE:
            return self._compact_line_starts()
        lines = self.text.split("\n")
        return (0, *accumulate(len(line) + 1 for line in lines[:-1]))

    def _compact_line_starts(self) -> Sequence[int]:
        """Compute `line_starts` in four bytes per line: a text of millions of empty lines must not fill the memory."""
        from array import array

        starts = array("I", [0])
        find, append = self.text.find, starts.append
        at = find("\n")
        while at >= 0:
            append(at + 1)
            at = find("\n", at + 1)
        return starts

    def line_column(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 1, as editors show them."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """Return the text of a line (from 1) without its line break; empty when the line does not exist."""
        starts = self.line_starts
        if not 1 <= line <= len(starts):
            return ""
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end].rstrip("\r")

    def location(self, span: Span) -> Location:
        """Return the location at which a span starts."""
        return Location(self.name, *self.line_column(span.start))

    def slice(self, span: Span) -> str:
        """Return the text of a span, including secrets; see `display_text`."""
        return self.text[span.start : span.end]

    def line_span(self, line: int) -> Span:
        """Return the span of a line (from 1) without its line break."""
        start = self.offset(line)
        return Span(start, start + len(self.line_text(line)))

    def display_text(self, span: Span) -> str:
        """Return the text of a span with its secrets redacted."""
        if not self.hidden:
            return self.slice(span)
        pieces: list[str] = []
        at = span.start
        for secret in self.hidden:
            if secret.start < span.end and at < secret.end:
                pieces += self.text[at : max(at, secret.start)], REDACTED
                at = secret.end
        return "".join((*pieces, self.text[at : span.end]))

    def display_line(self, line: int) -> str:
        """Return the text of a line (from 1) with its secrets redacted."""
        return self.display_text(self.line_span(line)) if self.hidden else self.line_text(line)

    def whole_secrets(self, span: Span) -> Span:
        """Return the span, extended so that it cuts no secret in two."""
        start, end = span.start, span.end
        for secret in self.hidden:
            if secret.start < start < secret.end:
                start = secret.start
            if secret.start < end < secret.end:
                end = secret.end
        return Span(start, end)

    def offset(self, line: int, column: int = 1) -> int:
        """Return the offset of a line and column (both from 1), clipped to the text."""
        starts = self.line_starts
        line = min(max(line, 1), len(starts))
        return min(starts[line - 1] + column - 1, len(self.text))


class Place(Struct, frozen=True):
    """A span in a source: cheap to create and to share, converted to a `Location` only when shown."""

    source: Source
    span: Span

    @property
    def location(self) -> Location:
        return self.source.location(self.span)
