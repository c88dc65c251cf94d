"""Syntax trees kept between runs, by the hash of the text.

A cached tree is a pickle that may name nothing but our own node classes: what somebody else puts into the cache can be
wrong, but it cannot run. A cache that cannot be read or written is no cache; nothing else changes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.parser import SyntaxTree, parse
from sabir.languages.inmanta.syntax.stream import SyntaxProblem

if TYPE_CHECKING:
    from io import BytesIO

__all__ = ["cache_directory", "cached_parse"]

_VERSION: Final = "1"
"""Raised whenever the nodes or what the parser accepts change."""
_SMALLEST: Final = 4_000
"""Below this many characters parsing is as quick as reading the cache."""
_MOST_ENTRIES: Final = 2_000


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
    import hashlib

    digest = hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()
    entry = directory / f"{digest}.{_VERSION}.{sys.implementation.cache_tag}"
    tree = _read(entry)
    if tree is None:
        tree = parse(text)
        if not tree.problems:
            _write(entry, tree)
    return tree


def _read(entry: Path) -> SyntaxTree | None:
    try:
        raw = entry.read_bytes()
    except OSError:
        return None
    import io
    import pickle

    try:
        tree = _restricted(io.BytesIO(raw))
    except (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError, ValueError, TypeError):
        return None
    except (RecursionError, MemoryError, KeyError, OverflowError):
        return None
    return tree


def _restricted(stream: BytesIO) -> SyntaxTree | None:
    import pickle

    allowed = {name: getattr(nodes, name) for name in nodes.__all__}

    class Reader(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> object:
            if module == nodes.__name__ and name in allowed and isinstance(allowed[name], type):
                return allowed[name]
            raise pickle.UnpicklingError(f"{module}.{name} has no place in a syntax tree")

    loaded = Reader(stream).load()
    if not (isinstance(loaded, tuple) and len(loaded) == 2):
        return None
    statements, comments = loaded
    problems: tuple[SyntaxProblem, ...] = ()
    return SyntaxTree(statements, problems, comments)


def _write(entry: Path, tree: SyntaxTree) -> None:
    import pickle
    import tempfile

    try:
        raw = pickle.dumps((tree.statements, tree.slash_comments), protocol=5)
        entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=entry.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(raw)
            os.replace(temporary, entry)
        except OSError:
            os.unlink(temporary)
            raise
        _prune(entry.parent)
    except (OSError, RecursionError, pickle.PicklingError):
        return


def _prune(directory: Path) -> None:
    """Forget the older half when there are too many entries."""
    with os.scandir(directory) as found:
        entries = [(one.stat().st_mtime, one.path) for one in found if one.is_file()]
    if len(entries) > _MOST_ENTRIES:
        for _, path in sorted(entries)[: len(entries) // 2]:
            os.unlink(path)
