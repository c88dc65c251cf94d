"""A short cut for simple templates: text, `{{ … }}`, comments and `{% if %}`.

Compiling a template to Python costs milliseconds, and most templates use the same few expressions over and over. So the
text is cut into pieces here, and each distinct expression is compiled and evaluated once. Whatever is not simple, or goes
wrong, is left to the compiled template, which says precisely what and where.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sabir.expressions.template.lines import LineMap, Piece, Rendered
from sabir.expressions.template.reading import Tag, TagKind, read_tags
from sabir.text import Source

__all__ = ["NotSimple", "render_simple"]


class NotSimple(Exception):
    """The template needs the whole machinery."""


def render_simple(source: Source, evaluate: Callable[[str], str]) -> Rendered:
    """The rendered text; `evaluate` renders a small template that is one tag, or raises `NotSimple`."""
    text = source.text
    read = read_tags(text)
    if "\r" in text or not read.is_complete:
        raise NotSimple
    out = _Output(source)
    branches: list[_Branch] = []
    shown = True
    position = 0
    for tag in read.tags:
        if tag.has_sign or tag.kind is TagKind.RAW:
            raise NotSimple
        if shown and tag.span.start > position:
            out.text(position, tag.span.start)
        position = tag.span.end
        if tag.kind is TagKind.STATEMENT:
            shown = _branch(tag, text, branches, evaluate)
        elif tag.kind is TagKind.OUTPUT and shown:
            out.value(tag.span.start, evaluate(tag.text))
    if branches:
        raise NotSimple
    if position < len(text):
        out.text(position, len(text))
    return out.rendered()


class _Branch(NamedTuple):
    """An open `if`."""

    shown: bool
    """Whether the text here counts."""
    taken: bool
    """Whether one of its branches has been taken."""
    is_last: bool = False
    """Whether this is its `else`, behind which there is no other."""


def _branch(tag: Tag, text: str, branches: list[_Branch], evaluate: Callable[[str], str]) -> bool:
    """Follow an `if` tag; whether the text after it counts."""
    word = tag.word
    if word not in ("if", "elif", "else", "endif"):
        raise NotSimple
    test = text[tag.tokens[0].end : tag.inner.end].strip()
    if word == "if":
        outer = all(branch.shown for branch in branches)
        holds = outer and _holds(test, evaluate)
        branches.append(_Branch(holds, holds))
        return holds
    if not branches or bool(test) != (word == "elif"):
        raise NotSimple
    before = branches.pop()
    outer = all(branch.shown for branch in branches)
    if word == "endif":
        return outer
    if before.is_last:
        raise NotSimple
    holds = outer and not before.taken and (word == "else" or _holds(test, evaluate))
    branches.append(_Branch(holds, before.taken or holds, word == "else"))
    return holds


def _holds(test: str, evaluate: Callable[[str], str]) -> bool:
    return evaluate(f"{{% if {test} %}}1{{% endif %}}") == "1"


class _Output:
    """Pieces of output with their places."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._parts: list[str] = []
        self._starts: list[int] = []
        self._pieces: list[Piece] = []
        self._size = 0

    def text(self, start: int, end: int) -> None:
        part = self._source.text[start:end]
        self._add(Piece.make(part, self._source, start, exact=True), part)

    def value(self, start: int, text: str) -> None:
        self._add(Piece.make("", self._source, start, exact=False), text)

    def _add(self, piece: Piece, text: str) -> None:
        self._starts.append(self._size)
        self._pieces.append(piece)
        self._parts.append(text)
        self._size += len(text)

    def rendered(self) -> Rendered:
        if not self._starts:
            self._add(Piece.make("", self._source, 0, exact=False), "")
        lines = LineMap(tuple(self._starts), tuple(self._pieces))
        return Rendered(Source(self._source.name, "".join(self._parts)), lines)
