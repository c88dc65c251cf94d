"""The check of an uploaded archive, as an HTTP service answers it (spec 001, "REST API impact")."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from sabir.checks.formatters.data import finding_data
from sabir.checks.options import CheckOptions
from sabir.errors import SabirError
from sabir.operations.check import check_package

__all__ = ["UPLOAD_FORMAT", "UploadAnswer", "check_upload", "upload_refused"]

UPLOAD_FORMAT: Final = "sabir.upload/1"


class UploadAnswer(Struct, frozen=True, kw_only=True):
    """HTTP status and JSON body. 200: the package may be stored; 400: it must not, and the body says why."""

    status: int
    body: dict[str, Any]

    def __iter__(self) -> Any:
        return iter((self.status, self.body))


def check_upload(archive: bytes, options: CheckOptions | None = None) -> UploadAnswer:
    """Check a package that arrived as the bytes of a zip archive. Nothing is unpacked to the disk."""
    from sabir.source.packages.archive import ZipLoader

    wanted = options or CheckOptions()
    package = ZipLoader.from_bytes(archive)
    if package is None:
        return upload_refused("the upload is no zip archive")
    try:
        report = check_package(package, wanted)
    except SabirError as error:
        return upload_refused(str(error))
    findings = [finding_data(finding) for _, finding in report.findings()]
    failed = report.exit_status(strict=wanted.strict)
    message = _message(report.errors, report.warnings)
    body = {"format": UPLOAD_FORMAT, "valid": not failed, "message": message, "findings": findings}
    return UploadAnswer(status=400 if failed else 200, body=body)


def upload_refused(reason: str) -> UploadAnswer:
    body = {"format": UPLOAD_FORMAT, "valid": False, "message": reason, "findings": []}
    return UploadAnswer(status=400, body=body)


def _message(errors: int, warnings: int) -> str:
    if not errors and not warnings:
        return "the package is fine"
    counts = [
        f"{count} {name}{'' if count == 1 else 's'}"
        for count, name in ((errors, "error"), (warnings, "warning"))
        if count
    ]
    return f"the package has {' and '.join(counts)}"
