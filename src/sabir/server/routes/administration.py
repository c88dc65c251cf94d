"""Who may do what, who did what, and how the service is.

Signing in on the page: a cookie that scripts cannot read carries the token.

A browser sends the cookie with every request to the service, also with one that a foreign page makes. Cookies of other sites are kept out
by `SameSite=Strict`; and whatever changes something must come with a header that a foreign page cannot add.
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
    name: Name
    role: Role = Role.READER
    environments: tuple[Annotated[str, Meta(max_length=32)], ...] = ()
    """Ids; empty: all."""
    verbs: tuple[Verb, ...] = ()
    """Empty: all of the role."""
    days: Annotated[int, Meta(ge=1, le=3650)] | None = None


class CreatedToken(Struct, frozen=True, kw_only=True):
    info: TokenInfo
    token: str
    """Its text: it is not shown again."""


class TokenRoutes(Controller):
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
        """From now on nobody gets in with it."""
        service = service_of(request)
        if not await asyncio.to_thread(service.tokens.revoke, token_id):
            raise NotFoundException(f"no token {token_id!r}")
        await asyncio.to_thread(service.audit.note, request.user.name, "revoke token", token_id)


class AuditTrail(Controller):
    path = "/audit"
    tags = ("administration",)

    @get(guards=[require_permission(Verb.ADMIN)])
    async def lines(
        self,
        request: ServiceRequest,
        after: Annotated[int, QueryParameter(ge=0, le=2**53)] = 0,
        limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
    ) -> list[AuditLine]:
        """Who did what, the oldest first; `after` is the number of the last line that was read."""
        audit = service_of(request).audit
        return await asyncio.to_thread(lambda: audit.lines(after=after, limit=limit))


@get(
    "/metrics",
    guards=[require_permission(Verb.READ)],
    tags=["service"],
    media_type="text/plain; version=0.0.4",
)
async def metrics(request: ServiceRequest) -> bytes:
    """For Prometheus."""
    return service_of(request).measures.text()


class SignIn(Struct, frozen=True, forbid_unknown_fields=True):
    token: Annotated[str, Meta(min_length=1, max_length=500)]


class SignInRoutes(Controller):
    path = "/session"
    tags = ("page",)

    @get()
    async def show(self, request: Request[TokenInfo, str, State]) -> TokenInfo:
        """Whose token this is."""
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
