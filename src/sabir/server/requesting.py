"""What every route asks first: the service, and the environment of its path."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from litestar import MediaType, Request, Response, get
from litestar.datastructures import State
from litestar.exceptions import NotFoundException
from litestar.status_codes import HTTP_200_OK

from sabir.server.access import allowed
from sabir.server.service import Service
from sabir.server.store.environments import EnvironmentInfo
from sabir.server.store.tokens import TokenInfo, Verb
from sabir.server.work.asking import Answered

__all__ = ["Asking", "answer", "environment_of", "get_page", "json_answer", "page_answer", "service_of"]

Asking = Request[TokenInfo, str, State]


def service_of(request: Request[Any, Any, Any]) -> Service:
    service: Service = request.app.state.service
    return service


async def environment_of(request: Asking, environment_id: str) -> EnvironmentInfo:
    environments = service_of(request).environments
    info = environments.recall(environment_id) or await asyncio.to_thread(environments.get, environment_id)
    if info is None:
        raise NotFoundException(f"no environment {environment_id!r}")
    return info


def answer(answered: Answered) -> Response[bytes]:
    """An answer that a worker has written already."""
    return Response(answered.body, status_code=answered.status, media_type="application/json")


def json_answer(data: Any) -> Response[bytes]:
    """Any data; a text alone would not be written as JSON."""
    return Response(msgspec.json.encode(data), media_type="application/json")


def get_page(path: str) -> get:
    """A route to a page that the service shows inside its own. The policy that keeps everything else out stands in the page."""
    return get(
        path,
        guards=[allowed(Verb.READ)],
        media_type=MediaType.HTML,
        response_headers={"content-security-policy": "frame-ancestors 'self'"},
    )


def page_answer(answered: Answered) -> Response[bytes]:
    """A page that a process has written; what is wrong is JSON as everywhere."""
    kind = MediaType.HTML if answered.status == HTTP_200_OK else MediaType.JSON
    return Response(answered.body, status_code=answered.status, media_type=kind)
