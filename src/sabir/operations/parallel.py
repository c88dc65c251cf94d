"""Distribution of work to local processes, or to the workers of a scheduler (`--executor dask://…`).

Remote workers read the packages themselves at the same paths: a shared file system, or copies. A digest of
every package is sent with its path, so that a worker with an outdated copy reports that instead of a wrong
result.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from hashlib import blake2b
from pathlib import Path
from stat import S_ISLNK, S_ISREG
from typing import Any, Final, TypeVar

from msgspec import Struct

from sabir.checks.check_task import CheckTask
from sabir.diagnostics.finding import Finding
from sabir.errors import UsageError
from sabir.source.packages import LoadedPackage
from sabir.source.packages.file import is_stream

SAFE_PATH: Final = "PYTHONSAFEPATH"

Item = TypeVar("Item")
Result = TypeVar("Result")

# A forked process has everything imported and read already; elsewhere starting one costs as much as dozens of packages.
_FORKS: Final = sys.platform == "linux"
# Below so many files two processes cost more than they save.
_FEWEST_FILES: Final = 64

_work: ContextVar[Callable[[Any], Any]] = ContextVar("work")
"""The work of a worker process. Set once when that process starts; never in this process."""


@contextmanager
def safe_child_imports() -> Generator[None]:
    """Keep the working directory out of the module search path of processes that `multiprocessing` starts
    meanwhile.

    It starts them as `python -c …`, which searches the working directory first, before any code of sabir
    runs. It does not pass interpreter options, so only an environment variable can prevent this.
    """
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


def map_in_processes(work: Callable[[Item], Result], items: Sequence[Item], workers: int) -> Iterator[Result]:
    """Yield the results in the order of the items. Where processes are not forked, `work` must be
    picklable.
    """
    # The first is done here: what it imports and reads is then there for all.
    for item in items[:1]:
        yield work(item)
    yield from _run_pool(work, items[1:], workers)


def run_shared_checks(checks: Sequence[CheckTask], package: LoadedPackage, workers: int) -> Iterator[Finding]:
    """Yield the findings of the checks of one package. Checks of single files are distributed.

    The others run here first, so that the forked processes inherit what they have read.
    """
    files = [check for check in checks if package.exists(check.file)]
    if not _FORKS or len(files) < _FEWEST_FILES:
        files = []
    shared = {id(check) for check in files}
    for check in checks:
        if id(check) not in shared:
            yield from check()
    # Comments that excuse findings are looked for in the files that this process has opened.
    for file in filter(None, (package.get_file(check.file) for check in files)):
        _ = file.source
    for findings in _run_pool(lambda position: [*files[position]()], range(len(files)), workers):
        yield from findings


def _run_pool(work: Callable[[Item], Result], items: Sequence[Item], workers: int) -> Iterator[Result]:
    if not items:
        return
    import gc
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    workers = min(workers, len(items))
    # Small enough that no process waits long for the last one.
    chunk = max(1, len(items) // (workers * 16))
    context = multiprocessing.get_context("fork" if _FORKS else None)
    # What a collection would touch in a forked process would have to be copied.
    gc.freeze()
    try:
        with (
            nullcontext() if _FORKS else safe_child_imports(),
            ProcessPoolExecutor(workers, mp_context=context, initializer=_set_work, initargs=(work,)) as pool,
        ):
            yield from pool.map(_run_item, items, chunksize=chunk)
    finally:
        gc.unfreeze()


def _set_work(work: Callable[[Any], Any]) -> None:
    _work.set(work)


def _run_item(item: Any) -> Any:
    return _work.get()(item)


_LEFT_OUT: Final = frozenset({".git", ".sabir", ".venv", "__pycache__", "node_modules"})
_MOST: Final = 20
"""Packages per process on a worker: starting one takes as long as checking a few packages."""


def map_on_workers(url: str, work: Callable[[Path], Result], paths: Sequence[Path]) -> Iterator[Result | str]:
    """Yield the result for each path, in order; a string is the reason why there is none. `work` must be
    picklable.
    """
    from sabir.deployments.cluster.child import BatchJob, ProcessExit, RaisedError
    from sabir.deployments.cluster.scheduler import WorkerCluster

    for path in filter(is_stream, paths):
        raise UsageError(f"{str(path)!r} is here only: workers read what has a path")
    there = _RemoteTask(work)
    items = [(path, content_digest(path)) for path in paths]
    errands = [
        BatchJob(work=there, items=items[start : start + _MOST], folder=os.getcwd())
        for start in range(0, len(items), _MOST)
    ]
    results = (result for errand in WorkerCluster(url).run_batch_jobs(errands) for result in errand)
    for path, result in zip(paths, results, strict=True):
        if isinstance(result, RaisedError):
            raise result.error
        yield f"{path}: {result.reason}" if isinstance(result, ProcessExit) else result


class _RemoteTask(Struct, frozen=True, eq=False):
    """The work on one path, as a worker runs it."""

    work: Callable[[Path], Any]

    def __call__(self, item: tuple[Path, str]) -> Any:
        path, digest = item
        if content_digest(path) != digest:
            return f"{path}: the worker sees other files there: what is to be read must be the same for all workers"
        return self.work(path)


def content_digest(path: Path) -> str:
    """Return a digest of the names and contents of everything in a path; also defined for a missing path."""
    total = blake2b(digest_size=16)
    for name in _list_files(path):
        total.update(f"{name.relative_to(path).as_posix()}\0".encode("utf-8", "surrogateescape"))
        total.update(_file_digest(name))
    return total.hexdigest()


def _list_files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(set(folders) - _LEFT_OUT)
        for name in sorted(names):
            yield Path(folder, name)


def _file_digest(file: Path) -> bytes:
    """Return a digest of one file; a link counts by its target, and a special file by its type."""
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
