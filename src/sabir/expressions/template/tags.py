"""The tags of a Jinja2 text with their places, read by Jinja2's own lexer.

Whoever needs more of a template than its output (which names it uses, what a statement decides about) asks here, so that a
brace in a string, a comment or a raw block is taken for what Jinja2 takes it. The lexer gives tokens and lines but no
offsets; they follow from the tokens, because it drops nothing but white space.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cache, lru_cache
from typing import Any, Final

from msgspec import Struct

from sabir.text import Span

_KEPT: Final = 256


class TagKind(Enum):
    OUTPUT = "variable"  # {{ … }}
    STATEMENT = "block"  # {% … %}
    COMMENT = "comment"  # {# … #}
    RAW = "raw"  # {% raw %} … {% endraw %}, all of it


class Token(Struct, frozen=True, eq=False, gc=False):
    """A token inside a tag; the kind in Jinja2's words: `name`, `operator`, `string` …"""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class DottedName(Struct, frozen=True, eq=False, gc=False):
    """A name as it is written, with the names behind its dots: `web.port`."""

    text: str
    start: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.start + len(self.text))


class Tag(Struct, frozen=True, kw_only=True, eq=False):
    """One tag; the white space that its signs take away does not belong to it."""

    kind: TagKind
    text: str
    """All of it as written."""
    span: Span
    inner: Span
    """Without the delimiters."""
    tokens: tuple[Token, ...]
    """What stands between them but white space."""
    has_sign: bool
    """Whether a `-` or `+` says what becomes of the white space around it."""

    @property
    def word(self) -> str:
        """The first word of a statement: `if`, `set`, `endfor`."""
        is_named = self.kind is TagKind.STATEMENT and bool(self.tokens) and self.tokens[0].kind == "name"
        return self.tokens[0].text if is_named else ""


class TemplateTags(Struct, frozen=True, eq=False):
    """The tags of a text in order. Incomplete when it cannot be read to its end: then these are the tags before."""

    tags: tuple[Tag, ...]
    is_complete: bool

    def output_at(self, offset: int) -> Tag | None:
        """The `{{ … }}` that begins there."""
        index = bisect_left(self.tags, offset, key=lambda tag: tag.span.start)
        tag = self.tags[index] if index < len(self.tags) else None
        return tag if tag is not None and tag.span.start == offset and tag.kind is TagKind.OUTPUT else None


def read_names(tokens: Sequence[Token]) -> Iterator[DottedName]:
    """The names among tokens, dots and all; words of the language (`in`, `not`) and of filters look like names, too."""
    at = 0
    while at < len(tokens):
        first = last = tokens[at]
        at += 1
        if first.kind != "name":
            continue
        text = first.text
        while at + 1 < len(tokens) and _continues_name(last, tokens[at], tokens[at + 1]):
            last = tokens[at + 1]
            text += f".{last.text}"
            at += 2
        yield DottedName(text, first.start)


def _continues_name(name: Token, dot: Token, following: Token) -> bool:
    is_touching = dot.start == name.end and following.start == dot.end
    return is_touching and dot.text == "." and following.kind == "name"


@lru_cache(maxsize=_KEPT)
def read_tags(text: str) -> TemplateTags:
    """The tags of a text, as far as Jinja2 can read it."""
    from jinja2 import TemplateSyntaxError

    tags: list[Tag] = []
    opened: Token | None = None
    inside: list[Token] = []
    try:
        for token in _read_tokens(text):
            side = token.kind.rpartition("_")[2]
            if side == "begin":
                opened, inside = token, []
            elif side == "end" and opened is not None:
                tags.append(_build_tag(text, opened, inside, token))
                opened = None
            elif opened is not None and token.kind != "whitespace":
                inside.append(token)
    except TemplateSyntaxError:
        return TemplateTags(tuple(tags), is_complete=False)
    return TemplateTags(tuple(tags), is_complete=opened is None)


def _build_tag(text: str, opened: Token, inside: list[Token], closed: Token) -> Tag:
    # The token of a closing `-%}` goes on to the end of the white space behind it.
    ending = closed.text.rstrip()
    span = Span(opened.start, closed.start + len(ending))
    return Tag(
        kind=TagKind(opened.kind.removesuffix("_begin")),
        text=text[span.start : span.end],
        span=span,
        inner=Span(opened.end, closed.start),
        tokens=tuple(inside),
        has_sign=len(opened.text) != 2 or len(ending) != 2,
    )


def _read_tokens(text: str) -> Iterator[Token]:
    """All tokens with their offsets in the text."""
    read, offsets = text, None
    if "\r" in text:
        # The lexer reads every end of line as "\n", so what it saw is shorter than what was written.
        read, offsets = text.replace("\r\n", "\n").replace("\r", "\n"), _lexer_offsets(text)
    at = 0
    for _line, kind, written in _build_lexer().lex(text):
        # Before a tag that begins with a minus the lexer leaves white space out.
        at = read.find(written, at)
        yield Token(kind, written, at if offsets is None else offsets[at])
        at += len(written)


def _lexer_offsets(text: str) -> list[int]:
    """For each character that the lexer reads, where it stands in the text."""
    offsets = [at for at, character in enumerate(text) if character != "\n" or text[at - 1 : at] != "\r"]
    return [*offsets, len(text)]


@cache
def _build_lexer() -> Any:
    from jinja2 import Environment

    return Environment(keep_trailing_newline=True)  # it reads texts and renders none
