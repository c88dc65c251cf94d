"""What was asked of the cluster, or made for the deployment, as a layer of its configuration: what somebody writes wins over it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from sabir.graph.values import Value, reveal_all
from sabir.text import Source

__all__ = ["CERTIFICATES", "CLUSTER", "observed_layer"]

CLUSTER: Final = "cluster"
CERTIFICATES: Final = "certificates"
_TEXTS: Final = ("ca_cert", "server_cert", "server_key", "dhparam")


def observed_layer(observed: Mapping[str, Value]) -> Source | None:
    layer: dict[str, Any] = {}
    nodes = reveal_all(observed.get(f"{CLUSTER}|nodes"))
    if isinstance(nodes, list | tuple):
        layer["kubernetes"] = {"cluster_nodes": [str(node) for node in nodes]}
    texts = {name: reveal_all(observed.get(f"{CERTIFICATES}|{name}")) for name in _TEXTS}
    if all(isinstance(text, str) for text in texts.values()):
        layer["secret_configs"] = {"security": {"tls": texts}}
    return Source("<observed>", json.dumps(layer)) if layer else None
