"""A client of etcd v3 over its JSON gateway: keys, leases, nothing more, with the standard library alone."""

from __future__ import annotations

import base64
import json
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["Etcd", "EtcdUnavailable"]

T = TypeVar("T")


class EtcdUnavailable(Exception):
    """No endpoint answered."""


class Etcd:
    def __init__(
        self,
        endpoints: list[str],
        *,
        timeout: float,
        ca_certificate: str | None = None,
    ) -> None:
        self.endpoints = list(endpoints)
        self.timeout = timeout
        self._context = ssl.create_default_context(cadata=ca_certificate) if ca_certificate else None

    def get(self, key: str) -> str | None:
        answer = self._call("/v3/kv/range", {"key": _encoded(key)})
        found = answer.get("kvs") or []
        return base64.b64decode(found[0].get("value", "")).decode("utf-8") if found else None

    def keys(self, prefix: str) -> list[str]:
        """All keys that begin with a prefix."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        wanted = {"key": _encoded(prefix), "range_end": _encoded(end), "keys_only": True}
        answer = self._call("/v3/kv/range", wanted)
        return [base64.b64decode(one["key"]).decode("utf-8") for one in answer.get("kvs") or []]

    def put(self, key: str, value: str, lease: str | None = None) -> None:
        body = {"key": _encoded(key), "value": _encoded(value)}
        if lease is not None:
            body["lease"] = lease
        self._call("/v3/kv/put", body)

    def grant(self, ttl: int) -> str:
        """A lease: what is put under it goes away `ttl` seconds after it was last kept alive."""
        return str(self._call("/v3/lease/grant", {"TTL": ttl, "ID": 0})["ID"])

    def keep_alive(self, lease: str) -> bool:
        """Whether the lease was still there."""
        answer = self._call("/v3/lease/keepalive", {"ID": lease})
        return int((answer.get("result") or {}).get("TTL", 0)) > 0

    def revoke(self, lease: str) -> None:
        self._call("/v3/lease/revoke", {"ID": lease})

    def patiently(self, call: Callable[[], T], seconds: float, pause: float = 0.5) -> T:
        """Try again while etcd does not answer, for so many seconds."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                return call()
            except EtcdUnavailable:
                if time.monotonic() + pause > deadline:
                    raise
                time.sleep(pause)

    def _call(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        problems = []
        for endpoint in list(self.endpoints):
            try:
                return self._post(endpoint + path, body)
            except urllib.error.HTTPError as error:
                # etcd answers, but cannot: no leader, a lease that is gone …
                detail = error.read().decode("utf-8", "replace")[:200]
                if error.code == 404 and "lease not found" in detail:
                    return {}
                problems.append(f"{endpoint}: HTTP {error.code} {detail}")
            except (OSError, ValueError) as error:
                problems.append(f"{endpoint}: {getattr(error, 'reason', None) or error}")
            # The next call begins with the one that may answer.
            self.endpoints.append(self.endpoints.pop(0))
        raise EtcdUnavailable("etcd does not answer: " + "; ".join(problems))

    def _post(self, url: str, body: dict[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(
            url, data=json.dumps(body).encode("utf-8"), headers={"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=self.timeout, context=self._context) as answer:
            text = answer.read().decode("utf-8")
        # A stream of one message ends in a line break; a lease that is gone answers with no TTL.
        data = json.loads(text.splitlines()[0]) if text.strip() else {}
        return data if isinstance(data, dict) else {}


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode("utf-8")).decode("ascii")
