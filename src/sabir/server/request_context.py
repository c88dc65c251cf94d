"""What every route needs: the service, the environment of the path, and responses the token may see."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import msgspec
from litestar import MediaType, Request, Response, get
from litestar.datastructures import State
from litestar.exceptions import ClientException, NotFoundException
from litestar.status_codes import HTTP_200_OK

from sabir.diagnostics.decoding import UNDECODED, explain_decode_error
from sabir.server.access import require_permission
from sabir.server.service import SabirService
from sabir.server.store.environments import EnvironmentInfo
from sabir.server.store.tokens import TokenInfo, Verb
from sabir.server.work.asking import TaskResponse
from sabir.server.work.redaction import redact_document

ServiceRequest = Request[TokenInfo, str, State]

_DEEPEST: Final = 100
"""Maximum nesting of lists and mappings in a body; code that handles the data may recurse this deep."""


class BoundedRequest(Request[Any, Any, Any]):
    """A request whose JSON body has a limited nesting depth."""

    async def json(self) -> Any:
        try:
            data = await super().json()
        except RecursionError as error:
            raise _too_deep() from error
        return refuse_depth(data)


async def decoded_body(request: ServiceRequest) -> Any:
    """The body as JSON, whatever its content type says."""
    body = await request.body()
    try:
        return refuse_depth(msgspec.json.decode(body))
    except RecursionError as error:
        raise _too_deep() from error
    except UNDECODED as error:
        raise ClientException(f"the body: {explain_decode_error(error, body)}") from error


def refuse_depth(data: Any) -> Any:
    """Return the data; raise an error if it is nested too deeply."""
    level: list[Any] = [data]
    for _ in range(_DEEPEST):
        inner = (
            item.values() if isinstance(item, dict) else item
            for item in level
            if isinstance(item, dict | list)
        )
        level = [part for items in inner for part in items]
        if not level:
            return data
    raise _too_deep()


def _too_deep() -> ClientException:
    return ClientException(f"the data is nested more than {_DEEPEST} levels deep")


def service_of(request: Request[Any, Any, Any]) -> SabirService:
    """Return the service of the running application."""
    service: SabirService = request.app.state.service
    return service


async def environment_of(request: ServiceRequest, environment_id: str) -> EnvironmentInfo:
    """Return the environment with this id; raise 404 if it does not exist."""
    environments = service_of(request).environments
    info = environments.recall(environment_id) or await asyncio.to_thread(environments.get, environment_id)
    if info is None:
        raise NotFoundException(f"no environment {environment_id!r}")
    return info


def sees_secrets(request: ServiceRequest, environment_id: str | None) -> bool:
    """Tell whether the token may see plain values of models and configurations: only if it may deploy
    them.
    """
    return request.user.may(Verb.DEPLOY, environment_id)


def redacted_for(request: ServiceRequest, environment_id: str | None, data: Any) -> Any:
    """The data of an answer as the token may see it."""
    if sees_secrets(request, environment_id):
        return data
    return redact_document(msgspec.to_builtins(data, enc_hook=str))


def redacted_answer(request: ServiceRequest, environment_id: str, answered: TaskResponse) -> Response[bytes]:
    """The answer of a command, as the token may see it."""
    if sees_secrets(request, environment_id):
        return build_response(answered)
    body = msgspec.json.encode(redact_document(msgspec.json.decode(answered.body)))
    return build_response(TaskResponse(answered.status, body))


def build_response(answered: TaskResponse) -> Response[bytes]:
    """Return a response that a worker has already encoded."""
    return Response(answered.body, status_code=answered.status, media_type="application/json")


def json_response(data: Any) -> Response[bytes]:
    """Return any data as JSON; the framework would not encode a plain string."""
    return Response(msgspec.json.encode(data), media_type="application/json")


def get_page(path: str, verb: Verb = Verb.READ) -> get:
    """Declare a route to a page that is shown in a frame. The page itself contains its content security
    policy.
    """
    return get(
        path,
        guards=[require_permission(verb)],
        media_type=MediaType.HTML,
        response_headers={"content-security-policy": "frame-ancestors 'self'"},
    )


def page_response(answered: TaskResponse) -> Response[bytes]:
    """Return a page that a worker process wrote; errors are JSON as everywhere."""
    kind = MediaType.HTML if answered.status == HTTP_200_OK else MediaType.JSON
    return Response(answered.body, status_code=answered.status, media_type=kind)
