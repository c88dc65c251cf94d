"""Text and places in it. Offsets are the truth; lines and columns are computed when something is shown."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Final

from msgspec import Struct

__all__ = ["EMPTY_SPAN", "REDACTED", "Location", "Place", "Source", "Span"]

REDACTED: Final = "<<REDACTED>>"
_LARGE: Final = 1_000_000


class Span(Struct, frozen=True, gc=False):  # it holds no object that could lead back to it
    """A half-open range of character offsets."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of the other."""
        return Span(self.start, other.end)

    def shifted(self, by: int) -> Span:
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

    def shown(self, span: Span) -> str:
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

    def shown_line(self, line: int) -> str:
        return self.shown(self.line_span(line)) if self.hidden else self.line_text(line)

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
