"""Authentication and authorization: the token of a request, and whether it permits the request."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from litestar.connection import ASGIConnection
from litestar.exceptions import NotAuthorizedException, PermissionDeniedException
from litestar.handlers import BaseRouteHandler
from litestar.middleware import AbstractAuthenticationMiddleware, AuthenticationResult

from sabir.server.service import SabirService
from sabir.server.store.tokens import TokenInfo, Verb

COOKIE: Final = "sabir_token"
PAGE_HEADER: Final = "x-sabir-page"
"""The web page sends it with every request; pages of other sites cannot add it."""


class Authentication(AbstractAuthenticationMiddleware):
    """Reads `Authorization: Bearer TOKEN`, `X-Auth-Token: TOKEN` (Murano's client), or the cookie of the
    web page.
    """

    async def authenticate_request(
        self, connection: ASGIConnection[Any, Any, Any, Any]
    ) -> AuthenticationResult:
        service: SabirService = connection.app.state.service
        secret = _read_secret(connection)
        if secret is None:
            raise NotAuthorizedException("a token is needed: Authorization: Bearer TOKEN")
        if _is_forgeable(connection):
            raise PermissionDeniedException(
                f"a request that changes something needs the header {PAGE_HEADER}"
            )
        info = service.tokens.recall(secret) or await asyncio.to_thread(service.tokens.find, secret)
        if info is None:
            raise NotAuthorizedException("this token is not known, or has expired")
        return AuthenticationResult(user=info, auth=secret)


def _is_forgeable(connection: ASGIConnection[Any, Any, Any, Any]) -> bool:
    """Tell whether another site could have sent the request: it has only the cookie, and would change
    something.
    """
    with_header = any(connection.headers.get(name) for name in ("authorization", "x-auth-token", PAGE_HEADER))
    return connection.scope.get("method") not in ("GET", "HEAD", "OPTIONS") and not with_header


def _read_secret(connection: ASGIConnection[Any, Any, Any, Any]) -> str | None:
    scheme, _, bearer = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and bearer:
        return bearer.strip()
    return connection.headers.get("x-auth-token") or connection.cookies.get(COOKIE)


def require_permission(verb: Verb) -> Any:
    """Return a guard that requires this verb, for the environment in the path if there is one."""

    def guard(connection: ASGIConnection[Any, TokenInfo, Any, Any], _: BaseRouteHandler) -> None:
        environment = connection.path_params.get("environment_id")
        token: TokenInfo = connection.user
        if not token.may(verb, environment):
            where = f" in environment {environment}" if environment and token.environments else ""
            raise PermissionDeniedException(f"the token {token.name!r} may not {verb.value}{where}")

    return guard
