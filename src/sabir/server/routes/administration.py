"""Who may do what, who did what, and how the service is."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Annotated

from litestar import Controller, delete, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import Meta, Struct

from sabir.server.access import allowed
from sabir.server.requesting import Asking, service_of
from sabir.server.store.audit import AuditLine
from sabir.server.store.tokens import Role, TokenInfo, Verb

__all__ = ["AuditTrail", "Tokens", "metrics"]

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


class Tokens(Controller):
    path = "/tokens"
    tags = ("administration",)

    @get(guards=[allowed(Verb.ADMIN)])
    async def list_tokens(self, request: Asking) -> list[TokenInfo]:
        return await asyncio.to_thread(service_of(request).tokens.all)

    @post(guards=[allowed(Verb.ADMIN)])
    async def create(self, request: Asking, data: JSONBody[NewToken]) -> CreatedToken:
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

    @delete("/{token_id:str}", guards=[allowed(Verb.ADMIN)])
    async def revoke(self, request: Asking, token_id: FromPath[str]) -> None:
        """From now on nobody gets in with it."""
        service = service_of(request)
        if not await asyncio.to_thread(service.tokens.revoke, token_id):
            raise NotFoundException(f"no token {token_id!r}")
        await asyncio.to_thread(service.audit.note, request.user.name, "revoke token", token_id)


class AuditTrail(Controller):
    path = "/audit"
    tags = ("administration",)

    @get(guards=[allowed(Verb.ADMIN)])
    async def lines(
        self,
        request: Asking,
        after: Annotated[int, QueryParameter(ge=0, le=2**53)] = 0,
        limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
    ) -> list[AuditLine]:
        """Who did what, the oldest first; `after` is the number of the last line that was read."""
        audit = service_of(request).audit
        return await asyncio.to_thread(lambda: audit.lines(after=after, limit=limit))


@get("/metrics", guards=[allowed(Verb.READ)], tags=["service"], media_type="text/plain; version=0.0.4")
async def metrics(request: Asking) -> bytes:
    """For Prometheus."""
    return service_of(request).measures.text()
