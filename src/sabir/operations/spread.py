"""Work on many packages, shared out to the workers of a scheduler: `--executor dask://…`.

Workers read the packages themselves, at the same paths: a shared file system, or copies. So that a copy which lags behind gives no
answer about something else, a digest of every package goes with its path, and a worker that sees other files says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from stat import S_ISLNK, S_ISREG
from typing import Any, Final, TypeVar

from msgspec import Struct

from sabir.errors import UsageError
from sabir.source.packages.file import is_stream

__all__ = ["content_digest", "on_workers"]

Result = TypeVar("Result")

_LEFT_OUT: Final = frozenset({".git", ".sabir", ".venv", "__pycache__", "node_modules"})
_MOST: Final = 20
"""Packages that one process on a worker takes: it starts in the time that a few of them take."""


def on_workers(url: str, work: Callable[[Path], Result], paths: Sequence[Path]) -> Iterator[Result | str]:
    """What comes of each path, in order; a text says why there is nothing. `work` must be able to travel."""
    from sabir.deployments.cluster.child import Ended, Errand, Raised
    from sabir.deployments.cluster.scheduler import Cluster

    for path in filter(is_stream, paths):
        raise UsageError(f"{str(path)!r} is here only: workers read what has a path")
    there = _There(work)
    items = [(path, content_digest(path)) for path in paths]
    errands = [
        Errand(work=there, items=items[start : start + _MOST], folder=os.getcwd())
        for start in range(0, len(items), _MOST)
    ]
    results = (result for errand in Cluster(url).run_errands(errands) for result in errand)
    for path, result in zip(paths, results, strict=True):
        if isinstance(result, Raised):
            raise result.error
        yield f"{path}: {result.reason}" if isinstance(result, Ended) else result


class _There(Struct, frozen=True, eq=False):
    """The work on one path as a worker does it."""

    work: Callable[[Path], Any]

    def __call__(self, item: tuple[Path, str]) -> Any:
        path, digest = item
        if content_digest(path) != digest:
            return f"{path}: the worker sees other files there: what is to be read must be the same for all workers"
        return self.work(path)


def content_digest(path: Path) -> str:
    """Of the names and contents of everything below a path; of a path that is not there, too."""
    total = blake2b(digest_size=16)
    for name in _files(path):
        total.update(f"{name.relative_to(path).as_posix()}\0".encode("utf-8", "surrogateescape"))
        total.update(_content(name))
    return total.hexdigest()


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(set(folders) - _LEFT_OUT)
        for name in sorted(names):
            yield Path(folder, name)


def _content(file: Path) -> bytes:
    """A digest of one file; a link is told by where it leads, and what is no file by being none."""
    try:
        mode = file.lstat().st_mode
        if S_ISLNK(mode):
            return b"link " + os.fsencode(os.readlink(file))
        if not S_ISREG(mode):
            return b"other"
        with file.open("rb") as stream:
            digest = blake2b(digest_size=16)
            while chunk := stream.read(1 << 20):
                digest.update(chunk)
        return digest.digest()
    except OSError as error:
        return f"error {error.errno}".encode()
