"""Where nodes are in their lives, as the state of a deployment tells it: by the operations that were carried out.

A node whose operation failed is in `error`. One that has begun is as far as its last operation; without further operations it has
started. A node that has none follows what it requires, or what stands in its place. What a workflow set is taken as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from sabir.expressions.query.values import MISSING, NodeState, Status
from sabir.graph.address import Address
from sabir.graph.values import reveal
from sabir.languages.tosca.model.lifecycle import OPPOSITES, STAGES, carried_out

if TYPE_CHECKING:
    from sabir.languages.tosca.evaluate.instances import NodeInstance

__all__ = ["Lifetimes", "undone_by"]

_INTERFACES: Final = ".interfaces."
_REQUIREMENTS: Final = ".requirements."
_REACHED: Final = {"create": NodeState.created, "configure": NodeState.configured, "start": NodeState.started}
_STATUSES: Final = {
    NodeState.started: Status.ok,
    NodeState.error: Status.error,
    NodeState.initial: Status.absent,
}
_OWN: Final = tuple(own for own, _, _ in STAGES if own)


def undone_by(name: str, opposite: str) -> str:
    """What is recorded to undo an operation, as a name beside it."""
    return f"{name}.undone-by-{opposite}"


class Lifetimes:
    """The states of the nodes of one deployment. `statuses`: how each recorded operation fared, by the text of its address."""

    def __init__(self, statuses: Mapping[str, str]) -> None:
        self._ended: dict[str, dict[str, str]] = {}
        """By the key of a node: its operations that are recorded, and how they fared."""
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

    def status(self, node: NodeInstance) -> Status:
        return _STATUSES.get(self.state(node), Status.pending)

    def state(self, node: NodeInstance) -> NodeState:
        """Chains of nodes without operations may be long: what they wait for is looked at first, without recursion."""
        waiting = [node]
        pending: set[str] = set()
        while waiting:
            here = waiting[-1]
            unsettled = [other for other in _followed(here) if other.key not in self._states]
            if here.key in pending or not unsettled or self._own_state(here) is not None:
                self._states[here.key] = self._own_state(here) or self._following(_followed(here))
                waiting.pop()
            else:
                pending.add(here.key)
                waiting += (other for other in unsettled if other.key not in pending)
        return self._states[node.key]

    def _own_state(self, node: NodeInstance) -> NodeState | None:
        """None: it has no operations."""
        ended = self._ended.get(node.key, {})
        if "error" in ended.values():
            return NodeState.error
        told = node.ensemble.request.observed.value(node.key, "state")
        if told is not MISSING and str(reveal(told)) in NodeState.__members__:
            return NodeState[str(reveal(told))]
        if "deploy" in node.ensemble.model.topology.workflows:
            return NodeState.initial
        wanted = _operations(node)
        if not wanted and not ended:
            return None
        if all(operation in ended for operation in wanted):
            return NodeState.started
        reached = [operation for operation in reversed(_OWN) if operation in ended]
        return _REACHED[reached[0]] if reached else NodeState.initial

    def _following(self, nodes: Iterable[NodeInstance]) -> NodeState:
        states = [self._states.get(node.key, NodeState.initial) for node in nodes]
        has_begun = bool(self._ended) and all(state is NodeState.started for state in states)
        return NodeState.started if has_begun else NodeState.initial


def _followed(node: NodeInstance) -> Iterator[NodeInstance]:
    """What the state of a node without operations depends on."""
    if node.substitution is not None:
        yield from node.substitution.ensemble.nodes.values()
    for link in node.requirements:
        if link.target is not None:
            yield link.target


def _operations(node: NodeInstance) -> set[str]:
    """What a deployment carries out, and what it keeps to undo that."""
    if node.substitution is not None:
        return set()
    types = node.ensemble.model.types
    implemented = carried_out(types, node.interfaces.values())
    kept = {undone_by(name, opposite) for name, opposite in OPPOSITES.items() if opposite in implemented}
    return (implemented.keys() & {*_OWN}) | kept
