"""The way back from rendered text to the template that made it.

A template is compiled so that every line of its own text comes out as a `Piece`, a `str` that knows its place. Where
texts are joined (in macros, filters, set blocks) a piece is an ordinary text and its place is forgotten; what such a
construct gives is then placed at the expression that used it.
"""

from __future__ import annotations

from bisect import bisect_right

from msgspec import Struct

from sabir.text import EMPTY_SPAN, Place, Source, Span

__all__ = ["LineMap", "Piece", "Rendered", "line_place"]


class Piece(str):
    """A part of a template's own text, or (empty) the sign that an expression follows."""

    __slots__ = ("exact", "offset", "source")

    source: Source
    offset: int
    exact: bool

    @staticmethod
    def make(text: str, source: Source, offset: int, *, exact: bool) -> Piece:
        piece = Piece(text)
        piece.source = source
        piece.offset = offset
        piece.exact = exact
        return piece

    def __str__(self) -> Piece:  # the compiled template calls str() on whatever it puts out
        return self


class LineMap(Struct, frozen=True, eq=False):
    """Segments of a rendered text: where each begins, and the piece it came from."""

    starts: tuple[int, ...]
    pieces: tuple[Piece, ...]

    def place(self, span: Span) -> Place:
        """The place in the template of a span of the rendered text."""
        index = bisect_right(self.starts, span.start) - 1
        if index < 0:
            index = 0
        if not self.pieces:
            return Place(Source("<template>", ""), EMPTY_SPAN)
        piece = self.pieces[index]
        start = self._offset(index, span.start)
        last = max(index, bisect_right(self.starts, max(span.start, span.end - 1)) - 1)
        end = self._offset(last, span.end) if self.pieces[last].source is piece.source else start
        return Place(piece.source, Span(start, max(start, end)))

    def _offset(self, index: int, at: int) -> int:
        piece = self.pieces[index]
        if not piece.exact:
            return piece.offset
        return min(piece.offset + at - self.starts[index], len(piece.source.text))


class Rendered(Struct, frozen=True, eq=False):
    """A rendered text. Without a map it is the source itself, unchanged."""

    source: Source
    """The rendered text under the name of its template."""
    lines: LineMap | None = None

    def place(self, span: Span) -> Place:
        return Place(self.source, span) if self.lines is None else self.lines.place(span)


def line_place(source: Source, line: int) -> Place:
    """The text of a line, without its indentation."""
    text = source.line_text(line)
    start = source.offset(line, len(text) - len(text.lstrip()) + 1)
    return Place(source, Span(start, start + len(text.strip())))
