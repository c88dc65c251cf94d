"""Symbols of YAML texts: what is named by its key, and what is named by a text below it (`name: web`).

The key of a symbol ends in its name; all that stands before it, the word and where the name is defined, is its `scope`.
"""

from __future__ import annotations

from collections.abc import Iterator

from sabir.source.symbols import Symbol, SymbolKind
from sabir.source.yaml.nodes import YamlEntry, YamlNode, text_of
from sabir.source.yaml.reading import extent

__all__ = ["named_by_key", "named_by_text"]


def named_by_key(
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
    return Symbol(
        key=f"{scope}{name}",
        name=name,
        kind=kind,
        span=entry.key.span,
        extent=extent(entry),
        detail=detail,
        about=about,
        children=children,
        aliases=aliases,
    )


def named_by_text(
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
