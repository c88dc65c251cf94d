"""Start and stop of the server. At shutdown, running requests are completed first."""

from __future__ import annotations

import errno
import socket
from datetime import timedelta
from types import FrameType
from typing import cast

import uvicorn

from sabir.errors import UsageError
from sabir.server.app import create_app
from sabir.server.connections import App, bounded_app, bounded_protocol
from sabir.server.service import SabirService
from sabir.server.settings import ServerSettings
from sabir.server.store.tokens import Role

_GRACE = 10
_LAST_PORT = 65535
_WAITING = 2048
"""Size of the queue of connections that are not accepted yet."""
_IDLE = 75
"""Idle seconds of a connection: longer than clients and proxies use, so that none is closed as a request arrives."""


def open_socket(settings: ServerSettings) -> socket.socket:
    """Open the listening socket. This comes first: a second server must not touch the data of the first."""
    host, port = settings.host, settings.port
    if port > _LAST_PORT:
        raise UsageError(f"there is no port {port}: the last one is {_LAST_PORT}")
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # With its protocol named: asyncio looks at it before it sends small answers without delay.
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _listen_error(settings, error) from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        listening.listen(_WAITING)
    except OSError as error:
        listening.close()
        raise _listen_error(settings, error) from error
    return listening


def _listen_error(settings: ServerSettings, error: OSError) -> UsageError:
    if error.errno == errno.EADDRINUSE:
        reason = "another program listens there: stop it, or choose another --port"
    else:
        reason = error.strerror or str(error)
    return UsageError(f"cannot listen on {settings.host} port {settings.port}: {reason}")


def server_url(settings: ServerSettings, listening: socket.socket) -> str:
    """Return the URL for a browser; port 0 is replaced by the port that the system chose."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{listening.getsockname()[1]}"


def run_server(service: SabirService, listening: socket.socket) -> None:
    """Serve until a signal arrives, then complete running requests within a grace period."""
    limits = service.settings.connections
    config = uvicorn.Config(
        bounded_app(cast("App", create_app(service.settings, service))),
        http=bounded_protocol(limits),
        ws="none",
        log_level="warning",
        timeout_graceful_shutdown=_GRACE,
        timeout_keep_alive=_IDLE,
        server_header=False,
    )
    _Server(config, service).run([listening])


class _Server(uvicorn.Server):
    """Ends the event streams of jobs at shutdown; they would otherwise keep the server running."""

    def __init__(self, config: uvicorn.Config, service: SabirService) -> None:
        super().__init__(config)
        self._service = service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._service.running.closing.set()
        super().handle_exit(sig, frame)


def first_token(service: SabirService) -> str | None:
    """Create a token on the first start; return None if there are tokens already."""
    return service.tokens.create("admin", Role.ADMIN)[1] if service.tokens.is_empty else None


def new_token(settings: ServerSettings, name: str, role: Role, *, days: int | None) -> str:
    """Create a token while the server may be running."""
    service = SabirService(settings)
    try:
        lifetime = None if days is None else timedelta(days=days)
        return service.tokens.create(name, role, lifetime=lifetime)[1]
    finally:
        service.close()
