"""Signing in on the page: a cookie that scripts cannot read carries the token.

A browser sends the cookie with every request to the service, also with one that a foreign page makes. Cookies of other sites are kept out
by `SameSite=Strict`; and whatever changes something must come with a header that a foreign page cannot add.
"""

from __future__ import annotations

import asyncio
from typing import Annotated

from litestar import Controller, Request, Response, delete, get, post
from litestar.datastructures import Cookie, State
from litestar.exceptions import NotAuthorizedException
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK
from msgspec import Meta, Struct

from sabir.server.access import COOKIE
from sabir.server.service import Service
from sabir.server.store.tokens import TokenInfo

__all__ = ["Session"]


class SignIn(Struct, frozen=True, forbid_unknown_fields=True):
    token: Annotated[str, Meta(min_length=1, max_length=500)]


class Session(Controller):
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
        service: Service = request.app.state.service
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
