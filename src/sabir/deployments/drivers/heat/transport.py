"""What carries requests to a cloud: answers within a size, and no way to another server.

The client of the cloud follows wherever an answer sends it, with the token that it was given for this one; and it reads whatever
comes. Both are stopped here, below it.
"""

from __future__ import annotations

import io
from contextlib import suppress
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import requests
from keystoneauth1.session import Session, TCPKeepAliveAdapter
from urllib3.exceptions import HTTPError

from sabir.deployments.drivers.answers import ENCODINGS, AnswerRefused, Body, NoJson, decoded

__all__ = ["bind", "refused"]

_PIECE: Final = 1 << 16


class NotTaken(requests.RequestException):
    """An answer that is refused, in a form that passes through the client."""


def refused(error: Exception) -> str | None:
    """Why an answer was refused, when that is what the client failed of."""
    cause = getattr(error, "original", None)
    return str(cause) if isinstance(cause, NotTaken) else None


def bind(session: Session) -> None:
    """From now on every answer to this session is held to the bounds."""
    for scheme in ("http://", "https://"):
        session.session.mount(scheme, _Bounded())


class _Bounded(TCPKeepAliveAdapter):
    def send(self, request: requests.PreparedRequest, *args: Any, **options: Any) -> requests.Response:
        request.headers["Accept-Encoding"] = ENCODINGS
        try:
            response = super().send(request, *args, **{**options, "stream": True})
        except requests.ConnectionError as error:
            if _is_no_http(error):
                raise NotTaken("what it answers is no HTTP") from error
            raise
        try:
            _check_way(request, response)
            body = Body(response.headers.get("Content-Encoding"))
            for piece in response.raw.stream(_PIECE, decode_content=False):
                body.add(piece)
            with suppress(NoJson):  # the client says so itself
                decoded(body.content())
        except AnswerRefused as error:
            raise NotTaken(str(error)) from error
        except HTTPError as error:
            raise NotTaken("the connection broke in the middle of its answer") from error
        finally:
            response.close()
        response.raw = io.BytesIO(body.content())  # read, and unpacked: the client takes it from here
        return response


def _is_no_http(error: requests.ConnectionError) -> bool:
    """Whether something did come; a connection that only ended is tried again."""
    causes = [cause for reason in error.args for cause in getattr(reason, "args", ())]
    return any(isinstance(cause, HTTPException) and not isinstance(cause, OSError) for cause in causes)


def _check_way(request: requests.PreparedRequest, response: requests.Response) -> None:
    way = response.headers.get("Location")
    if way is None or not 300 <= response.status_code < 400:
        return
    here, there = urlsplit(request.url or ""), urlsplit(urljoin(request.url or "", way))
    if (there.scheme, there.netloc) != (here.scheme, here.netloc):
        raise NotTaken(f"it sends requests on to {there.netloc}, which is not the same server")
