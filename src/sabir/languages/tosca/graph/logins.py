"""How other machines are logged into: the address of a Compute, the port of its endpoint, the credential of the one or the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.resource import Resource
from sabir.expressions.query.values import MISSING, reveal_deep
from sabir.graph.values import Sensitive, Value
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.graph.placement import address_of

__all__ = ["login_of"]


def login_of(host: NodeInstance) -> dict[str, Value]:
    """As the settings of a target of ssh have it."""
    endpoint = host.capability("endpoint") or host.capability("admin_endpoint")
    credential = _value(host, "credential") or (None if endpoint is None else _value(endpoint, "credential"))
    port = None if endpoint is None else _value(endpoint, "port")
    settings: dict[str, Value] = {"host": address_of(host), "root": "/"}
    if isinstance(port, int):
        settings["port"] = port
    return settings | (_login(credential) if isinstance(credential, Mapping) else {})


def _login(credential: Mapping[str, Any]) -> dict[str, Value]:
    """As tosca.datatypes.Credential has it; the first of its keys is the file of a private key."""
    login: dict[str, Value] = {}
    if credential.get("user"):
        login["user"] = str(credential["user"])
    if credential.get("token") and credential.get("token_type", "password") == "password":
        login["password"] = Sensitive(str(credential["token"]))
    keys = credential.get("keys")
    if isinstance(keys, Mapping) and keys:
        login["key"] = str(next(iter(keys.values())))
    return login


def _value(resource: Resource, key: str) -> Any:
    try:
        value = resource.get(key)
    except QueryError:
        return None
    return None if value is MISSING else reveal_deep(value)
