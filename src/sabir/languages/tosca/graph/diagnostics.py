"""Findings about a deployment that are reported before anything runs.

Covers cycles of operations that read each other's outputs, templates without any implementation (such as
descriptors of network functions), and secrets that programs would write unencrypted on other machines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding, RelatedLocation
from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.resource import QueryResource
from sabir.expressions.query.values import MISSING
from sabir.graph.address import Address
from sabir.graph.values import Sensitive, Value, find_unknowns
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.graph.addresses import node_of
from sabir.languages.tosca.graph.execution import INPUTS
from sabir.languages.tosca.graph.lifecycles import Lifecycles
from sabir.languages.tosca.graph.origins import plain_value
from sabir.languages.tosca.graph.read_order import MOST
from sabir.languages.tosca.model.behaviour import sort_by_requirements
from sabir.languages.tosca.syntax.examples import tosca_rule

READ_BEFORE: Final = tosca_rule(
    code="TOSCA:W091",
    title="an operation that reads what is given only behind it",
    why="An operation runs behind those that give what its inputs read. These would have to run behind one another, or the life of a "
    "node has another order, so the value is not there when the operation begins, and it fails. Read the value in a later "
    "operation, or give it in an earlier one.",
    when="plan",
)


def report_cycles(lifecycles: Lifecycles) -> Iterator[Finding]:
    """Report each operation that lacks a value because of a cycle.

    A value that an earlier deployment produced is used again, so it is not reported.
    """
    for circle in lifecycles.circles:
        command = lifecycles.command(circle.reader)
        missing = find_unknowns(dict(lifecycles.compute_fields(command)))
        if command.undoes or not any(each.of is None or each.of in circle.attributes for each in missing):
            continue
        others = [*map(_format_address, circle.others[:MOST]), *(["…"] if len(circle.others) > MOST else [])]
        yield READ_BEFORE.at(
            command.operation.definition.place,
            f"{_format_address(circle.reader)} reads what is given by operations that wait for it: {', '.join(others)}",
        )


def _format_address(address: Address) -> str:
    return str(address).replace(".interfaces.", "/")


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
    """Report a template for which a deployment would run nothing.

    Returns at most one finding, with a note that describes each node.
    """
    nodes = lifecycles.nodes
    topology = lifecycles.ensemble.model.topology
    if not nodes or lifecycles.resources or topology.workflows:
        return
    ordered = sort_by_requirements({key: _list_targets(node) for key, node in nodes.items()})
    first = nodes[ordered[0]]
    several = f"its {len(nodes)} nodes have" if len(nodes) > 1 else "its only node has"
    more = len(nodes) - _MOST_NODES
    yield NOTHING_CARRIED_OUT.at(
        first.template.place,
        f"deploying this runs nothing here: {several} no operation with an implementation. A platform has to make them in this order"
        + (f" ({more} more are not listed)" if more > 0 else ""),
        related=tuple(
            RelatedLocation(place=nodes[key].template.place, message=_describe_node(nodes[key]))
            for key in ordered[:_MOST_NODES]
        ),
    )


def _list_targets(node: NodeInstance) -> list[str]:
    return [link.target.key for link in node.requirements if link.target not in (None, node)]


def _describe_node(node: NodeInstance) -> str:
    """Return the type of a node, the values that the template sets, and its targets."""
    words = [*_describe_values(node, "", node.template.properties)]
    for name, assignment in node.template.capabilities.items():
        capability = node.capability(name)
        if capability is not None:
            words += _describe_values(capability, f"{name}.", assignment.properties)
    shown = words[:_MOST_VALUES] + (["…"] if len(words) > _MOST_VALUES else [])
    targets = [f"{link.name} → {link.target.name}" for link in node.requirements if link.target is not None]
    about = "; ".join(filter(None, [", ".join(shown), ", ".join(targets)]))
    return f"{node.name} ({node.type})" + (f": {about}" if about else "")


def _describe_values(resource: QueryResource, prefix: str, keys: Iterable[str]) -> Iterator[str]:
    for key in keys:
        try:
            value = resource.get(key)
        except QueryError:
            continue
        if value is not MISSING:
            yield from _describe_leaves(f"{prefix}{key}", plain_value(value))


def _describe_leaves(path: str, value: Value) -> Iterator[str]:
    """Return the scalar values inside a value with their paths, without secrets."""
    match value:
        case Mapping():
            for key, item in value.items():
                yield from _describe_leaves(f"{path}.{key}", item)
        case str() | int() | float() if len(str(value)) <= _LONGEST_VALUE:
            yield f"{path} {value}"
        case _:
            return


UNSEALED: Final = tosca_rule(
    code="TOSCA:W092",
    title="secrets that stay as they are on another machine",
    why="What a program leaves in the folder `secrets` is encrypted when it ends, but only where sabir runs. On another machine the folder "
    "is one that only its user may read, and the files in it stay in clear. Run the operation here (`operation_host: "
    "ORCHESTRATOR`), or let the program encrypt them.",
    when="plan",
)


def report_unencrypted_output(lifecycles: Lifecycles) -> Iterator[Finding]:
    """Report operations whose secrets would stay unencrypted on another machine.

    Only the machine where sabir runs has the password. An operation counts if its inputs contain its secrets
    directory.
    """
    for _, command in lifecycles.all_commands():
        if command.target is None:
            continue
        environment = lifecycles.compute_fields(command)["environment"]
        text = environment.get(INPUTS) if isinstance(environment, dict) else None
        text = text.value if isinstance(text, Sensitive) else text
        folder = f"/secrets/{node_of(command.subject).name}"
        if isinstance(text, str) and folder in text:
            name = f"{node_of(command.subject).name}/{command.operation.interface}.{command.operation.name}"
            yield UNSEALED.at(
                command.operation.definition.place,
                f"what {name} writes into its folder of secrets on {command.target} is not encrypted",
            )
