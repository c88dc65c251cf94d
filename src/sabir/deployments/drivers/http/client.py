"""Requests to one service, and failures in words for people.

From the settings of a target to a client that may talk to it, and to nobody else.

A host is looked up once and then spoken to by its address, so that no second answer of a name server can lead elsewhere. Where
the operator's proxy stands between, the proxy decides who is reached.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

import msgspec
from msgspec import Struct

from sabir.deployments.drivers.responses import (
    InvalidResponseError,
    RequestError,
    ResponseTimeoutError,
    decode_json,
    read_response,
)
from sabir.diagnostics.reasons import explain_error
from sabir.errors import DeployError, UnreachableError
from sabir.graph.secrets import Secrets
from sabir.graph.values import reveal_all
from sabir.resources.driver import DriverContext
from sabir.resources.target import Target

if TYPE_CHECKING:
    import httpx2


_SECONDS: Final = 30.0
_SCHEMES: Final = ("http", "https")


class HttpService(Struct, frozen=True, kw_only=True, eq=False):
    """A client with its credentials. It holds secrets: it is never shown."""

    client: httpx2.AsyncClient
    base: str
    """The address that everything lies below, as it is shown."""
    path: str
    host: str | None
    """Whom a request is for, where the client speaks to an address."""
    secrets: Secrets
    seconds: float
    """For one request and its whole answer."""


def open_service(target: Target, context: DriverContext) -> HttpService:
    """It blocks while the host is looked up."""
    settings: dict[str, Any] = {name: reveal_all(value) for name, value in target.settings.items()}
    base = str(settings["url"])
    parts = _parse_base_url(base, target)
    if not context.session.trust.network:
        raise DeployError(
            f"target {target.name!r} would speak to {base}; allow it with --trust network, if you know where this "
            "description comes from"
        )
    proxy = _find_proxy(parts)
    address = None if proxy else _resolve_address(parts, target, context)
    client = _build_client(
        settings, parts, address=address, proxy=proxy, folder=context.folder, target=target
    )
    return HttpService(
        client=client,
        base=base.rstrip("/"),
        path=parts.path.rstrip("/"),
        host=None if address is None else parts.netloc,
        secrets=Secrets(_list_credentials(settings)),
        seconds=_request_timeout(settings),
    )


def _parse_base_url(base: str, target: Target) -> SplitResult:
    try:
        parts = urlsplit(base)
        port = parts.port
    except ValueError as error:
        raise DeployError(
            f"target {target.name!r}: {base!r} is no address: {explain_error(error)}"
        ) from error
    if parts.scheme not in _SCHEMES or not parts.hostname or port == 0:
        raise DeployError(f"target {target.name!r}: url must be an http or https address, not {base!r}")
    if parts.username is not None or parts.query or parts.fragment:
        raise DeployError(
            f"target {target.name!r}: url holds more than an address; credentials are `username`, `password` or `token`"
        )
    return parts


def _find_proxy(parts: SplitResult) -> str | None:
    """The proxy that the operator's variables name for this host."""
    proxies = getproxies()
    if proxy_bypass(parts.hostname or ""):
        return None
    return proxies.get(parts.scheme) or proxies.get("all")


def _resolve_address(parts: SplitResult, target: Target, context: DriverContext) -> str:
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UnreachableError(
            f"target {target.name!r}: the host {host!r} is not known: {explain_error(error)}"
        ) from error
    addresses = [str(answer[4][0]) for answer in answers]
    for address in addresses:
        is_inside = not ipaddress.ip_address(address.partition("%")[0]).is_global
        if is_inside and not context.session.trust.private_network:
            raise DeployError(
                f"target {target.name!r}: {host!r} is the private address {address}; allow it with --trust private-network"
            )
    return addresses[0]


def _build_client(
    settings: dict[str, Any],
    parts: SplitResult,
    *,
    address: str | None,
    proxy: str | None,
    folder: Path,
    target: Target,
) -> httpx2.AsyncClient:
    import httpx2

    reached = parts.hostname if address is None else f"[{address}]" if ":" in address else address
    port = "" if parts.port is None else f":{parts.port}"
    try:
        return httpx2.AsyncClient(
            base_url=f"{parts.scheme}://{reached}{port}",
            headers=_build_headers(settings),
            auth=_read_basic_auth(settings),
            verify=_build_ssl_context(settings, folder),
            timeout=_request_timeout(settings),
            proxy=proxy,
            trust_env=False,
            follow_redirects=False,
        )
    except (OSError, ValueError) as error:
        raise DeployError(
            f"target {target.name!r}: its certificates cannot be used: {explain_error(error)}"
        ) from error


def _request_timeout(settings: dict[str, Any]) -> float:
    return float(settings.get("timeout_seconds") or _SECONDS)


def _build_headers(settings: dict[str, Any]) -> dict[str, str]:
    headers = {"Accept": "application/json", "User-Agent": "sabir", **(settings.get("headers") or {})}
    if settings.get("token") is not None:
        headers["Authorization"] = f"Bearer {settings['token']}"
    return {name: str(value) for name, value in headers.items()}


def _list_credentials(settings: dict[str, Any]) -> list[str]:
    """Never shown, however they are written down."""
    named = [settings.get("token"), settings.get("password"), *(settings.get("headers") or {}).values()]
    return [str(value) for value in named if value is not None]


def _read_basic_auth(settings: dict[str, Any]) -> tuple[str, str] | None:
    if settings.get("username") is None:
        return None
    return str(settings["username"]), str(settings.get("password") or "")


def _build_ssl_context(settings: dict[str, Any], folder: Path) -> ssl.SSLContext:
    named = {
        name: folder / str(settings[name]) for name in ("ca", "certificate", "key") if settings.get(name)
    }
    context = ssl.create_default_context(cafile=named.get("ca"))
    if "certificate" in named:
        context.load_cert_chain(named["certificate"], named.get("key"))
    return context


