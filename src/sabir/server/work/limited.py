"""Processes for work on what strangers wrote: each piece under the limits of the system, a process that breaks them is replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from typing import Final, ParamSpec, TypeVar

from sabir.errors import SabirError

__all__ = ["LimitedProcesses", "ProcessEnded"]

P = ParamSpec("P")
T = TypeVar("T")

_PROCESSES: Final = 2


class ProcessEnded(SabirError):
    """The system ended the process: it took more than is allowed, or shared a pool with one that did."""


class LimitedProcesses:
    """`pieces`: how much work a process does before a fresh one takes its place."""

    def __init__(self, *, pieces: int) -> None:
        self._pieces = pieces
        self._pool = self._fresh()

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        pool = self._pool
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, partial(work, *args, **kwargs))
        except BrokenProcessPool as error:
            # The others of the pool are lost with it; whoever notices first makes another.
            if pool is self._pool:
                self._pool = self._fresh()
                pool.shutdown(wait=False, cancel_futures=True)
            raise ProcessEnded("it took more than is allowed here, and was ended") from error

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _fresh(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            _PROCESSES, mp_context=get_context("spawn"), max_tasks_per_child=self._pieces
        )
