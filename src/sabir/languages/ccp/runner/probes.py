"""The check of a readiness probe: a command, or an HTTP request to the daemon."""

from __future__ import annotations

import ssl
import urllib.error
import urllib.request
from typing import Any

from sabir.languages.ccp.runner.commands import Supervisor
from sabir.languages.ccp.runner.credentials import client_environment
from sabir.languages.ccp.runner.settings import Settings

__all__ = ["NotReady", "check_readiness"]


class NotReady(Exception):
    """The readiness probe fails, for this reason."""


def check_readiness(settings: Settings) -> None:
    """Raises `NotReady`, or `CommandFailed` of the command."""
    readiness = settings.workflow.get("readiness")
    if readiness is None:
        return
    if isinstance(readiness, dict) and readiness.get("type") == "httpGet":
        _check_http(settings, readiness)
        return
    text = readiness if isinstance(readiness, str) else readiness["command"]
    timeout = 0.0 if isinstance(readiness, str) else float(readiness.get("timeout") or 0)
    command = settings.templates().command(text)
    environment = client_environment(command, settings.variables, settings.mapping)
    Supervisor().run(command, timeout=timeout, environment=environment)


def _check_http(settings: Settings, readiness: dict[str, Any]) -> None:
    """A daemon may listen on the address of the pod, on the loopback address, or on both."""
    scheme = str(readiness.get("scheme") or "http").lower()
    path = str(readiness["path"])
    path = path if path.startswith("/") else "/" + path
    timeout = float(readiness.get("timeout") or 5)
    hosts = [settings.variables["network_topology"]["private"]["address"], "127.0.0.1"]
    problems = []
    for host in dict.fromkeys(hosts):
        url = f"{scheme}://{host}:{readiness['port']}{path}"
        try:
            with urllib.request.urlopen(url, timeout=timeout, context=_context(settings, scheme)):
                return
        except (OSError, urllib.error.URLError) as error:
            problems.append(f"{url}: {error}")
    raise NotReady("; ".join(problems))


def _context(settings: Settings, scheme: str) -> ssl.SSLContext | None:
    """Certificates are made for names, and a probe goes to an address: they are looked at only when that is asked for
    (`runner.verify_probes`), and then by their issuer alone."""
    if scheme != "https":
        return None
    context = ssl.create_default_context(cadata=settings.connection.ca_certificate)
    context.check_hostname = False
    if not settings.options.get("verify_probes"):
        context.verify_mode = ssl.CERT_NONE
    return context
