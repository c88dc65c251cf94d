"""From the settings of a target to a client that may talk to it, and to nobody else.

A host is looked up once and then spoken to by its address, so that no second answer of a name server can lead elsewhere. Where
the operator's proxy stands between, the proxy decides who is reached.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from msgspec import Struct

from sabir.diagnostics.reasons import reason_of
from sabir.errors import DeployError, UnreachableError
from sabir.graph.secrets import Secrets
from sabir.graph.values import reveal_all
from sabir.resources.driver import DriverContext
from sabir.resources.target import Target

if TYPE_CHECKING:
    import httpx2

__all__ = ["Service", "open_service"]

_SECONDS: Final = 30.0
_SCHEMES: Final = ("http", "https")


class Service(Struct, frozen=True, kw_only=True, eq=False):
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


def open_service(target: Target, context: DriverContext) -> Service:
    """It blocks while the host is looked up."""
    settings: dict[str, Any] = {name: reveal_all(value) for name, value in target.settings.items()}
    base = str(settings["url"])
    parts = _checked(base, target)
    if not context.session.trust.network:
        raise DeployError(
            f"target {target.name!r} would speak to {base}; allow it with --trust network, if you know where this "
            "description comes from"
        )
    proxy = _proxy(parts)
    address = None if proxy else _address(parts, target, context)
    client = _client(settings, parts, address=address, proxy=proxy, folder=context.folder, target=target)
    return Service(
        client=client,
        base=base.rstrip("/"),
        path=parts.path.rstrip("/"),
        host=None if address is None else parts.netloc,
        secrets=Secrets(_credentials(settings)),
        seconds=_seconds(settings),
    )


def _checked(base: str, target: Target) -> SplitResult:
    try:
        parts = urlsplit(base)
        port = parts.port
    except ValueError as error:
        raise DeployError(f"target {target.name!r}: {base!r} is no address: {reason_of(error)}") from error
    if parts.scheme not in _SCHEMES or not parts.hostname or port == 0:
        raise DeployError(f"target {target.name!r}: url must be an http or https address, not {base!r}")
    if parts.username is not None or parts.query or parts.fragment:
        raise DeployError(
            f"target {target.name!r}: url holds more than an address; credentials are `username`, `password` or `token`"
        )
    return parts


def _proxy(parts: SplitResult) -> str | None:
    """The proxy that the operator's variables name for this host."""
    proxies = getproxies()
    if proxy_bypass(parts.hostname or ""):
        return None
    return proxies.get(parts.scheme) or proxies.get("all")


def _address(parts: SplitResult, target: Target, context: DriverContext) -> str:
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UnreachableError(
            f"target {target.name!r}: the host {host!r} is not known: {reason_of(error)}"
        ) from error
    addresses = [str(answer[4][0]) for answer in answers]
    for address in addresses:
        is_inside = not ipaddress.ip_address(address.partition("%")[0]).is_global
        if is_inside and not context.session.trust.private_network:
            raise DeployError(
                f"target {target.name!r}: {host!r} is the private address {address}; allow it with --trust private-network"
            )
    return addresses[0]


def _client(
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
            headers=_headers(settings),
            auth=_password(settings),
            verify=_certificates(settings, folder),
            timeout=_seconds(settings),
            proxy=proxy,
            trust_env=False,
            follow_redirects=False,
        )
    except (OSError, ValueError) as error:
        raise DeployError(
            f"target {target.name!r}: its certificates cannot be used: {reason_of(error)}"
        ) from error


def _seconds(settings: dict[str, Any]) -> float:
    return float(settings.get("timeout_seconds") or _SECONDS)


def _headers(settings: dict[str, Any]) -> dict[str, str]:
    headers = {"Accept": "application/json", "User-Agent": "sabir", **(settings.get("headers") or {})}
    if settings.get("token") is not None:
        headers["Authorization"] = f"Bearer {settings['token']}"
    return {name: str(value) for name, value in headers.items()}


def _credentials(settings: dict[str, Any]) -> list[str]:
    """Never shown, however they are written down."""
    named = [settings.get("token"), settings.get("password"), *(settings.get("headers") or {}).values()]
    return [str(value) for value in named if value is not None]


def _password(settings: dict[str, Any]) -> tuple[str, str] | None:
    if settings.get("username") is None:
        return None
    return str(settings["username"]), str(settings.get("password") or "")


def _certificates(settings: dict[str, Any], folder: Path) -> ssl.SSLContext:
    named = {
        name: folder / str(settings[name]) for name in ("ca", "certificate", "key") if settings.get(name)
    }
    context = ssl.create_default_context(cafile=named.get("ca"))
    if "certificate" in named:
        context.load_cert_chain(named["certificate"], named.get("key"))
    return context
