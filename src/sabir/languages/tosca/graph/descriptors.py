"""Templates in which nothing is carried out, as descriptors of network functions are: what deploying one means for whoever can."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding, Related
from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.resource import Resource
from sabir.expressions.query.values import MISSING
from sabir.graph.values import Value
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.graph.lifecycles import Lifecycles
from sabir.languages.tosca.graph.plain import plain_value
from sabir.languages.tosca.model.lifecycle import required_first
from sabir.languages.tosca.syntax.examples import tosca_rule

__all__ = ["descriptor_findings"]

_MOST_NODES: Final = 30
_MOST_VALUES: Final = 6
_LONGEST_VALUE: Final = 60

NOTHING_CARRIED_OUT: Final = tosca_rule(
    code="TOSCA:W090",
    title="a template that says what, and not how",
    why="No operation of its nodes has an implementation, so that sabir has nothing to do when it is deployed: it describes what a platform "
    "(an NFV orchestrator, a cloud) has to make. The notes list that, each node behind what it requires. Give node types "
    "implementations for the operations of Standard, or substitute the nodes by templates that have them.",
    when="plan",
)


def descriptor_findings(lifecycles: Lifecycles) -> Iterator[Finding]:
    """One, with a note for each node, when a deployment would run nothing at all."""
    nodes = lifecycles.nodes
    topology = lifecycles.ensemble.model.topology
    if not nodes or lifecycles.resources or topology.workflows:
        return
    ordered = required_first({key: _required(node) for key, node in nodes.items()})
    first = nodes[ordered[0]]
    several = f"its {len(nodes)} nodes have" if len(nodes) > 1 else "its only node has"
    more = len(nodes) - _MOST_NODES
    yield NOTHING_CARRIED_OUT.at(
        first.template.place,
        f"deploying this runs nothing here: {several} no operation with an implementation. A platform has to make them in this order"
        + (f" ({more} more are not listed)" if more > 0 else ""),
        related=tuple(
            Related(place=nodes[key].template.place, message=_asked(nodes[key]))
            for key in ordered[:_MOST_NODES]
        ),
    )


def _required(node: NodeInstance) -> list[str]:
    return [link.target.key for link in node.requirements if link.target not in (None, node)]


def _asked(node: NodeInstance) -> str:
    """What the node is, what of it is said in the template, and what it leads to."""
    words = [*_values(node, "", node.template.properties)]
    for name, assignment in node.template.capabilities.items():
        capability = node.capability(name)
        if capability is not None:
            words += _values(capability, f"{name}.", assignment.properties)
    shown = words[:_MOST_VALUES] + (["…"] if len(words) > _MOST_VALUES else [])
    targets = [f"{link.name} → {link.target.name}" for link in node.requirements if link.target is not None]
    about = "; ".join(filter(None, [", ".join(shown), ", ".join(targets)]))
    return f"{node.name} ({node.type})" + (f": {about}" if about else "")


def _values(resource: Resource, prefix: str, keys: Iterable[str]) -> Iterator[str]:
    for key in keys:
        try:
            value = resource.get(key)
        except QueryError:
            continue
        if value is not MISSING:
            yield from _leaves(f"{prefix}{key}", plain_value(value))


def _leaves(path: str, value: Value) -> Iterator[str]:
    """Values that can be said in a word, with the way to them; secrets are none."""
    match value:
        case Mapping():
            for key, item in value.items():
                yield from _leaves(f"{path}.{key}", item)
        case str() | int() | float() if len(str(value)) <= _LONGEST_VALUE:
            yield f"{path} {value}"
        case _:
            return
