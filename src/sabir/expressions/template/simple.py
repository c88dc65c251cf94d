"""A short cut for simple templates: text, `{{ … }}`, comments and `{% if %}`.

Compiling a template to Python costs milliseconds, and most templates use the same few expressions over and over. So the
text is cut into pieces here, and each distinct expression is compiled and evaluated once. Whatever is not simple, or goes
wrong, is left to the compiled template, which says precisely what and where.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final

from sabir.expressions.template.lines import LineMap, Piece, Rendered
from sabir.text import Source

__all__ = ["NotSimple", "render_simple"]

# No braces within a tag: what could end it, or stand in a string, is not simple. Nor is whitespace control.
_TAG: Final = (
    r"\{\{(?![-+])(?P<output>[^{}]*)(?<![-+])\}\}"
    r"|\{#(?![-+])[^{}#]*(?<![-+])#\}"
    r"|\{%(?![-+])\s*(?P<block>[^{}%]*?)\s*(?<![-+])%\}"
    r"|(?P<other>\{[{%#])"
)


@cache
def _tag() -> re.Pattern[str]:
    return re.compile(_TAG)


@cache
def _block() -> re.Pattern[str]:
    return re.compile(r"(?P<word>if|elif|else|endif)\b\s*(?P<test>.*)", re.DOTALL)


class NotSimple(Exception):
    """The template needs the whole machinery."""


def render_simple(source: Source, evaluate: Callable[[str], str]) -> Rendered:
    """The rendered text; `evaluate` renders a small template that is one tag, and may raise anything."""
    text = source.text
    if "\r" in text:
        raise NotSimple
    out = _Output(source)
    # One entry for each open `if`: whether its text counts, and whether one of its branches has been taken.
    branches: list[tuple[bool, bool]] = []
    shown = True
    position = 0
    for match in _tag().finditer(text):
        start = match.start()
        if shown and start > position:
            out.text(position, start)
        position = match.end()
        if match["other"] is not None:
            raise NotSimple
        expression = match["output"]
        if expression is not None:
            if shown:
                out.value(start, evaluate(f"{{{{{expression}}}}}"))
        elif match["block"] is not None:
            shown = _branch(match["block"], branches, evaluate)
    if branches:
        raise NotSimple
    if position < len(text):
        out.text(position, len(text))
    return out.rendered()


def _branch(block: str, branches: list[tuple[bool, bool]], evaluate: Callable[[str], str]) -> bool:
    """Follow an `if` tag; whether the text after it counts."""
    match = _block().fullmatch(block)
    if match is None:
        raise NotSimple
    word, test = match["word"], match["test"]
    if word == "if":
        outer = all(shown for shown, _ in branches)
        holds = outer and _holds(test, evaluate)
        branches.append((holds, holds))
        return holds
    if not branches or bool(test) != (word == "elif"):
        raise NotSimple
    _, taken = branches.pop()
    outer = all(shown for shown, _ in branches)
    if word == "endif":
        return outer
    holds = outer and not taken and (word == "else" or _holds(test, evaluate))
    branches.append((holds, taken or holds))
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
