"""Errors as answers: `{"error": {"message": …}}`, with the findings where there are some. Murano's client reads the same form."""

from __future__ import annotations

import logging
from typing import Any, Final

from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.status_codes import HTTP_400_BAD_REQUEST, HTTP_404_NOT_FOUND, HTTP_500_INTERNAL_SERVER_ERROR

from sabir.checks.formatters.data import finding_data
from sabir.errors import DeployError, FindingError, SabirError, UnusableInput, UsageError
from sabir.server.store.rows import AlreadyThere

__all__ = ["HANDLERS"]

_GONE: Final = "client disconnected prematurely"
"""What the library says when somebody leaves before their request is whole: no fault, and nobody is left to be answered."""
_logger = logging.getLogger(__name__)


def _answer(status: int, message: str, **more: Any) -> Response[dict[str, Any]]:
    return Response({"error": {"message": message, "code": status, **more}}, status_code=status)


def _http(request: Request[Any, Any, Any], error: HTTPException) -> Response[dict[str, Any]]:
    if error.detail == _GONE:
        return _answer(HTTP_400_BAD_REQUEST, _GONE)
    if error.status_code == HTTP_500_INTERNAL_SERVER_ERROR:
        return _unexpected(request, error)
    more = {"details": error.extra} if error.extra else {}
    answer = _answer(error.status_code, _message(request, error), **more)
    answer.headers.update(error.headers or {})
    return answer


def _message(request: Request[Any, Any, Any], error: HTTPException) -> str:
    """What went wrong; of an address that leads nowhere, where the API is."""
    if error.status_code == HTTP_404_NOT_FOUND and error.detail == "Not Found":
        return f"there is nothing at {request.url.path}: /api/1/schema/openapi.json describes the API"
    return error.detail


def _findings(_: Request[Any, Any, Any], error: FindingError) -> Response[dict[str, Any]]:
    findings = [finding_data(finding) for finding in error.findings]
    return _answer(422, str(error), findings=findings)


def _unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[dict[str, Any]]:
    _logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
    # Not 500: Murano's client crashes on it.
    return _answer(503, "this is a fault of the service; its log says more")


HANDLERS: dict[Any, Any] = {
    HTTPException: _http,
    RecursionError: lambda *_: _answer(400, "the data is nested too deeply"),
    FindingError: _findings,
    AlreadyThere: lambda _, error: _answer(409, str(error)),
    DeployError: lambda _, error: _answer(409, str(error)),
    UsageError: lambda _, error: _answer(400, str(error)),
    UnusableInput: lambda _, error: _answer(400, str(error)),
    SabirError: lambda _, error: _answer(400, str(error)),
    Exception: _unexpected,
}
