"""Checks of uploads, in processes of their own that the system limits: whoever uploads is nobody to be trusted."""

from __future__ import annotations

import asyncio
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, Final

from msgspec import Struct

from sabir.checks.options import CheckOptions
from sabir.errors import Overrun, SabirError
from sabir.operations.guard import within
from sabir.operations.languages import find_language
from sabir.operations.upload import UploadAnswer, check_upload, upload_refused
from sabir.server.describing import described
from sabir.server.store.catalogue import Described
from sabir.session import PROFILES, Session

__all__ = ["CheckedUpload", "Checking"]

_PROCESSES: Final = 2
_UPLOADS_A_PROCESS: Final = 500


class CheckedUpload(Struct, frozen=True, kw_only=True):
    """The answer to an upload; `described` only when the package may be stored."""

    status: int
    body: dict[str, Any]
    described: Described | None = None


class Checking:
    def __init__(self) -> None:
        self._pool = _pool()

    async def check(self, archive: bytes) -> CheckedUpload:
        pool = self._pool
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, _check, archive)
        except BrokenProcessPool:
            # The system ended a process that did not keep to its limits; the others of the pool are lost with it.
            if pool is self._pool:
                self._pool = _pool()
                pool.shutdown(wait=False, cancel_futures=True)
            return _of(upload_refused("the check of the package took more than a stranger's package may"))

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(
        _PROCESSES, mp_context=get_context("spawn"), max_tasks_per_child=_UPLOADS_A_PROCESS
    )


def _check(archive: bytes) -> CheckedUpload:
    """In a process of the pool."""
    from sabir.source.packages.archive import ZipLoader

    limits = PROFILES["strict"]
    session = Session(limits=limits)
    try:
        with within(limits, "the package"):
            answer = check_upload(archive, CheckOptions(session=session))
            if answer.status != 200:
                return _of(answer)
            package = ZipLoader.from_bytes(archive, limits.package)
            assert package is not None, "it was checked"
            return CheckedUpload(
                status=200, body=answer.body, described=described(package, find_language(package))
            )
    except Overrun as stopped:
        return _of(upload_refused(stopped.finding.message))
    except SabirError as error:
        return _of(upload_refused(str(error)))


def _of(answer: UploadAnswer) -> CheckedUpload:
    return CheckedUpload(status=answer.status, body=answer.body)
