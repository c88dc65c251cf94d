"""A client of etcd v3 over its JSON gateway: keys and leases, with the standard library alone."""

from __future__ import annotations

import base64
import json
import os
import ssl
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar


def authority_file() -> str:
    """Return the path where daemons and clients expect the certificate of the authority."""
    return os.environ.get("CCP_CA_FILE") or "/opt/ccp/etc/tls/ca.pem"


class EtcdConnection(NamedTuple):
    endpoints: list[str]
    ca_certificate: str | None = None
    """PEM texts."""
    certificate: str | None = None
    key: str | None = None
    verify: bool = True


def etcd_connection(variables: Mapping[str, Any], pod_address: str | None) -> EtcdConnection:
    """Return the connection from `etcd` and `security.tls`; CCP_ETCD_ENDPOINTS takes precedence."""
    etcd = _as_mapping(variables.get("etcd"))
    tls = _as_mapping(etcd.get("tls"))
    security = _as_mapping(_as_mapping(variables.get("security")).get("tls"))
    return EtcdConnection(
        endpoints=_list_endpoints(variables, etcd, pod_address),
        ca_certificate=_as_text(tls.get("ca_cert")) or _as_text(security.get("ca_cert")),
        certificate=_as_text(tls.get("client_cert")),
        key=_as_text(tls.get("client_key")),
        verify=tls.get("verify", True) is not False,
    )


def _list_endpoints(
    variables: Mapping[str, Any], etcd: Mapping[str, Any], pod_address: str | None
) -> list[str]:
    listed = os.environ.get("CCP_ETCD_ENDPOINTS") or etcd.get("endpoints") or ()
    words = listed.replace(",", " ").split() if isinstance(listed, str) else [str(one) for one in listed]
    if words:
        return [word.rstrip("/") for word in words]
    port = etcd.get("client_port", 2379)
    number = port.get("cont", 2379) if isinstance(port, dict) else port
    is_secure = bool(_as_mapping(etcd.get("tls")).get("enabled"))
    if variables.get("service_name") == "etcd":
        return _local_endpoints(number, pod_address, is_secure=is_secure)
    scheme = "https" if is_secure else "http"
    return [f"{scheme}://etcd.{variables.get('namespace')}.svc.{variables.get('cluster_domain')}:{number}"]


def _local_endpoints(number: Any, pod_address: str | None, *, is_secure: bool) -> list[str]:
    """Return the endpoints in the pod of etcd itself, whose Service does not work before it is ready.

    With TLS it also listens in plain text, but only on the loopback address; without, only on the pod
    address.
    """
    endpoints = [f"http://127.0.0.1:{number}"]
    if pod_address is not None:
        endpoints.append(f"{'https' if is_secure else 'http'}://{pod_address}:{number}")
    return endpoints


def _as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _as_text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


T = TypeVar("T")


class EtcdUnavailable(Exception):
    """Raised if no endpoint responds."""


class EtcdEntry(NamedTuple):
    key: str
    value: str
    leased: bool
    """It goes away with its lease."""


class Etcd:
    def __init__(self, connection: EtcdConnection, *, timeout: float) -> None:
        self.endpoints = list(connection.endpoints)
        self.timeout = timeout
        self._connection = connection
        self._context: ssl.SSLContext | None = None

    def get(self, key: str) -> str | None:
        entries = self._range({"key": _encode_base64(key)})
        return entries[0].value if entries else None

    def below(self, prefix: str) -> list[EtcdEntry]:
        """Return all entries whose keys start with a prefix."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        return self._range({"key": _encode_base64(prefix), "range_end": _encode_base64(end)})

    def _range(self, wanted: dict[str, Any]) -> list[EtcdEntry]:
        answer = self._call("/v3/kv/range", wanted)
        return [
            EtcdEntry(
                base64.b64decode(entry["key"]).decode("utf-8"),
                base64.b64decode(entry.get("value", "")).decode("utf-8"),
                str(entry.get("lease", "0")) != "0",
            )
            for entry in answer.get("kvs") or []
        ]

    def put(self, key: str, value: str, lease: str | None = None) -> None:
        body = {"key": _encode_base64(key), "value": _encode_base64(value)}
        if lease is not None:
            body["lease"] = lease
        self._call("/v3/kv/put", body)

    def put_if_absent(self, key: str, value: str) -> None:
        encoded = _encode_base64(key)
        absent = {"key": encoded, "target": "CREATE", "create_revision": "0"}
        put = {"request_put": {"key": encoded, "value": _encode_base64(value)}}
        self._call("/v3/kv/txn", {"compare": [absent], "success": [put]})

    def delete(self, key: str) -> None:
        self._call("/v3/kv/deleterange", {"key": _encode_base64(key)})

    def grant(self, ttl: int) -> str:
        """Create a lease: its keys are deleted `ttl` seconds after it was last renewed."""
        return str(self._call("/v3/lease/grant", {"TTL": ttl, "ID": 0})["ID"])

    def keep_alive(self, lease: str) -> bool:
        """Renew a lease. Return whether it still existed."""
        answer = self._call("/v3/lease/keepalive", {"ID": lease})
        return int((answer.get("result") or {}).get("TTL", 0)) > 0

    def revoke(self, lease: str) -> None:
        self._call("/v3/lease/revoke", {"ID": lease})

    def patiently(self, call: Callable[[], T], seconds: float, pause: float = 0.5) -> T:
        """Retry for so many seconds while etcd is unavailable."""
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
                if error.code == 404:
                    detail = "it has no /v3 gateway: etcd 3.4 or newer is needed"
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
        if self._context is None and url.startswith("https:"):
            self._context = _build_ssl_context(self._connection)
        with urllib.request.urlopen(request, timeout=self.timeout, context=self._context) as answer:
            text = answer.read().decode("utf-8")
        # A stream of one message ends in a line break; a lease that is gone answers with no TTL.
        data = json.loads(text.splitlines()[0]) if text.strip() else {}
        return data if isinstance(data, dict) else {}


def _build_ssl_context(connection: EtcdConnection) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=connection.ca_certificate)
    if not connection.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if connection.certificate and connection.key:
        # The standard library reads key pairs from files only.
        handle, path = tempfile.mkstemp()
        try:
            with os.fdopen(handle, "w", encoding="ascii") as pair:
                pair.write(connection.key.strip() + "\n" + connection.certificate.strip() + "\n")
            context.load_cert_chain(path)
        finally:
            os.unlink(path)
    return context


def _encode_base64(text: str) -> str:
    return base64.b64encode(text.encode("utf-8")).decode("ascii")
