"""Work on paths, shared out to processes."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

__all__ = ["in_processes"]

Result = TypeVar("Result")


def in_processes(work: Callable[[Path], Result], paths: Sequence[Path], workers: int) -> list[Result]:
    """The results in the order of the paths. `work` must be something that pickle can send."""
    # A forked process has everything imported already; elsewhere starting one costs as much as dozens of packages.
    method = "fork" if sys.platform == "linux" else None
    chunk = max(1, len(paths) // (workers * 4))
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context(method)) as pool:
        return [*pool.map(work, paths, chunksize=chunk)]
