"""Text and places in it. Offsets are the truth; lines and columns are computed when something is shown."""

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
"""Characters that control a terminal, the direction of text or the end of lines, or show nothing: for a class of a pattern."""
_INVISIBLE_STARTS: Final = b"\x7f\xc2\xd8\xe1\xe2\xef\xf3"
"""The first bytes that they have in UTF-8. Looking for single bytes is a hundred times as fast as decoding."""
_invisible: Final = lazy_pattern(rf"[{INVISIBLE}\ud800-\udfff]")


def format_json(
    value: object,
    *,
    indent: int | None = None,
    sort_keys: bool = False,
    default: Callable[[Any], Any] | None = None,
) -> str:
    """Return a value as JSON for people and programs: letters as they are, everything invisible escaped."""
    import json

    return escape_json(
        json.dumps(value, indent=indent, sort_keys=sort_keys, default=default, ensure_ascii=False)
    )


def escape_json(text: str) -> str:
    """Escape what is invisible in a JSON text, as `\\u202e`; its value stays the same.

    Writers escape U+0000 to U+001F in strings themselves, and outside of strings only spaces and line feeds occur.
    """
    if text.isascii() and "\x7f" not in text:
        return text
    return _invisible().sub(_escape, text)


def escape_json_bytes(data: bytes | bytearray) -> bytes:
    """The same for the bytes of a JSON text."""
    if not any(start in data for start in _INVISIBLE_STARTS):
        return bytes(data)
    return escape_json(data.decode("utf-8")).encode("utf-8")


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


class Span(Struct, frozen=True, gc=False):  # it holds no object that could lead back to it
    """A half-open range of character offsets."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of the other."""
        return Span(self.start, other.end)

    def shift(self, by: int) -> Span:
        return Span(self.start + by, self.end + by)

    def contains(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end


EMPTY_SPAN = Span(0, 0)


class Location(Struct, frozen=True, gc=False):
    """A place as people and machines read it: lines and columns from 1. Line 0 means the whole file."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


class Source(Struct, frozen=True, eq=False, dict=True, weakref=True):
    """One text with its name: the path relative to the package root, with `/`, or a name in angle brackets."""

    name: str
    text: str
    hidden: tuple[Span, ...] = ()
    """Where secrets stand, in order and apart from each other: what is shown leaves them out."""

    def __repr__(self) -> str:
        return f"Source({self.name!r})"

    @cached_property
    def line_starts(self) -> Sequence[int]:
        if len(self.text) > _LARGE:
            return self._compact_line_starts()
        lines = self.text.split("\n")
        return (0, *accumulate(len(line) + 1 for line in lines[:-1]))

    def _compact_line_starts(self) -> Sequence[int]:
        """The same in four bytes a line: a text of millions of empty lines must not fill the memory."""
        from array import array

        starts = array("I", [0])
        find, append = self.text.find, starts.append
        at = find("\n")
        while at >= 0:
            append(at + 1)
            at = find("\n", at + 1)
        return starts

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1, as editors show them."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """The text of a line (from 1) without its line break."""
        starts = self.line_starts
        if not 1 <= line <= len(starts):
            return ""
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end].rstrip("\r")

    def location(self, span: Span) -> Location:
        return Location(self.name, *self.line_column(span.start))

    def slice(self, span: Span) -> str:
        return self.text[span.start : span.end]

    def line_span(self, line: int) -> Span:
        """A line (from 1) without its line break."""
        start = self.offset(line)
        return Span(start, start + len(self.line_text(line)))

    def display_text(self, span: Span) -> str:
        """The text of a span for people to read: without secrets."""
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
        return self.display_text(self.line_span(line)) if self.hidden else self.line_text(line)

    def whole_secrets(self, span: Span) -> Span:
        """The span, with the whole of every secret that it cuts."""
        start, end = span.start, span.end
        for secret in self.hidden:
            if secret.start < start < secret.end:
                start = secret.start
            if secret.start < end < secret.end:
                end = secret.end
        return Span(start, end)

    def offset(self, line: int, column: int = 1) -> int:
        """The offset of a line and column (both from 1), clipped to the text."""
        starts = self.line_starts
        line = min(max(line, 1), len(starts))
        return min(starts[line - 1] + column - 1, len(self.text))


class Place(Struct, frozen=True):
    """A span in a source: cheap to make, shared freely, turned into a `Location` only when shown."""

    source: Source
    span: Span

    @property
    def location(self) -> Location:
        return self.source.location(self.span)
