"""Tokens, audit trail, metrics, and sign-in of the web page.

Signing in stores the token in a cookie that scripts cannot read. A browser also sends the cookie with
requests that another site makes. `SameSite=Strict` prevents that, and a request that changes something must
have a header that another site cannot add.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Annotated

from litestar import Controller, Request, Response, delete, get, post
from litestar.datastructures import Cookie, State
from litestar.exceptions import NotAuthorizedException, NotFoundException
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK
from msgspec import Meta, Struct

from sabir.server.access import COOKIE, require_permission
from sabir.server.request_context import ServiceRequest, service_of
from sabir.server.service import SabirService
from sabir.server.store.tokens import AuditLine, Role, TokenInfo, Verb

Name = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]+$")]


class NewToken(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of a request for a token."""

    name: Name
    role: Role = Role.READER
    environments: tuple[Annotated[str, Meta(max_length=32)], ...] = ()
    """Ids; empty: all."""
    verbs: tuple[Verb, ...] = ()
    """Empty: all of the role."""
    days: Annotated[int, Meta(ge=1, le=3650)] | None = None


class CreatedToken(Struct, frozen=True, kw_only=True):
    """A new token with its secret text."""

    info: TokenInfo
    token: str
    """The secret text, shown only once."""


class TokenRoutes(Controller):
    """List, create and revoke tokens."""

    path = "/tokens"
    tags = ("administration",)

    @get(guards=[require_permission(Verb.ADMIN)])
    async def list_tokens(self, request: ServiceRequest) -> list[TokenInfo]:
        return await asyncio.to_thread(service_of(request).tokens.all)

    @post(guards=[require_permission(Verb.ADMIN)])
    async def create(self, request: ServiceRequest, data: JSONBody[NewToken]) -> CreatedToken:
        service = service_of(request)

        def create() -> tuple[TokenInfo, str]:
            return service.tokens.create(
                data.name,
                data.role,
                environments=data.environments,
                verbs=data.verbs,
                lifetime=None if data.days is None else timedelta(days=data.days),
            )

        info, secret = await asyncio.to_thread(create)
        await asyncio.to_thread(service.audit.note, request.user.name, "create token", info.name, id=info.id)
        return CreatedToken(info=info, token=secret)

    @delete("/{token_id:str}", guards=[require_permission(Verb.ADMIN)])
    async def revoke(self, request: ServiceRequest, token_id: FromPath[str]) -> None:
        """Revoke a token immediately."""
        service = service_of(request)
        if not await asyncio.to_thread(service.tokens.revoke, token_id):
            raise NotFoundException(f"no token {token_id!r}")
        await asyncio.to_thread(service.audit.note, request.user.name, "revoke token", token_id)


class AuditTrail(Controller):
    """The audit trail of all changes."""

    path = "/audit"
    tags = ("administration",)

    @get(guards=[require_permission(Verb.ADMIN)])
    async def lines(
        self,
        request: ServiceRequest,
        after: Annotated[int, QueryParameter(ge=0, le=2**53)] = 0,
        limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
    ) -> list[AuditLine]:
        """Return audit entries, oldest first; `after` is the number of the last entry already read."""
        audit = service_of(request).audit
        return await asyncio.to_thread(lambda: audit.lines(after=after, limit=limit))


@get(
    "/metrics",
    guards=[require_permission(Verb.READ)],
    tags=["service"],
    media_type="text/plain; version=0.0.4",
)
async def metrics(request: ServiceRequest) -> bytes:
    """Return the counters for Prometheus."""
    return service_of(request).measures.text()


class SignIn(Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a sign-in request."""

    token: Annotated[str, Meta(min_length=1, max_length=500)]


class SignInRoutes(Controller):
    """Sign-in and sign-out of the web page."""

    path = "/session"
    tags = ("page",)

    @get()
    async def show(self, request: Request[TokenInfo, str, State]) -> TokenInfo:
        """Return the token of the request."""
        return request.user

    @post(status_code=HTTP_200_OK, exclude_from_auth=True)
    async def sign_in(
        self, request: Request[TokenInfo, str, State], data: JSONBody[SignIn]
    ) -> Response[TokenInfo]:
        service: SabirService = request.app.state.service
        info = await asyncio.to_thread(service.tokens.find, data.token)
        if info is None:
            raise NotAuthorizedException("this token is not known, or has expired")
        cookie = Cookie(
            key=COOKIE,
            value=data.token,
            path="/api",
            httponly=True,
            samesite="strict",
            secure=service.settings.behind_tls,
        )
        return Response(info, cookies=[cookie])

    @delete()
    async def sign_out(self) -> Response[None]:
        answer: Response[None] = Response(None)
        answer.delete_cookie(COOKIE, path="/api")
        return answer
