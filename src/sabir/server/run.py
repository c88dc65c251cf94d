"""Serving: until it is asked to stop, requests that run are answered first."""

from __future__ import annotations

from datetime import timedelta
from types import FrameType

import uvicorn

from sabir.server.app import create_app
from sabir.server.service import Service
from sabir.server.settings import Settings
from sabir.server.store.tokens import Role

__all__ = ["first_token", "new_token", "serve"]

_GRACE = 10
_IDLE = 75
"""Seconds that a connection may wait for its next request: longer than clients and proxies keep theirs, so that none is closed while one comes."""


def serve(service: Service) -> None:
    settings = service.settings
    config = uvicorn.Config(
        create_app(settings, service),
        host=settings.host,
        port=settings.port,
        log_level="warning",
        timeout_graceful_shutdown=_GRACE,
        timeout_keep_alive=_IDLE,
        server_header=False,
    )
    _Server(config, service).run()


class _Server(uvicorn.Server):
    """Whoever follows a job would keep the service from stopping: they are sent away first."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._service.running.closing.set()
        super().handle_exit(sig, frame)


def first_token(service: Service) -> str | None:
    """A token for whoever starts the service the first time; None when there are tokens already."""
    return service.tokens.create("admin", Role.ADMIN)[1] if service.tokens.is_empty else None


def new_token(settings: Settings, name: str, role: Role, *, days: int | None) -> str:
    """A token that is made beside the running service."""
    service = Service(settings)
    try:
        lifetime = None if days is None else timedelta(days=days)
        return service.tokens.create(name, role, lifetime=lifetime)[1]
    finally:
        service.close()
