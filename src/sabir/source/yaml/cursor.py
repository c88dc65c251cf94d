"""The context of the cursor in a YAML text that is being typed, and symbols of YAML texts.

Such a text often does not parse, so the context comes from the line and from the less indented keys above it. A
symbol is named by its key, or by a string below it (`name: web`). The key of a symbol ends in its name; everything
before that, its kind and where the name is defined, is its `scope`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from sabir.lazy import lazy_pattern
from sabir.source.symbols import Symbol, SymbolKind
from sabir.source.yaml.access import entry_extent
from sabir.source.yaml.nodes import YamlEntry, YamlNode, text_of
from sabir.text import Source, Span


def key_symbol(
    scope: str,
    name: str,
    entry: YamlEntry,
    kind: SymbolKind,
    *,
    detail: str | None = None,
    about: str | None = None,
    children: tuple[Symbol, ...] = (),
    aliases: tuple[str, ...] = (),
) -> Symbol:
    """Return the symbol that a key of a mapping defines; its extent includes the value."""
    return Symbol(
        key=f"{scope}{name}",
        name=name,
        kind=kind,
        span=entry.key.span,
        extent=entry_extent(entry),
        detail=detail,
        about=about,
        children=children,
        aliases=aliases,
    )


def text_symbols(
    scope: str,
    named: YamlNode | None,
    whole: YamlNode,
    kind: SymbolKind,
    *,
    detail: str | None = None,
    about: str | None = None,
    children: tuple[Symbol, ...] = (),
) -> Iterator[Symbol]:
    """Nothing where the name is missing, empty or no text: an editor cannot show that."""
    name = text_of(named)
    if named is not None and name:
        yield Symbol(
            key=f"{scope}{name}",
            name=name,
            kind=kind,
            span=named.span,
            extent=whole.span,
            detail=detail,
            about=about,
            children=children,
        )


_MOST_LINES = 5_000


class CursorContext(Struct, frozen=True, kw_only=True):
    """A place in a text that is being typed."""

    path: tuple[str, ...]
    """The keys that the place is below, outermost first."""
    key: str | None
    """The key of the line, when the place is behind its colon."""
    before: str
    """What stands before the place: on the line when a key is typed, behind the colon when a value is."""
    word: Span
    """The word that ends at the place."""

    @property
    def is_key(self) -> bool:
        """Whether a key is being typed, or a text that may become one."""
        return self.key is None


_line_pattern: Final = lazy_pattern(
    r"""(?P<indent>[ ]*)(?P<items>(?:-[ ]+)*)(?P<key>"[^"]*"|'[^']*'|[^\s#'"\[{][^#]*?):(?=\s|$)"""
)
_item_pattern: Final = lazy_pattern(r"[ ]*(?:-(?:[ ]+|$))*")
_word_pattern: Final = lazy_pattern(r"[\w-]*$")


def locate_cursor(source: Source, offset: int) -> CursorContext:
    """Return the context of an offset, computed from the text alone."""
    line, column = source.line_column(offset)
    before = source.line_text(line)[: column - 1]
    typed = _line_pattern().match(before)
    word = _word_pattern().search(before)
    start = offset - (len(before) - word.start() if word else 0)
    if typed is not None:
        depth, key, rest = _key_column(typed), _strip_quotes(typed["key"]), before[typed.end() :].lstrip()
    else:
        blank = _item_pattern().match(before)
        depth, key = len(blank[0]) if blank else 0, None
        rest = before[depth:]
    return CursorContext(
        path=_keys_above(source, line, depth), key=key, before=rest, word=Span(start, offset)
    )


def _keys_above(source: Source, line: int, depth: int) -> tuple[str, ...]:
    """The keys above a line, each indented less than what is below it."""
    path: list[str] = []
    for number in range(line - 1, max(line - _MOST_LINES, 0), -1):
        if depth == 0:
            break
        match = _line_pattern().match(source.line_text(number))
        if match is not None and _key_column(match) < depth:
            depth = _key_column(match)
            path.append(_strip_quotes(match["key"]))
    return tuple(reversed(path))


def _key_column(match: re.Match[str]) -> int:
    """The column of the key: an item of a list is as deep as what stands behind its dash."""
    return len(match["indent"]) + len(match["items"])


def _strip_quotes(key: str) -> str:
    return key.strip("\"'")
