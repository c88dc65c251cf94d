"""Syntax trees kept between runs, by the hash of the text.

An entry is plain data (numbers, strings, tuples) in Python's marshal form with a checksum before it, from which only our
own node classes are built: it names no code that could run. Measured on 20,000 lines, this is written three times as
fast as a pickle and read as fast. A cache that cannot be read or written is no cache; nothing else changes.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.parser import SyntaxTree, parse

__all__ = ["cache_directory", "cached_parse"]

_VERSION: Final = "4"
"""Raised whenever the nodes or what the parser accepts change."""
_SMALLEST: Final = 4_000
"""Below this many characters parsing is as quick as reading the cache."""
_SMALL: Final = 100_000
_MOST_ENTRIES: Final = 2_000
_CLASSES: Final = (
    None,
    *(
        one
        for name in nodes.__all__
        if isinstance(one := getattr(nodes, name), type) and issubclass(one, tuple)
    ),
)
_NUMBERS: Final = {one: number for number, one in enumerate(_CLASSES) if one is not None}


def cache_directory() -> Path | None:
    """Where trees are kept: `$SABIR_CACHE_DIR`, else below the user's cache directory; None when switched off."""
    chosen = os.environ.get("SABIR_CACHE_DIR")
    if chosen is not None:
        return Path(chosen) / "inmanta" if chosen else None
    home = os.environ.get("XDG_CACHE_HOME")
    if home and os.path.isabs(home):
        return Path(home) / "sabir" / "inmanta"
    try:
        return Path.home() / ".cache" / "sabir" / "inmanta"
    except RuntimeError:
        return None


def cached_parse(text: str, directory: Path | None) -> SyntaxTree:
    """The tree of a text, from the cache when it is there."""
    if directory is None or len(text) < _SMALLEST:
        return parse(text)
    digest = _checksum(text.encode("utf-8", errors="surrogatepass")).hex()
    entry = directory / f"{digest}.{_VERSION}.{sys.implementation.cache_tag}"
    tree = _read(entry)
    if tree is None:
        tree = parse(text)
        if not tree.problems:
            _write(entry, tree)
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


def _read(entry: Path) -> SyntaxTree | None:
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
    import marshal

    collecting = gc.isenabled()
    gc.disable()  # see parse()
    try:
        statements, comments = marshal.loads(raw[32:])
        return SyntaxTree(_built(statements), (), comments)
    except (ValueError, TypeError, EOFError, IndexError, RecursionError):
        return None
    finally:
        if collecting:
            gc.enable()


def _plain(node: Any) -> tuple[Any, ...]:
    """A node as a tuple that begins with the number of its class; 0 for a plain tuple."""
    return (_NUMBERS.get(type(node), 0), *[_plain(one) if isinstance(one, tuple) else one for one in node])


def _built(plain: tuple[Any, ...], new: Any = tuple.__new__) -> Any:
    cls = _CLASSES[plain[0]]
    parts = [_built(one) if type(one) is tuple else one for one in plain[1:]]
    return tuple(parts) if cls is None else new(cls, parts)


def _write(entry: Path, tree: SyntaxTree) -> None:
    import marshal

    collecting = gc.isenabled()
    gc.disable()  # see parse()
    try:
        raw = marshal.dumps((_plain(tree.statements), tree.slash_comments))
        entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = f"{entry.parent}/.new-{os.getpid()}-{entry.name}"
        try:
            with open(temporary, "xb") as stream:
                stream.write(_checksum(raw) + raw)
            os.replace(temporary, entry)
        except OSError:
            os.unlink(temporary)
            raise
        _prune(entry.parent)
    except (OSError, RecursionError, ValueError):
        return
    finally:
        if collecting:
            gc.enable()


def _prune(directory: Path) -> None:
    """Forget the older half when there are too many entries."""
    with os.scandir(directory) as found:
        entries = [(one.stat().st_mtime, one.path) for one in found if one.is_file()]
    if len(entries) > _MOST_ENTRIES:
        for _, path in sorted(entries)[: len(entries) // 2]:
            os.unlink(path)
