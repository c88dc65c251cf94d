"""The ASGI application: routes, authentication, rate limit, and errors as JSON.

An error response is `{"error": {"message": …}}`, with the findings if there are any. Murano's client reads
the same form.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

from litestar import Litestar, Request, Response, Router, get
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.middleware import DefineMiddleware
from litestar.middleware.rate_limit import RateLimitConfig
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.status_codes import HTTP_400_BAD_REQUEST, HTTP_404_NOT_FOUND, HTTP_500_INTERNAL_SERVER_ERROR

from sabir import __version__
from sabir.checks.formatters.data import finding_data
from sabir.errors import DeployError, FindingError, InputError, SabirError, UsageError
from sabir.server.access import Authentication
from sabir.server.metrics import build_middleware
from sabir.server.murano.actions import MuranoActions, MuranoDeployments, MuranoStatics
from sabir.server.murano.catalogue import MuranoCategories, MuranoPackages
from sabir.server.murano.environments import MuranoEnvironments, MuranoModels, MuranoSessions
from sabir.server.murano.templates import MuranoTemplates
from sabir.server.page import page_router
from sabir.server.request_context import BoundedRequest
from sabir.server.routes.administration import AuditTrail, SignInRoutes, TokenRoutes, metrics
from sabir.server.routes.catalogue import CategoryRoutes, FormRoutes, PackageRoutes
from sabir.server.routes.deployments import DeploymentRoutes
from sabir.server.routes.environments import EnvironmentRoutes, FileRoutes
from sabir.server.routes.graph import GraphRoutes
from sabir.server.routes.jobs import JobRoutes
from sabir.server.service import SabirService
from sabir.server.settings import ServerSettings
from sabir.server.store.rows import AlreadyExistsError

_GONE: Final = "client disconnected prematurely"
"""The library's message for a client that disconnects early: not an error, and there is no one to respond to."""
_logger = logging.getLogger(__name__)


def _error_response(status: int, message: str, **more: Any) -> Response[dict[str, Any]]:
    return Response({"error": {"message": message, "code": status, **more}}, status_code=status)


def _handle_http_error(request: Request[Any, Any, Any], error: HTTPException) -> Response[dict[str, Any]]:
    if error.detail == _GONE:
        return _error_response(HTTP_400_BAD_REQUEST, _GONE)
    if error.status_code == HTTP_500_INTERNAL_SERVER_ERROR:
        return _handle_unexpected(request, error)
    more = {"details": error.extra} if error.extra else {}
    answer = _error_response(error.status_code, _error_message(request, error), **more)
    answer.headers.update(error.headers or {})
    return answer


def _error_message(request: Request[Any, Any, Any], error: HTTPException) -> str:
    """Return the message of an error; for an unknown address it names the API."""
    if error.status_code == HTTP_404_NOT_FOUND and error.detail == "Not Found":
        return f"there is nothing at {request.url.path}: /api/1/schema/openapi.json describes the API"
    return error.detail


def _handle_findings(_: Request[Any, Any, Any], error: FindingError) -> Response[dict[str, Any]]:
    findings = [finding_data(finding) for finding in error.findings]
    return _error_response(422, str(error), findings=findings)


def _handle_unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[dict[str, Any]]:
    _logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
    # Not 500: Murano's client crashes on it.
    return _error_response(503, "this is a fault of the service; its log says more")


HANDLERS: dict[Any, Any] = {
    HTTPException: _handle_http_error,
    RecursionError: lambda *_: _error_response(400, "the data is nested too deeply"),
    FindingError: _handle_findings,
    AlreadyExistsError: lambda _, error: _error_response(409, str(error)),
    DeployError: lambda _, error: _error_response(409, str(error)),
    UsageError: lambda _, error: _error_response(400, str(error)),
    InputError: lambda _, error: _error_response(400, str(error)),
    SabirError: lambda _, error: _error_response(400, str(error)),
    Exception: _handle_unexpected,
}


@get("/health", exclude_from_auth=True, tags=["service"])
async def health() -> dict[str, str]:
    """Whether the service answers."""
    return {"status": "ok", "version": __version__}


def create_app(settings: ServerSettings, service: SabirService | None = None) -> Litestar:
    """Build the application. It opens its own service unless one is passed, and closes it at shutdown."""
    running = service or SabirService(settings)

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncGenerator[None]:
        await running.running.recover()
        try:
            yield
        finally:
            await running.running.close()
            running.close()

    return Litestar(
        route_handlers=[health, _build_routes(settings), page_router()],
        state=State({"service": running}),
        lifespan=[lifespan],
        exception_handlers=HANDLERS,
        request_class=BoundedRequest,
        middleware=[
            build_middleware(running.measures),
            RateLimitConfig(("minute", settings.requests_a_minute)).middleware,
        ],
        request_max_body_size=settings.body_limit,
        openapi_config=OpenAPIConfig(
            title="sabir",
            version=__version__,
            path="/api/1/schema",
            # The other viewers load scripts from other sites.
            render_plugins=[JsonRenderPlugin()],
        ),
        response_headers=_security_headers(),
    )


def _build_routes(settings: ServerSettings) -> Router:
    """Return all routes that require a token."""
    uploads = Router(
        "/api/1",
        route_handlers=[PackageRoutes, FormRoutes, FileRoutes],
        request_max_body_size=settings.upload_limit,
    )
    others = Router(
        "/api/1",
        route_handlers=[
            AuditTrail,
            CategoryRoutes,
            DeploymentRoutes,
            EnvironmentRoutes,
            JobRoutes,
            GraphRoutes,
            SignInRoutes,
            TokenRoutes,
        ],
    )
    murano = Router(
        "/v1",
        route_handlers=[
            MuranoActions,
            MuranoCategories,
            MuranoDeployments,
            MuranoEnvironments,
            MuranoModels,
            MuranoPackages,
            MuranoSessions,
            MuranoStatics,
            MuranoTemplates,
        ],
        request_max_body_size=settings.upload_limit,
    )
    return Router(
        "/", route_handlers=[uploads, others, murano, metrics], middleware=[DefineMiddleware(Authentication)]
    )


def _security_headers() -> dict[str, str]:
    return {
        "content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
    }
