"""Attributes that may hold expressions: computed when first read, on the instance they belong to, then kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from sabir.diagnostics.rules import Rule
from sabir.expressions.query.context import Context
from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.forms import compile_value
from sabir.expressions.query.resource import Resource
from sabir.expressions.query.session import Session
from sabir.expressions.query.values import MISSING, NodeState, Status, mark, plain
from sabir.text import Place

__all__ = ["Assigned", "LiveResource", "PlainResource"]

_NODES: Final = (
    "tosca_definitions_version: tosca_simple_yaml_1_3\n"
    "node_types:\n  Sized: {derived_from: tosca.nodes.Root, properties: {size: {type: integer}}}\n"
    "topology_template:\n  node_templates:\n    one: {type: Sized, properties: {size: %s}}\n"
)
CIRCLE: Final = Rule(
    code="EXPR:E019",
    title="a value that waits for itself",
    why="Computing it needs its own value, perhaps through others, so it never gets one. Give one of them a value of its own.",
    bad={"template.yaml": _NODES % "{get_property: [SELF, size]}"},
    good={"template.yaml": _NODES % "2"},
    language="tosca",
    when="evaluate",
)

_PENDING: Final = object()
_DEEPEST: Final = 20
_LONGEST_CHAIN: Final = 100_000


class _TooDeep(BaseException):
    """Not an error: the stack is full, and this attribute has to be computed first. Nobody but `_compute` may catch it."""

    def __init__(self, resource: LiveResource, key: str) -> None:
        super().__init__()
        self.resource = resource
        self.key = key


class Assigned:
    """A value as it was written, shared by all instances that have it; compiled once."""

    __slots__ = ("_compiled", "directory", "place", "raw", "sensitive")

    def __init__(
        self,
        raw: Any,
        *,
        place: Place | None = None,
        directory: Path | None = None,
        sensitive: bool = False,
    ) -> None:
        self.raw = raw
        self.place = place
        self.directory = directory
        self.sensitive = sensitive
        self._compiled: Callable[[Context], Any] | object | None = MISSING

    @property
    def is_constant(self) -> bool:
        if self._compiled is MISSING:
            self._compiled = compile_value(self.raw)
        return self._compiled is None

    def value(self, resource: Resource) -> Any:
        """The value on an instance; a failure is shown at the place where it was written."""
        if self.is_constant:
            return mark(self.raw) if self.sensitive else self.raw
        context = Context(resource, place=self.place, directory=self.directory)
        assert callable(self._compiled)
        try:
            value = self._compiled(context)
        except QueryError as error:
            raise error.placed(self.place) from error
        return mark(plain(value)) if self.sensitive else value


class LiveResource(Resource):
    """A resource whose attributes are assigned values. `_written` is a mapping of its own or a shared one."""

    __slots__ = ("_ready",)

    reads_circles_as_null: ClassVar[bool] = False
    """Whether an attribute that needs itself is null, as in data that no language describes."""

    def __init__(self) -> None:
        super().__init__()
        self._ready: dict[str, Any] = {}

    def written(self, key: str) -> Assigned | None:
        """What was assigned to a key, if anything."""
        raise NotImplementedError

    def get(self, key: str) -> Any:
        value = self._ready.get(key, MISSING)
        if value is MISSING:
            return self._compute(key)
        if value is _PENDING:
            if self.reads_circles_as_null:
                return None
            raise QueryError.of(
                CIRCLE, f"{key!r} of {self.name!r} needs its own value", hint=self._way_round(key)
            )
        return value

    def _way_round(self, key: str) -> str | None:
        """The values that wait for one another, in the order they were asked for."""
        waiting = self.session.waiting
        start = next((at for at, pair in enumerate(waiting) if pair == (self, key)), 0)
        names = [f"{resource.name}::{name}" for resource, name in waiting[start:]]
        return "they wait for one another: " + " → ".join([*names, names[0]]) if len(names) > 1 else None

    def _compute(self, key: str) -> Any:
        """The value, however long the chain of attributes that it needs.

        A chain that would fill the stack is cut: its far end is computed first, from a shallow stack, and then the rest.
        """
        session = self.session
        if session.nesting >= _DEEPEST:
            raise _TooDeep(self, key)
        if session.nesting:
            return self._compute_here(key)
        waiting: list[tuple[LiveResource, str]] = [(self, key)]
        while True:
            resource, name = waiting[-1]
            try:
                value = resource._compute_here(name)
            except _TooDeep as deep:
                if (deep.resource, deep.key) in waiting or len(waiting) > _LONGEST_CHAIN:
                    raise QueryError.of(CIRCLE, f"{key!r} of {self.name!r} needs its own value") from None
                waiting.append((deep.resource, deep.key))
                continue
            waiting.pop()
            if not waiting:
                return value

    def _compute_here(self, key: str) -> Any:
        assigned = self.written(key)
        if assigned is None:
            return MISSING
        self._ready[key] = _PENDING
        session = self.session
        outer = session.reads
        if outer is not None:
            session.reads = []
        session.nesting += 1
        session.waiting.append((self, key))
        try:
            value = assigned.value(self)
        except BaseException:
            del self._ready[key]
            raise
        finally:
            session.nesting -= 1
            session.waiting.pop()
            if outer is not None:
                session.computed[(self, key)] = tuple(session.reads or ())
                session.reads = outer
        self._ready[key] = value
        return value


class PlainResource(LiveResource):
    """An instance made of plain data: for tests, tools, and data that no language evaluated."""

    __slots__ = ("_attributes", "_children", "_name", "_parent", "_session", "_state", "_status")

    reads_circles_as_null: ClassVar[bool] = True

    def __init__(
        self,
        name: str,
        attributes: Mapping[str, Any] | None = None,
        *,
        parent: PlainResource | None = None,
        session: Session | None = None,
        status: Status | None = None,
        state: NodeState | None = None,
    ) -> None:
        super().__init__()
        self._name = name
        self._attributes: Mapping[str, Any] = attributes or {}
        self._children: list[Resource] = []
        self._parent = parent
        self._session = session or (parent.session if parent else Session())
        self._status = status
        self._state = state
        if parent is not None:
            parent._children.append(self)

    @property
    def session(self) -> Session:
        return self._session

    @property
    def name(self) -> str:
        return self._name

    @property
    def parent(self) -> Resource | None:
        return self._parent

    @property
    def children(self) -> Sequence[Resource]:
        return self._children

    @property
    def status(self) -> Status:
        return Status.unknown if self._status is None else self._status

    @property
    def state(self) -> NodeState | None:
        return self._state

    @property
    def capabilities(self) -> Sequence[Resource]:
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

    def written(self, key: str) -> Assigned | None:
        raw = self._attributes.get(key, MISSING)
        return None if raw is MISSING else Assigned(raw)


class _Feature(Resource):
    """The capability that `tosca.nodes.Root` gives to every node."""

    __slots__ = ("_node",)

    kind: ClassVar[str] = "capability"

    def __init__(self, node: Resource) -> None:
        super().__init__()
        self._node = node

    @property
    def session(self) -> Session:
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
    def parent(self) -> Resource | None:
        return self._node

    @property
    def children(self) -> Sequence[Resource]:
        return ()

    @property
    def status(self) -> Status | str | None:
        return self._node.status

    def get(self, key: str) -> Any:
        del key
        return MISSING
