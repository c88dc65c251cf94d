"""A cache of syntax trees between runs, by the hash of the source.

An entry is MessagePack with a checksum in front. Only the node classes of this package are built from
it, each field with its declared type, so an entry cannot cause code to run. If the cache cannot be read
or written, it is not used, without other effects.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Final

from msgspec import DecodeError, msgpack

from sabir.interpreter import collector_paused
from sabir.languages.inmanta.syntax.nodes import TopStatement
from sabir.languages.inmanta.syntax.parser import SyntaxTree, parse
from sabir.text import Source

_VERSION: Final = "6"
"""Raised whenever the nodes or what the parser accepts change."""
_SMALLEST: Final = 10_000
"""Below this many characters parsing is as quick as making ready to read an entry."""
_SMALL: Final = 100_000
_MOST_ENTRIES: Final = 2_000
_Entry = tuple[tuple[TopStatement, ...], tuple[tuple[int, int], ...]]
"""The statements of a file and its comments of the old form."""


@cache
def _entry_decoder() -> msgpack.Decoder[_Entry]:
    return msgpack.Decoder(_Entry)


def cache_directory(environment: Mapping[str, str]) -> Path | None:
    """Return `$SABIR_CACHE_DIR`, else a directory in the user's cache; None if switched off."""
    chosen = environment.get("SABIR_CACHE_DIR")
    if chosen is not None:
        return Path(chosen) / "inmanta" if chosen else None
    home = environment.get("XDG_CACHE_HOME")
    if home and os.path.isabs(home):
        return Path(home) / "sabir" / "inmanta"
    user = environment.get("HOME") or environment.get("USERPROFILE")
    return Path(user) / ".cache" / "sabir" / "inmanta" if user else None


def parse_cached(source: Source, directory: Path | None) -> SyntaxTree:
    """Return the tree of a source, from the cache if it has one."""
    if directory is None or len(source.text) < _SMALLEST:
        return parse(source)
    digest = _checksum(source.text.encode("utf-8", errors="surrogatepass")).hex()
    entry = directory / f"{digest}.{_VERSION}.{sys.implementation.cache_tag}"
    tree = _read_entry(entry)
    if tree is None:
        tree = parse(source)
        if not tree.problems:
            _write_entry(entry, tree)
    return tree


def _checksum(raw: bytes) -> bytes:
    if len(raw) < _SMALL:
        # hashlib loads OpenSSL, which is quicker with much text and takes longer to load than little text to check.
        for module in ("_sha2", "_sha256"):
            with suppress(ImportError):
                digest: bytes = import_module(module).sha256(raw).digest()
                return digest
    import hashlib

    return hashlib.sha256(raw).digest()


def _read_entry(entry: Path) -> SyntaxTree | None:
    try:
        with open(entry, "rb") as file:
            owner = os.fstat(file.fileno()).st_uid
            raw = file.read()
    except OSError:
        return None
    if hasattr(os, "getuid") and owner != os.getuid():
        return None  # somebody else's: not worth the risk
    if _checksum(raw[32:]) != raw[:32]:
        return None
    try:
        with collector_paused():
            statements, comments = _entry_decoder().decode(raw[32:])
    except (DecodeError, RecursionError):
        return None
    return SyntaxTree(statements, (), comments)


def _write_entry(entry: Path, tree: SyntaxTree) -> None:
    try:
        raw = msgpack.encode((tree.statements, tree.slash_comments))
        entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = f"{entry.parent}/.new-{os.getpid()}-{entry.name}"
        try:
            with open(temporary, "xb") as stream:
                stream.write(_checksum(raw) + raw)
            os.replace(temporary, entry)
        except OSError:
            os.unlink(temporary)
            raise
        _prune_entries(entry.parent)
    except (OSError, RecursionError, ValueError, OverflowError):
        return  # a number of more than 64 bits has no place in an entry, either


def _prune_entries(directory: Path) -> None:
    """Delete the older half if there are too many entries."""
    with os.scandir(directory) as listed:
        entries = [(entry.stat().st_mtime, entry.path) for entry in listed if entry.is_file()]
    if len(entries) > _MOST_ENTRIES:
        for _, path in sorted(entries)[: len(entries) // 2]:
            os.unlink(path)
