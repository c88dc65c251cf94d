"""Other machines as targets: a Compute with an address that is not this machine's is reached by ssh.

Who logs in is said by a credential: of the node, or of its endpoint. An operator who names a target like the node says all of it himself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.resource import Resource
from sabir.expressions.query.values import MISSING, reveal_deep
from sabir.graph.values import Sensitive, Value
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.graph.lifecycles import Lifecycles
from sabir.languages.tosca.graph.placement import address_of
from sabir.resources.target import Target

__all__ = ["machine_targets"]


def machine_targets(lifecycles: Lifecycles, named: Collection[str]) -> Iterator[Target]:
    """A target for each machine that operations run on; `named` are those that the environment has."""
    seen: set[str] = set()
    for _, command in lifecycles.all_commands():
        name, host = command.target, command.host
        if name is None or host is None or name in seen or name in named:
            continue
        seen.add(name)
        yield Target(name=name, driver="ssh", settings=_settings(host))


def _settings(host: NodeInstance) -> dict[str, Value]:
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
