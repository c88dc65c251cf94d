"""Proxies of definition nodes that record which values are read.

A value counts as read, with everything in it, when it is accessed. Parts that are mappings themselves
(containers, commands, files, secrets) are watched in turn. Accessing a list of them records only which
exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar, cast

from sabir.languages.ccp.syntax.nodes import Definition, MappingNode
from sabir.provenance import ReadTracker

KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "anti_affinity": ("antiAffinity",),
    "data": ("data",),
    "default_mode": ("secret", "defaultMode"),
    "destination": ("path",),
    "host_ipc": ("hostIPC",),
    "host_network": ("hostNetwork",),
    "host_pid": ("hostPID",),
    "items": ("secret", "items"),
    "liveness": ("probes", "liveness"),
    "mount_path": ("path",),
    "pod_annotations": ("annotations", "pod"),
    "readiness": ("probes", "readiness"),
    "recreate": ("strategy",),
    "secret_name": ("secret", "secretName"),
    "service_annotations": ("annotations", "service"),
    "single": ("type",),
}
"""The way to the value of a field from its node, where that is not the key of the same name."""

PARTS: Final = frozenset({"containers", "pre", "post"})
"""Fields that hold nodes, of which a list tells no more than which there are."""

_UNWATCHED: Final = frozenset(
    {
        "component",
        "features",
        "file",
        "path",
        "place",
        "rendered",
        "root",
        "stage",
        "trace",
        "version",
        "written_name",
        "yaml",
    }
)
"""Fields that say where something stands, not what was written there."""

_Node = TypeVar("_Node", Definition, MappingNode)


class _NodeProxy:
    """The proxy of a node. Properties of the node use the proxy, so that what they read is recorded."""

    __slots__ = ("node", "nodes")

    def __init__(self, node: Definition | MappingNode, nodes: WatchedNodes) -> None:
        self.node = node
        self.nodes = nodes

    def __getattr__(self, name: str) -> Any:
        computed = getattr(type(self.node), name, None)
        if isinstance(computed, property):
            return computed.__get__(self)
        return self.nodes.field(self.node, name)


class WatchedNodes:
    """The proxies of a deployment's nodes, one for each."""

    def __init__(self, computing: ReadTracker) -> None:
        self._computing = computing
        self._watched: dict[Definition | MappingNode, _NodeProxy] = {}

    def of(self, node: _Node) -> _Node:
        watched = self._watched.get(node)
        if watched is None:
            watched = self._watched[node] = _NodeProxy(node, self)
        return cast(_Node, watched)

    def field(self, node: Definition | MappingNode, name: str) -> Any:
        """Return the value of a field, and record the read."""
        value = getattr(node, name)
        if isinstance(value, MappingNode):
            return self.of(value)
        if name in _UNWATCHED or name.endswith("_place"):
            return value
        self._computing.reads.append((node, name))
        if name in PARTS:
            return tuple(map(self.of, value))
        if isinstance(node, Definition) and name in ("files", "secrets"):
            return {key: self.of(part) for key, part in value.items()}
        return value


def unwrap_node(node: _Node) -> _Node:
    """Return the node itself, whether it is a proxy or not."""
    return cast(_Node, node.node) if isinstance(node, _NodeProxy) else node
