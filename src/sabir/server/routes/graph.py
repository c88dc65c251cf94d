"""Queries on the graph of an environment."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from litestar import Controller, Response, get, post
from litestar.params import FromPath, FromQuery, JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_304_NOT_MODIFIED
from msgspec import Meta, Struct

from sabir import __version__
from sabir.server.access import require_permission
from sabir.server.request_context import (
    ServiceRequest,
    build_response,
    environment_of,
    get_page,
    page_response,
    sees_secrets,
    service_of,
)
from sabir.server.store.environments import EnvironmentInfo
from sabir.server.store.tokens import Verb
from sabir.server.work.asking import (
    ExpressionQuestion,
    GraphSubject,
    ImpactQuestion,
    PictureQuestion,
    Question,
    WhatIfQuestion,
    WhyQuestion,
)

Text = Annotated[str, Meta(min_length=1, max_length=10_000)]


class QueryBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An expression, its start instance and its variables."""

    expression: Text
    at: str | None = None
    """The instance to start from."""
    variables: dict[str, Any] = {}


class WhatIfBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Overrides to compare with the current graph."""

    values: Annotated[dict[str, Any], Meta(min_length=1, max_length=100)]
    """By INSTANCE.ATTRIBUTE."""


class GraphRoutes(Controller):
    """The graph, and the queries that the commands of the same names answer."""

    path = "/environments/{environment_id:str}"
    tags = ("questions",)

    @get("/graph", guards=[require_permission(Verb.READ)])
    async def graph(self, request: ServiceRequest, environment_id: FromPath[str]) -> Response[bytes]:
        """The revision, its findings, and the graph as `sabir compile` writes it. Its `ETag` tells whether it is another one."""
        service, info = service_of(request), await environment_of(request, environment_id)
        subject = await _subject(request, info)
        tag = f'"{__version__}-{subject.revision}-{subject.serial}{"-redacted" if subject.redacted else ""}"'
        if tag in request.headers.get("if-none-match", ""):
            return Response(b"", status_code=HTTP_304_NOT_MODIFIED, headers={"etag": tag})
        answered = build_response(await service.asking.graph(subject))
        if answered.status_code == HTTP_200_OK:
            answered.headers.update({"etag": tag, "cache-control": "private, no-cache"})
        return answered

    @get_page("/graph.html")
    async def picture(self, request: ServiceRequest, environment_id: FromPath[str]) -> Response[bytes]:
        """The graph as a page to walk about in."""
        service, info = service_of(request), await environment_of(request, environment_id)
        subject = await _subject(request, info)
        return page_response(await service.asking.ask(subject, PictureQuestion(info.name)))

    @post("/query", guards=[require_permission(Verb.READ)], status_code=HTTP_200_OK)
    async def query(
        self, request: ServiceRequest, environment_id: FromPath[str], data: JSONBody[QueryBody]
    ) -> Response[bytes]:
        """An Unfurl expression over the graph, as `sabir query`."""
        question = ExpressionQuestion(expression=data.expression, at=data.at, variables=data.variables)
        return await _run_question(request, environment_id, question)

    @get("/why", guards=[require_permission(Verb.READ)])
    async def why(
        self, request: ServiceRequest, environment_id: FromPath[str], subject: FromQuery[str]
    ) -> Response[bytes]:
        """Where INSTANCE[.ATTRIBUTE] came from, as `sabir why`."""
        return await _run_question(request, environment_id, WhyQuestion(subject))

    @get("/impact", guards=[require_permission(Verb.READ)])
    async def impact(
        self, request: ServiceRequest, environment_id: FromPath[str], line: FromQuery[str]
    ) -> Response[bytes]:
        """What rests on FILE:LINE, as `sabir impact`."""
        return await _run_question(request, environment_id, ImpactQuestion(line))

    @post("/what-if", guards=[require_permission(Verb.READ)], status_code=HTTP_200_OK)
    async def what_if(
        self, request: ServiceRequest, environment_id: FromPath[str], data: JSONBody[WhatIfBody]
    ) -> Response[bytes]:
        """What other values would change, as `sabir diff --set`."""
        return await _run_question(request, environment_id, WhatIfQuestion(data.values))


async def _run_question(request: ServiceRequest, environment_id: str, question: Question) -> Response[bytes]:
    service, info = service_of(request), await environment_of(request, environment_id)
    return build_response(await service.asking.ask(await _subject(request, info), question))


async def _subject(request: ServiceRequest, info: EnvironmentInfo) -> GraphSubject:
    redacted = not sees_secrets(request, info.id)
    return await asyncio.to_thread(lambda: service_of(request).subject(info, redacted=redacted))
