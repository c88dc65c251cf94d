"""The cache of syntax trees: the same tree, never foreign code, no harm when it is broken."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import pytest

from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.cache import cache_directory, parse_cached
from sabir.languages.inmanta.syntax.nodes import walk
from sabir.languages.inmanta.syntax.parser import SyntaxTree, parse
from sabir.text import Source
from tests.languages.inmanta.syntax.test_parser import SAMPLE

LONG = Source("main.cf", SAMPLE * 20)


def plain(tree: SyntaxTree) -> object:
    """A tree as tuples of the kinds of its nodes and their values: nodes are compared by identity."""
    return msgspec.to_builtins(tree.statements)


def test_a_cached_tree_equals_a_fresh_one(tmp_path: Path) -> None:
    first = parse_cached(LONG, tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    again = parse_cached(LONG, tmp_path)
    assert again.statements is not first.statements
    assert plain(again) == plain(first) == plain(parse(LONG))


def test_broken_entries_are_read_anew(tmp_path: Path) -> None:
    parse_cached(LONG, tmp_path)
    entry = next(tmp_path.iterdir())
    whole = entry.read_bytes()
    rubbish = msgspec.msgpack.encode((1, 2, 3))
    for raw in (b"", b"rubbish", whole[:-20], rubbish, hashlib.sha256(rubbish).digest() + rubbish):
        entry.write_bytes(raw)
        assert plain(parse_cached(LONG, tmp_path)) == plain(parse(LONG))


def test_a_cache_holds_no_code(tmp_path: Path) -> None:
    """Entries are plain data, and only what fits a field of a node is taken from one."""
    parse_cached(LONG, tmp_path)
    entry = next(tmp_path.iterdir())
    statements, comments = msgspec.msgpack.decode(entry.read_bytes()[32:])
    statements[0][0] = "Popen"
    raw = msgspec.msgpack.encode((statements, comments))
    entry.write_bytes(hashlib.sha256(raw).digest() + raw)
    assert plain(parse_cached(LONG, tmp_path)) == plain(parse(LONG))


def test_every_kind_of_node_can_be_read_again(tmp_path: Path) -> None:
    kinds = {type(node) for node in walk(*parse_cached(LONG, tmp_path).statements)}
    assert kinds == {type(node) for node in walk(*parse_cached(LONG, tmp_path).statements)}
    assert kinds >= {nodes.Entity, nodes.Comprehension, nodes.FormatText, nodes.SelectorLookup}


def test_a_number_that_no_entry_can_hold_is_parsed_anew(tmp_path: Path) -> None:
    text = Source("main.cf", LONG.text + f"n = {2**70}\n")
    parse_cached(text, tmp_path)
    last = parse_cached(text, tmp_path).statements[-1]
    assert isinstance(last, nodes.Assign)
    assert isinstance(last.value, nodes.Literal)
    assert last.value.value == 2**70


@pytest.mark.parametrize(
    ("variables", "directory"),
    [
        ({"SABIR_CACHE_DIR": ""}, None),
        ({"SABIR_CACHE_DIR": "/a", "HOME": "/h"}, "/a/inmanta"),
        ({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, "/c/sabir/inmanta"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/sabir/inmanta"),
        ({}, None),
    ],
)
def test_where_the_cache_is(variables: dict[str, str], directory: str | None) -> None:
    assert cache_directory(variables) == (None if directory is None else Path(directory))


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert parse_cached(LONG, file / "below").statements
