"""How programs know the failures of Heat: by the exceptions of its client."""

from __future__ import annotations

from typing import Final

__all__ = ["heat_failure_name"]

_NAMES: Final = {
    400: "HTTPBadRequest",
    401: "HTTPUnauthorized",
    403: "HTTPForbidden",
    404: "HTTPNotFound",
    409: "HTTPConflict",
    500: "HTTPInternalServerError",
    503: "HTTPServiceUnavailable",
}


def heat_failure_name(status: int) -> str:
    return f"heatclient.exc.{_NAMES.get(status, 'HTTPException')}"
