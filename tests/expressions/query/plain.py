"""Instances made of plain data, for tests and benchmarks of expressions that need no language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sabir.expressions.query.live import AssignedValue, LiveResource
from sabir.expressions.query.resource import QueryResource
from sabir.expressions.query.session import QuerySession
from sabir.expressions.query.values import MISSING, InstanceStatus, NodeState

__all__ = ["PlainResource"]


class PlainResource(LiveResource):
    """An instance made of plain data."""

    __slots__ = ("_attributes", "_children", "_name", "_parent", "_session", "_state", "_status")

    reads_circles_as_null: ClassVar[bool] = True

    def __init__(
        self,
        name: str,
        attributes: Mapping[str, Any] | None = None,
        *,
        parent: PlainResource | None = None,
        session: QuerySession | None = None,
        status: InstanceStatus | None = None,
        state: NodeState | None = None,
    ) -> None:
        super().__init__()
        self._name = name
        self._attributes: Mapping[str, Any] = attributes or {}
        self._children: list[QueryResource] = []
        self._parent = parent
        self._session = session or (parent.session if parent else QuerySession())
        self._status = status
        self._state = state
        if parent is not None:
            parent._children.append(self)

    @property
    def session(self) -> QuerySession:
        return self._session

    @property
    def name(self) -> str:
        return self._name

    @property
    def parent(self) -> QueryResource | None:
        return self._parent

    @property
    def children(self) -> Sequence[QueryResource]:
        return self._children

    @property
    def status(self) -> InstanceStatus:
        return InstanceStatus.unknown if self._status is None else self._status

    @property
    def state(self) -> NodeState | None:
        return self._state

    @property
    def capabilities(self) -> Sequence[QueryResource]:
        """As every node of TOSCA it has `feature`."""
        return (_Feature(self),)

    def keys(self) -> Sequence[str]:
        return tuple(self._attributes)

    def get(self, key: str) -> Any:
        # What can hold no expression needs no memo.
        raw = self._attributes.get(key, MISSING)
        kind = type(raw)
        if kind is int or kind is bool or (kind is str and "{" not in raw):
            return raw
        return super().get(key)

    def find_assignment(self, key: str) -> AssignedValue | None:
        raw = self._attributes.get(key, MISSING)
        return None if raw is MISSING else AssignedValue(raw)


class _Feature(QueryResource):
    """The capability that `tosca.nodes.Root` gives to every node."""

    __slots__ = ("_node",)

    kind: ClassVar[str] = "capability"

    def __init__(self, node: QueryResource) -> None:
        super().__init__()
        self._node = node

    @property
    def session(self) -> QuerySession:
        return self._node.session

    @property
    def name(self) -> str:
        return "feature"

    @property
    def type(self) -> str:
        return "tosca.capabilities.Node"

    @property
    def id(self) -> str:
        return f"{self._node.id}::.capabilities::[.name=feature]"

    @property
    def parent(self) -> QueryResource | None:
        return self._node

    @property
    def children(self) -> Sequence[QueryResource]:
        return ()

    @property
    def status(self) -> InstanceStatus | str | None:
        return self._node.status

    def get(self, key: str) -> Any:
        del key
        return MISSING
