"""Work shared out to processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, Final, TypeVar

from sabir.checks.check_task import PreparedCheck
from sabir.diagnostics.finding import Finding
from sabir.source.packages import LoadedPackage

__all__ = ["SAFE_PATH", "in_processes", "safe_child_imports", "shared_checks"]

SAFE_PATH: Final = "PYTHONSAFEPATH"

Item = TypeVar("Item")
Result = TypeVar("Result")

# A forked process has everything imported and read already; elsewhere starting one costs as much as dozens of packages.
_FORKS: Final = sys.platform == "linux"
# Below so many files two processes cost more than they save.
_FEWEST_FILES: Final = 64

_work: ContextVar[Callable[[Any], Any]] = ContextVar("work")
"""What a worker process does with each item. Set there once, when it begins; never in this process."""


@contextmanager
def safe_child_imports() -> Generator[None]:
    """Keep the working directory out of the module search path of processes that `multiprocessing` spawns meanwhile.

    It starts them as `python -c …`, which looks there first, before any code of sabir runs. It accepts no options of the
    interpreter, so only the environment can tell it.
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


def in_processes(work: Callable[[Item], Result], items: Sequence[Item], workers: int) -> Iterator[Result]:
    """The results in the order of the items. Where processes are not forked, pickle must be able to send `work`."""
    # The first is done here: what it imports and reads is then there for all.
    for item in items[:1]:
        yield work(item)
    yield from _shared_out(work, items[1:], workers)


def shared_checks(checks: Sequence[PreparedCheck], package: LoadedPackage, workers: int) -> Iterator[Finding]:
    """The findings of the checks of one package: those of single files are shared out, the others run here first,
    so that what they read of the package is there for all."""
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
    for findings in _shared_out(lambda position: [*files[position]()], range(len(files)), workers):
        yield from findings


def _shared_out(work: Callable[[Item], Result], items: Sequence[Item], workers: int) -> Iterator[Result]:
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
            ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(work,)) as pool,
        ):
            yield from pool.map(_do, items, chunksize=chunk)
    finally:
        gc.unfreeze()


def _begin(work: Callable[[Any], Any]) -> None:
    _work.set(work)


def _do(item: Any) -> Any:
    return _work.get()(item)
