"""What each part of a rendered text rests on, found by the position in it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from msgspec import Struct

from sabir.provenance import Sources, ValueSource
from sabir.text import Span

__all__ = ["Trace"]


class Trace(Struct, frozen=True, eq=False):
    """Segments of a rendered text: where each begins, what was read for it, and what decided that it is there.

    A statement that ends leaves a segment without text. So one that wrote nothing is known where it could have written.
    """

    text: str
    starts: tuple[int, ...]
    sources: tuple[Sources, ...]

    def gaps(self, span: Span) -> Iterator[tuple[int, Sources]]:
        """Where statements ended in a span, each with what decided whether and what it wrote."""
        end = self._end(span)
        index = bisect_left(self.starts, span.start)
        while index < len(self.starts) and self.starts[index] <= end:
            if self._is_empty(index):
                yield self.starts[index], self.sources[index]
            index += 1

    def at(self, offset: int) -> Sources:
        """What the character at an offset rests on."""
        return self.sources[max(bisect_right(self.starts, offset) - 1, 0)]

    def over(self, span: Span) -> tuple[ValueSource, ...]:
        """All that a span of the text rests on, each source once."""
        return tuple(dict.fromkeys(self._over(span)))

    def _over(self, span: Span) -> Iterator[ValueSource]:
        start, end = span.start, self._end(span)
        index = max(bisect_right(self.starts, start) - 1, 0)
        # Segments without text that stand just before the span count, too.
        while index > 0 and self.starts[index - 1] == start:
            index -= 1
        while index < len(self.starts) and self.starts[index] <= end:
            if self._is_empty(index) or self.starts[index] < end:
                yield from self.sources[index]
            index += 1

    def last(self, span: Span) -> int:
        """Where the last word of a span ends."""
        end = min(span.end, len(self.text))
        while end > span.start and self.text[end - 1].isspace():
            end -= 1
        return end

    def _is_empty(self, index: int) -> bool:
        follows = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)
        return follows == self.starts[index]

    def _end(self, span: Span) -> int:
        """A list or mapping may go on with what a condition leaves out: as far as the text that comes next."""
        end = span.end
        if "\n" in self.text[span.start : end]:
            while end < len(self.text) and self.text[end].isspace():
                end += 1
        return end
