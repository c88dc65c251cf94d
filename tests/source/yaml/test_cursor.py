"""Symbols of YAML texts."""

from __future__ import annotations

import pytest

from sabir.source.symbols import SymbolKind
from sabir.source.yaml import compose
from sabir.source.yaml.access import text_entries, value_at
from sabir.source.yaml.cursor import key_symbol, locate_cursor, text_symbols
from sabir.text import Source


def test_what_a_key_names_reaches_to_the_end_of_its_value() -> None:
    source = Source("a.yaml", "web: {image: nginx}\n")
    ((name, entry),) = text_entries(compose(source).documents[0])
    symbol = key_symbol("service ", name, entry, SymbolKind.CLASS, detail="nginx")
    assert (symbol.key, symbol.name, symbol.detail) == ("service web", "web", "nginx")
    assert source.slice(symbol.span) == "web"
    assert source.slice(symbol.extent) == "web: {image: nginx}"


def test_what_a_text_names_is_the_whole_around_it() -> None:
    source = Source("a.yaml", "{name: web, image: nginx}\n")
    (root,) = compose(source).documents
    assert root is not None
    (symbol,) = text_symbols("container shop/", value_at(root, "name"), root, SymbolKind.MODULE)
    assert (symbol.key, symbol.name) == ("container shop/web", "web")
    assert source.slice(symbol.span) == "web"
    assert source.slice(symbol.extent) == "{name: web, image: nginx}"


@pytest.mark.parametrize("text", ["{image: nginx}", "{name: }", "{name: ''}", "{name: [web]}", "{name: 7}"])
def test_without_a_name_there_is_no_symbol(text: str) -> None:
    (root,) = compose(Source("a.yaml", text)).documents
    assert root is not None
    assert not [*text_symbols("container ", value_at(root, "name"), root, SymbolKind.MODULE)]


@pytest.mark.parametrize(
    ("text", "path", "key", "before"),
    [
        ("|", (), None, ""),
        ("a:\n  b:\n    |", ("a", "b"), None, ""),
        ("a:\n  b: x|", ("a",), "b", "x"),
        ("a:\n  - b: 1\n    c|", ("a",), None, "c"),
        ("a:\n- b:\n    c: 1\n  |", ("a",), None, ""),
        ("a:\n  'b c':\n    |", ("a", "b c"), None, ""),
        ("a: {x: 1}\nb:\n  # c:\n  d|", ("b",), None, "d"),
        ("a:\n  b: http://x|", ("a",), "b", "http://x"),
    ],
)
def test_the_place_is_told_by_indentation(
    text: str, path: tuple[str, ...], key: str | None, before: str
) -> None:
    place = locate_cursor(Source("x", text.replace("|", "")), text.index("|"))
    assert (place.path, place.key, place.before) == (path, key, before)
