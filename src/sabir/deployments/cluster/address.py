"""Where the scheduler of the workers is: `dask://host:8786`, or `dask+tls://host:8786` with the certificates of dask's own settings."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from msgspec import Struct

from sabir.diagnostics.reasons import reason_of
from sabir.errors import UsageError

__all__ = ["SchedulerAddress", "scheduler_address"]

_PORT = 8786


class SchedulerAddress(Struct, frozen=True):
    host: str
    port: int
    tls: bool

    def __str__(self) -> str:
        """As dask writes it."""
        return f"{'tls' if self.tls else 'tcp'}://{self.host}:{self.port}"


def scheduler_address(url: str) -> SchedulerAddress:
    """Secrets go to workers with the calls that need them, so in clear they stay on this machine."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"--executor {url!r}: {reason_of(error)}") from error
    if parts.scheme not in ("dask", "dask+tls") or not parts.hostname:
        raise UsageError(f"--executor {url!r}: write dask://HOST:PORT, or dask+tls://HOST:PORT")
    address = SchedulerAddress(parts.hostname, port or _PORT, parts.scheme == "dask+tls")
    if not address.tls and not _is_here(address.host):
        raise UsageError(
            f"--executor {url!r}: what is sent could be read on the way; write dask+tls://, with dask's settings for TLS"
        )
    return address


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
