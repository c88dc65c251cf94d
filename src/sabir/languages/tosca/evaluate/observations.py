"""Node states and values that come from deployments, and conversion of values to their types.

The state of a node follows from its recorded operations. A failed operation gives `error`. A node whose
operations all ran is `started`; otherwise it is as far as its last operation. A node without operations is
`started` when everything that it requires is, or when all nodes of the topology that substitutes it are. A
state set by a workflow takes precedence over all but an error.

Observed values are read once for an evaluation, or again and again while a deployment runs. In the second
case, `LiveObservations` invalidates exactly the values that were computed from a changed one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import msgspec

from sabir.expressions.query.dependents import OUTSIDE, Dependents
from sabir.expressions.query.values import MISSING, InstanceStatus, NodeState
from sabir.graph.address import Address, escape_name
from sabir.graph.values import Unknown, Value, reveal_value
from sabir.languages.tosca.model.behaviour import OPPOSITES, STAGES, find_implemented_operations
from sabir.languages.tosca.model.types import FlatType, TypeTable
from sabir.languages.tosca.model.values import holds_expression
from sabir.languages.tosca.syntax.nodes import PropertyDefinition, Schema
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.resources.observations import Mark, TrackedValues

if TYPE_CHECKING:
    from sabir.languages.tosca.evaluate.instances import NodeInstance


_INTERFACES: Final = ".interfaces."
_REQUIREMENTS: Final = ".requirements."
_REACHED: Final = {"create": NodeState.created, "configure": NodeState.configured, "start": NodeState.started}
_STATUSES: Final = {
    NodeState.started: InstanceStatus.ok,
    NodeState.error: InstanceStatus.error,
    NodeState.initial: InstanceStatus.absent,
}
_OWN: Final = tuple(own for own, _, _ in STAGES if own)


def undo_record_name(name: str, opposite: str) -> str:
    """Return the name under which the undo command of an operation is recorded."""
    return f"{name}.undone-by-{opposite}"


class Lifetimes:
    """The states of the nodes of one deployment.

    `statuses` maps the address of each recorded operation to its status.
    """

    def __init__(self, statuses: Mapping[str, str]) -> None:
        self._ended: dict[str, dict[str, str]] = {}
        """By node key: the recorded operations and their statuses."""
        self._states: dict[str, NodeState] = {}
        for text, status in statuses.items():
            self._note(Address.parse(text).instance, status)

    def _note(self, name: str, status: str) -> None:
        instance, is_operation, operation = name.partition(_INTERFACES)
        if not is_operation:
            return
        node, is_link, _ = instance.partition(_REQUIREMENTS)
        operations = self._ended.setdefault(node, {})
        if not is_link:
            operations[operation.partition(".")[2]] = status
        elif status == "error":
            operations[name] = status

    def status(self, node: NodeInstance) -> InstanceStatus:
        return _STATUSES.get(self.state(node), InstanceStatus.pending)

    def state(self, node: NodeInstance) -> NodeState:
        """Return the state of a node.

        Chains of nodes without operations can be long, so the nodes that a state depends on are computed
        first, with an explicit stack instead of recursion. A node that is met again while it is pending is
        part of a cycle: it is settled with the states known so far, which ends the loop.
        """
        waiting = [node]
        pending: set[str] = set()
        while waiting:
            here = waiting[-1]
            unsettled = [other for other in _find_state_sources(here) if other.key not in self._states]
            if here.key in pending or not unsettled or self._own_state(here) is not None:
                self._states[here.key] = self._own_state(here) or self._derive_state(
                    _find_state_sources(here)
                )
                waiting.pop()
            else:
                pending.add(here.key)
                waiting += (other for other in unsettled if other.key not in pending)
        return self._states[node.key]

    def _own_state(self, node: NodeInstance) -> NodeState | None:
        """Return the state that follows from its own operations; None if it has none."""
        ended = self._ended.get(node.key, {})
        if "error" in ended.values():
            return NodeState.error
        told = node.ensemble.request.observed.value(node.key, "state")
        if told is not MISSING and str(reveal_value(told)) in NodeState.__members__:
            return NodeState[str(reveal_value(told))]
        if "deploy" in node.ensemble.model.topology.workflows:
            return NodeState.initial
        wanted = _list_operations(node)
        if not wanted and not ended:
            return None
        if all(operation in ended for operation in wanted):
            return NodeState.started
        reached = [operation for operation in reversed(_OWN) if operation in ended]
        return _REACHED[reached[0]] if reached else NodeState.initial

    def _derive_state(self, nodes: Iterable[NodeInstance]) -> NodeState:
        states = [self._states.get(node.key, NodeState.initial) for node in nodes]
        has_begun = bool(self._ended) and all(state is NodeState.started for state in states)
        return NodeState.started if has_begun else NodeState.initial


def _find_state_sources(node: NodeInstance) -> Iterator[NodeInstance]:
    """Return the nodes that determine the state of a node without operations."""
    if node.substitution is not None:
        yield from node.substitution.ensemble.nodes.values()
    for link in node.requirements:
        if link.target is not None:
            yield link.target


def _list_operations(node: NodeInstance) -> set[str]:
    """Return the operations that a deployment runs, and the records that it keeps to undo them."""
    if node.substitution is not None:
        return set()
    types = node.ensemble.model.types
    implemented = find_implemented_operations(types, node.interfaces.values())
    kept = {
        undo_record_name(name, opposite) for name, opposite in OPPOSITES.items() if opposite in implemented
    }
    return (implemented.keys() & {*_OWN}) | kept


class InstanceObservations:
    """Observed values by the text of their addresses.

    Values are looked up one by one instead of being grouped by instance: while a deployment runs their number
    grows, and each operation needs only a few.
    """

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = values
        self._keys: dict[str, dict[str, None]] | None = None

    @property
    def dependents(self) -> Dependents | None:
        """The record of who read what; None if the values cannot change."""
        return None

    def value(self, instance: str, key: str) -> Any:
        """Return the value of an attribute of the instance with this key, or MISSING."""
        if not self._values:
            return MISSING
        return self._value(f"{escape_name(instance)}|{escape_name(key)}")

    def _value(self, address: str) -> Any:
        value = self._values.get(address, MISSING)
        return MISSING if value is MISSING else quote_literal(value)

    def keys(self, instance: str) -> Sequence[str]:
        if self._keys is None:
            self._keys = {}
            for address in self._values:
                text, _, attribute = address.partition("|")
                self._keys.setdefault(text, {})[attribute] = None
        return [unquote(attribute) for attribute in self._keys.get(escape_name(instance), ())]


class LiveObservations(InstanceObservations):
    """Observed values that change while a deployment runs.

    A change discards the values that were computed from it, and no others.
    """

    def __init__(self) -> None:
        self._dependents = Dependents()
        self._mark: Mark | None = None
        self._now: dict[str, Value] = {}
        super().__init__(self._now)

    @property
    def dependents(self) -> Dependents:
        return self._dependents

    def value(self, instance: str, key: str) -> Any:
        address = f"{escape_name(instance)}|{escape_name(key)}"
        self._dependents.read(address)
        return self._value(address)

    def keys(self, instance: str) -> Sequence[str]:
        self._dependents.read(escape_name(instance))
        return super().keys(instance)

    def follow(self, values: Mapping[str, Value]) -> None:
        """Replace the observed values by these, and discard what was computed from changed ones.

        Values that depend on something outside the graph, such as a file, are discarded as well: nothing
        reports when that changes.
        """
        changed, self._mark = (
            values.changes_since(self._mark) if isinstance(values, TrackedValues) else (None, None)
        )
        if changed is None:
            changed = self._find_changes(values)
        sources = [OUTSIDE]
        for address in changed:
            sources.append(address)
            is_there = address in values
            if is_there is not (address in self._now):
                instance, _, attribute = address.partition("|")
                sources.append(instance)
                self._lists(instance, attribute, is_there=is_there)
            if is_there:
                self._now[address] = values[address]
            else:
                self._now.pop(address, None)
        self._dependents.invalidate(sources)

    def _lists(self, instance: str, attribute: str, *, is_there: bool) -> None:
        if self._keys is None:
            return
        attributes = self._keys.setdefault(instance, {})
        if is_there:
            attributes[attribute] = None
        else:
            attributes.pop(attribute, None)

    def _find_changes(self, values: Mapping[str, Value]) -> Iterable[str]:
        now = self._now
        names = dict.fromkeys((*now, *values))
        return [name for name in names if now.get(name, MISSING) is not values.get(name, MISSING)]


def build_unknown_attribute(instance: str, key: str) -> Unknown:
    """Return the placeholder of an attribute of the instance with this key."""
    return Unknown(of=f"{escape_name(instance)}|{escape_name(key)}", why="it is known once the node runs")


def quote_literal(value: Value) -> Any:
    """Return a script output marked as a literal.

    An output is data: it is never evaluated, even if it looks like an expression.
    """
    plain = reveal_value(value)
    is_plain_text = isinstance(plain, str) and "{{" not in plain and "{%" not in plain
    if is_plain_text or not isinstance(plain, str | Mapping | list | tuple):
        return value
    return {"eval": {"q": value}}


_TEXTS: Final = frozenset({"string", "version"})
_READ: Final[Mapping[str, type | tuple[type, ...]]] = {
    "integer": int,
    "float": (int, float),
    "boolean": bool,
    "list": list,
    "map": dict,
}


def convert_value(data: Any, schema: Schema, types: TypeTable, text: str | None = None) -> Any:
    """Return a property value converted to its type.

    Missing fields get their defaults, and numbers become strings where the type is a string. `text` is the
    value as written, which distinguishes 1.10 from 1.1.
    """
    match data:
        case bool() | str() | None:
            return data
        case int() | float():
            return _convert_number(data, schema.name, types, text)
        case Mapping():
            return data if holds_expression(data) else _convert_map(data, schema, types)
        case list() if schema.entry_schema is not None:
            return [convert_value(item, schema.entry_schema, types) for item in data]
        case _:
            return data


def read_text(text: str, schema: Schema, types: TypeTable) -> Any:
    """Return the value that a program wrote as text, by its type; the text itself if it does not parse."""
    flat = types.find(TypeKind.DATA, schema.name)
    base = flat.primitive if flat is not None and flat.primitive is not None else schema.name
    wanted = _READ.get(base) or (dict if flat is not None and flat.properties else None)
    if wanted is None:
        return text
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
    return value if isinstance(value, wanted) else text


def _convert_number(data: float, name: str, types: TypeTable, text: str | None) -> Any:
    flat = types.find(TypeKind.DATA, name)
    base = flat.primitive if flat is not None and flat.primitive is not None else name
    if base in _TEXTS:
        return str(data) if text is None else text.strip()
    return float(data) if base == "float" else data


def _convert_map(data: Mapping[Any, Any], schema: Schema, types: TypeTable) -> Mapping[Any, Any]:
    flat = types.find(TypeKind.DATA, schema.name)
    if flat is not None and flat.properties:
        return _with_defaults(data, flat, types)
    entry = schema.entry_schema
    return data if entry is None else {key: convert_value(item, entry, types) for key, item in data.items()}


def _with_defaults(data: Mapping[Any, Any], flat: FlatType, types: TypeTable) -> Mapping[Any, Any]:
    fields = {key: _convert_field(item, flat.properties.get(key), types) for key, item in data.items()}
    missing = {
        name: definition.default.data
        for name, definition in flat.properties.items()
        if definition.default is not None and name not in data
    }
    return {**fields, **missing}


def _convert_field(item: Any, definition: PropertyDefinition | None, types: TypeTable) -> Any:
    if definition is None or definition.schema is None:
        return item
    return convert_value(item, definition.schema, types)