_OF_PASSAGES: Final = frozenset([502, 504])
"""Said by who stands in between: the service itself may have heard the request, and done it."""
_LARGEST: Final = 16 << 20
_PAGES: Final = 1000
_ITEMS: Final = 100_000
_LIST_SECONDS: Final = 300.0


class HttpRequestError(RequestError):
    """A request that the service refused, or that it did not answer."""

    PASSING = RequestError.PASSING | {408, 412, 425}

    @property
    def is_missing(self) -> bool:
        return self.status in (404, 410)


class HttpResponse(Struct, frozen=True, kw_only=True):
    data: Any
    """What the body holds; None when it holds nothing."""
    tag: str | None = None
    """The version of what was read, as the service names it."""
    location: str | None = None
    next_page: str | None = None


class HttpApi:
    """Everything below the address of a target."""

    def __init__(self, service: HttpService) -> None:
        self.service = service

    async def check_access(self) -> None:
        """The credentials are taken. What the service says of its own address otherwise is its own affair."""
        try:
            await self.request("GET", "")
        except HttpRequestError as failure:
            if failure.status in (401, 403):
                raise DeployError(f"{self.service.base}: {failure.message}") from failure
            if failure.status == 0:
                raise UnreachableError(f"{self.service.base}: {failure.message}") from failure

    async def find(self, path: str) -> HttpResponse | None:
        try:
            return await self.request("GET", path)
        except HttpRequestError as failure:
            if failure.is_missing:
                return None
            raise

    async def list(self, path: str) -> list[Any]:
        """What a collection holds, all of its pages."""
        items: list[Any] = []
        page: str | None = path
        deadline = monotonic() + _LIST_SECONDS
        for _ in range(_PAGES):
            if page is None:
                return items
            if len(items) > _ITEMS or monotonic() > deadline:
                raise HttpRequestError(
                    f"{path} lists more than {_ITEMS:,}, or takes more than {_LIST_SECONDS:g} seconds",
                    status=500,
                )
            answer = await self.request("GET", page)
            items += _find_items(answer.data)
            page = None if answer.next_page is None else self.relative(answer.next_page)
        raise HttpRequestError(f"{path} has more than {_PAGES} pages", status=500)

    def relative(self, url: str) -> str:
        """An address that the service names, below the one of the target; nobody is sent elsewhere."""
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        if parts.netloc and parts.netloc != urlsplit(self.service.base).netloc:
            raise HttpRequestError(f"it leads on to {parts.netloc}, which is not the target", status=500)
        if not parts.path.startswith(f"{self.service.path}/"):
            raise HttpRequestError(
                f"it leads on to {parts.path}, which is not below {self.service.base}", status=500
            )
        return f"{parts.path.removeprefix(self.service.path)}{query}"

    async def request(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> HttpResponse:
        import httpx2

        service = self.service
        is_change = method != "GET"
        content = None if body is None else msgspec.json.encode(body)
        sent = {**(headers or {}), **({} if content is None else {"Content-Type": "application/json"})}
        extensions: dict[str, Any] = {}
        if service.host is not None:
            sent["Host"] = service.host
            extensions["sni_hostname"] = urlsplit(service.base).hostname
        request = service.client.build_request(
            method, f"{service.path}{path}", content=content, headers=sent, extensions=extensions
        )
        try:
            response, data = await read_response(
                service.client, request, seconds=service.seconds, largest=_LARGEST
            )
            return self._answer(response, data, path, is_change=is_change)
        except InvalidResponseError as error:
            status = 0 if isinstance(error, ResponseTimeoutError) else 500
            raise HttpRequestError(str(error), status=status, was_sent=is_change) from error
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
            raise HttpRequestError(f"it does not answer: {_describe_error(error)}") from error
        # An alert of TLS after the handshake (a certificate that the other side misses) comes as the OSError it is.
        except (httpx2.HTTPError, OSError) as error:
            raise HttpRequestError(
                f"the connection broke: {_describe_error(error)}", was_sent=is_change
            ) from error

    def _answer(self, response: httpx2.Response, data: bytes, path: str, *, is_change: bool) -> HttpResponse:
        status = response.status_code
        if status >= 300:
            sentence = self.service.secrets.redact(_describe_response(response, data, path))
            raise HttpRequestError(sentence, status=status, was_sent=is_change and status in _OF_PASSAGES)
        return HttpResponse(
            data=decode_json(data),
            tag=response.headers.get("ETag"),
            location=response.headers.get("Location"),
            next_page=(response.links.get("next") or {}).get("url"),
        )


def _find_items(data: Any) -> list[Any]:
    """The things that a collection lists: a list, or the only list of a mapping."""
    if isinstance(data, list):
        return data
    lists = [value for value in data.values() if isinstance(value, list)] if isinstance(data, dict) else []
    if len(lists) != 1:
        raise HttpRequestError("the collection does not answer with a list", status=500)
    return lists[0]


def _describe_response(response: httpx2.Response, data: bytes, path: str) -> str:
    said = " ".join(data[:300].decode("utf-8", "replace").split())
    match response.status_code:
        case 401:
            return "it refuses the credentials of the target"
        case 403:
            return f"it does not allow that with these credentials: {said or path}"
        case status if status < 400:
            return f"it sends requests for {path or '/'} on to {response.headers.get('Location')}; name that address"
        case 412:
            return f"somebody else changed {path} meanwhile"
        case status:
            return f"it answers {status} {response.reason_phrase} for {path or '/'}" + (
                f": {said}" if said else ""
            )


def _describe_error(error: Exception) -> str:
    return explain_error(error)
