"""Processes with limits for untrusted input, and the check of uploaded packages in them.

A process that exceeds its limits is ended by the operating system and replaced.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from typing import Any, Final, ParamSpec, TypeVar

from msgspec import Struct

from sabir.checks.options import CheckOptions
from sabir.errors import Overrun, SabirError, ServerError
from sabir.operations.check import UploadResponse, check_upload, refuse_upload
from sabir.operations.limits import enforce_limits
from sabir.operations.packages import find_language
from sabir.server.package_metadata import read_metadata
from sabir.server.store.catalogue import PackageMetadata
from sabir.session import PROFILES, Session

P = ParamSpec("P")
T = TypeVar("T")

_PROCESSES: Final = 2


class ProcessEndedError(ServerError):
    """The process exceeded its limits, or shared a pool with one that did."""


class LimitedProcesses:
    """A pool of limited processes; each is replaced after `pieces` pieces of work."""

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
            raise ProcessEndedError("it took more than is allowed here, and was ended") from error

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _fresh(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            _PROCESSES, mp_context=get_context("spawn"), max_tasks_per_child=self._pieces
        )


_UPLOADS_A_PROCESS: Final = 500


class CheckedUpload(Struct, frozen=True, kw_only=True):
    """The response to an upload; `described` is only set if the package may be stored."""

    status: int
    body: dict[str, Any]
    described: PackageMetadata | None = None


class UploadChecker:
    """Checks uploaded archives in limited processes."""

    def __init__(self) -> None:
        self._processes = LimitedProcesses(pieces=_UPLOADS_A_PROCESS)

    async def check(self, archive: bytes) -> CheckedUpload:
        try:
            return await self._processes.run(_check_archive, archive)
        except ProcessEndedError:
            return _convert_response(
                refuse_upload("the check of the package took more than a stranger's package may")
            )

    def close(self) -> None:
        self._processes.close()


def _check_archive(archive: bytes) -> CheckedUpload:
    """Check an archive; runs in a process of the pool."""
    from sabir.source.packages.archive import ZipLoader

    limits = PROFILES["strict"]
    session = Session(limits=limits)
    try:
        with enforce_limits(limits, "the package"):
            answer = check_upload(archive, CheckOptions(session=session))
            if answer.status != 200:
                return _convert_response(answer)
            package = ZipLoader.from_bytes(archive, limits.package)
            assert package is not None, "it was checked"
            return CheckedUpload(
                status=200, body=answer.body, described=read_metadata(package, find_language(package))
            )
    except Overrun as stopped:
        return _convert_response(refuse_upload(stopped.finding.message))
    except SabirError as error:
        return _convert_response(refuse_upload(str(error)))


def _convert_response(answer: UploadResponse) -> CheckedUpload:
    return CheckedUpload(status=answer.status, body=answer.body)
