"""The application: routes, who may ask, how much, and what errors look like."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from litestar import Litestar, Router, get
from litestar.datastructures import State
from litestar.middleware import DefineMiddleware
from litestar.middleware.rate_limit import RateLimitConfig
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin

from sabir import __version__
from sabir.server.access import Authentication
from sabir.server.errors import HANDLERS
from sabir.server.measuring import measured
from sabir.server.murano.actions import MuranoActions, MuranoDeployments, MuranoStatics
from sabir.server.murano.catalogue import MuranoCategories, MuranoPackages
from sabir.server.murano.environments import MuranoEnvironments, MuranoModels, MuranoSessions
from sabir.server.murano.templates import MuranoTemplates
from sabir.server.page import page_router
from sabir.server.requesting import BoundedRequest
from sabir.server.routes.administration import AuditTrail, Tokens, metrics
from sabir.server.routes.catalogue import Categories, Packages
from sabir.server.routes.deployments import Deployments
from sabir.server.routes.environments import Environments, Files
from sabir.server.routes.forms import Forms
from sabir.server.routes.graph import Questions
from sabir.server.routes.jobs import Jobs
from sabir.server.routes.session import Session
from sabir.server.service import Service
from sabir.server.settings import Settings

__all__ = ["create_app"]


@get("/health", exclude_from_auth=True, tags=["service"])
async def health() -> dict[str, str]:
    """Whether the service answers."""
    return {"status": "ok", "version": __version__}


def create_app(settings: Settings, service: Service | None = None) -> Litestar:
    running = service or Service(settings)

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncGenerator[None]:
        await running.running.recover()
        try:
            yield
        finally:
            await running.running.close()
            running.close()

    return Litestar(
        route_handlers=[health, _asked_by_somebody(settings), page_router()],
        state=State({"service": running}),
        lifespan=[lifespan],
        exception_handlers=HANDLERS,
        request_class=BoundedRequest,
        middleware=[
            measured(running.measures),
            RateLimitConfig(("minute", settings.requests_a_minute)).middleware,
        ],
        request_max_body_size=settings.body_limit,
        openapi_config=OpenAPIConfig(
            title="sabir",
            version=__version__,
            path="/api/1/schema",
            # The other ways to show it load scripts from elsewhere.
            render_plugins=[JsonRenderPlugin()],
        ),
        response_headers=_headers(),
    )


def _asked_by_somebody(settings: Settings) -> Router:
    """Everything that needs a token."""
    uploads = Router(
        "/api/1", route_handlers=[Packages, Forms, Files], request_max_body_size=settings.upload_limit
    )
    others = Router(
        "/api/1",
        route_handlers=[
            AuditTrail,
            Categories,
            Deployments,
            Environments,
            Jobs,
            Questions,
            Session,
            Tokens,
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


def _headers() -> dict[str, str]:
    return {
        "content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
    }
