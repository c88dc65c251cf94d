"""The cache of syntax trees: the same tree, never foreign code, no harm when it is broken."""

from __future__ import annotations

import hashlib
import marshal
from pathlib import Path

import pytest

from sabir.languages.inmanta.syntax.cache import cache_directory, cached_parse
from sabir.languages.inmanta.syntax.parser import parse
from tests.languages.inmanta.syntax.test_parser import SAMPLE

LONG = SAMPLE * 10


def test_a_cached_tree_equals_a_fresh_one(tmp_path: Path) -> None:
    first = cached_parse(LONG, tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    again = cached_parse(LONG, tmp_path)
    assert again.statements == first.statements == parse(LONG).statements
    assert [type(one) for one in again.statements] == [type(one) for one in first.statements]


def test_broken_entries_are_read_anew(tmp_path: Path) -> None:
    cached_parse(LONG, tmp_path)
    entry = next(tmp_path.iterdir())
    whole = entry.read_bytes()
    rubbish = marshal.dumps((1, 2, 3))
    for raw in (b"", b"rubbish", whole[:-20], rubbish, hashlib.sha256(rubbish).digest() + rubbish):
        entry.write_bytes(raw)
        assert cached_parse(LONG, tmp_path).statements == parse(LONG).statements


def test_a_cache_holds_no_code(tmp_path: Path) -> None:
    """Entries are plain data: an unpickler, which could run code, never sees them."""
    cached_parse(LONG, tmp_path)
    entry = next(tmp_path.iterdir())
    statements, _ = marshal.loads(entry.read_bytes()[32:])
    todo = [statements]
    while todo:
        one = todo.pop()
        assert one is None or type(one) in (tuple, int, float, str, bool)
        if isinstance(one, tuple):
            todo.extend(one)


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SABIR_CACHE_DIR", "")
    assert cache_directory() is None
    monkeypatch.setenv("SABIR_CACHE_DIR", str(tmp_path))
    assert cache_directory() == tmp_path / "inmanta"
    monkeypatch.delenv("SABIR_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "sabir" / "inmanta"


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert cached_parse(LONG, file / "below").statements
