"""Checks of uploads, in processes of their own that the system limits: whoever uploads is nobody to be trusted."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from sabir.checks.options import CheckOptions
from sabir.errors import Overrun, SabirError
from sabir.operations.check import UploadAnswer, check_upload, upload_refused
from sabir.operations.limits import within
from sabir.operations.packages import find_language
from sabir.server.describing import described
from sabir.server.store.catalogue import Described
from sabir.server.work.limited import LimitedProcesses, ProcessEnded
from sabir.session import PROFILES, Session

__all__ = ["CheckedUpload", "Checking"]

_UPLOADS_A_PROCESS: Final = 500


class CheckedUpload(Struct, frozen=True, kw_only=True):
    """The answer to an upload; `described` only when the package may be stored."""

    status: int
    body: dict[str, Any]
    described: Described | None = None


class Checking:
    def __init__(self) -> None:
        self._processes = LimitedProcesses(pieces=_UPLOADS_A_PROCESS)

    async def check(self, archive: bytes) -> CheckedUpload:
        try:
            return await self._processes.run(_check, archive)
        except ProcessEnded:
            return _of(upload_refused("the check of the package took more than a stranger's package may"))

    def close(self) -> None:
        self._processes.close()


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
