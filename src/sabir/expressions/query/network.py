"""Fetching a URL for an expression: only when allowed, and never from where the inside of a network lives."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from sabir.diagnostics.reasons import reason_of
from sabir.expressions.query.access import FILE_NOT_FOUND, read_bytes
from sabir.expressions.query.errors import NOT_FOUND, REFUSED, TOO_MUCH

if TYPE_CHECKING:
    from sabir.expressions.query.context import Context
    from sabir.expressions.query.functions.call import Call

__all__ = ["fetch"]

_LARGEST: Final = 16 * 1024 * 1024
_PATIENCE: Final = 10.0
_REDIRECTS: Final = 5


def fetch(url: str, keywords: Mapping[str, Any], call: Call, context: Context) -> bytes:
    parts = urlsplit(url)
    if parts.scheme == "file":
        raw = read_bytes(Path(unquote(parts.path)), call, context)
        if raw is None:
            call.fail(context, f"there is no file {parts.path!r}", FILE_NOT_FOUND)
        return raw
    if parts.scheme not in ("http", "https") or not parts.hostname:
        call.fail(context, f"lookup url takes http, https and file addresses, not {url!r}")
    if not context.session.work.trust.network:
        call.fail(
            context,
            f"{url!r} is not fetched: the project is not trusted with the network",
            REFUSED,
            "allow it with --trust network, if you know where this description comes from",
        )
    return _get(url, keywords, call, context)


def _address(host: str, port: int, call: Call, context: Context) -> str:
    """An address of the host that may be asked; it is resolved once, so that no second answer can differ."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        call.fail(context, f"the host {host!r} is not known: {reason_of(error)}", NOT_FOUND)
    private_allowed = context.session.work.trust.private_network
    for *_, (address, *_rest) in found:
        ip = ipaddress.ip_address(str(address).partition("%")[0])
        if not private_allowed and not ip.is_global:
            call.fail(
                context,
                f"{host!r} is the private address {address}, which expressions may not ask",
                REFUSED,
                "allow it with --trust private-network",
            )
    return str(found[0][4][0])


def _get(url: str, keywords: Mapping[str, Any], call: Call, context: Context) -> bytes:
    import http.client
    import ssl
    from urllib.parse import urljoin

    for _ in range(_REDIRECTS):
        parts = urlsplit(url)
        host = parts.hostname or ""
        secure = parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        address = _address(host, port, call, context)
        connection = http.client.HTTPConnection(address, port, timeout=_PATIENCE)
        try:
            connection.connect()
            if secure:
                tls = ssl.create_default_context()
                if not keywords.get("validate_certs", True):
                    tls.check_hostname = False
                    tls.verify_mode = ssl.CERT_NONE
                connection.sock = tls.wrap_socket(connection.sock, server_hostname=host)
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request(
                "GET", target, headers={"Host": parts.netloc.rpartition("@")[2], "User-Agent": "sabir"}
            )
            response = connection.getresponse()
            raw = response.read(_LARGEST + 1)
        except (OSError, http.client.HTTPException) as error:
            call.fail(context, f"{url!r} cannot be fetched: {reason_of(error)}", NOT_FOUND)
        finally:
            connection.close()
        if len(raw) > _LARGEST:
            call.fail(context, f"{url!r} gives more than {_LARGEST >> 20} MB", TOO_MUCH)
        if response.status in (301, 302, 303, 307, 308) and response.headers.get("Location"):
            url = urljoin(url, response.headers["Location"])
            if urlsplit(url).scheme not in ("http", "https"):
                call.fail(context, f"{url!r} is no address that may be followed", REFUSED)
            continue
        if response.status != 200:
            call.fail(context, f"{url!r} answers {response.status} {response.reason}", NOT_FOUND)
        return raw
    raise call.error(context, f"{url!r} leads on more than {_REDIRECTS} times", TOO_MUCH)
