"""Operations as instances of the graph: what carries them out, and the values that go in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from sabir.graph.address import escaped
from sabir.graph.edges import EdgeKind, edge_kinds
from sabir.graph.instance import Instance
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.record import Record
from sabir.graph.values import Value
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.model.behaviour import Operation, interfaces_of
from sabir.languages.tosca.syntax.nodes import Implementation

__all__ = ["operations_of"]

Evaluated = Callable[[Callable[[], Any]], tuple[Value, tuple[Origin | AttributeRead, ...]]]
"""Computes something; gives the value and what it was read from."""


def operations_of(node: NodeInstance, owner: str, evaluated: Evaluated) -> Iterator[Instance]:
    """The operations of a node that something carries out."""
    model = node.ensemble.model
    if not node.template.interfaces and (node.flat is None or not node.flat.is_implemented):
        return
    for interface in interfaces_of(model.types, node.flat, node.template.interfaces).values():
        for operation in interface.operations.values():
            implementation = operation.implementation
            if implementation is not None and not implementation.origin.shipped:
                type_ = interface.type or "tosca.interfaces.Root"
                yield _instance(node, owner, type_, operation, implementation, evaluated)


def _instance(
    node: NodeInstance,
    owner: str,
    type_: str,
    operation: Operation,
    implementation: Implementation,
    evaluated: Evaluated,
) -> Instance:
    name = f"{operation.interface}.{operation.name}"
    artifact = implementation.artifact
    attributes: dict[str, Value] = {
        "implementation": implementation.name if artifact is None else artifact.file,
    }
    origins = {"implementation": Origin(implementation.place, How.LITERAL)}
    if implementation.dependencies:
        attributes["dependencies"] = [file for file, _ in implementation.dependencies]
    if implementation.timeout is not None:
        attributes["timeout"] = implementation.timeout.data
    inputs, sources = _inputs(node.ensemble, node, operation, evaluated)
    if inputs:
        attributes["inputs"] = inputs
        origins["inputs"] = Origin(operation.definition.place, How.EXPRESSION, sources)
    outputs = {key: list(output.target) for key, output in operation.outputs.items()}
    if outputs:
        attributes["outputs"] = outputs
        origins["outputs"] = Origin(operation.definition.place, How.LITERAL)
    return Instance(
        id=escaped(f"{node.key}.interfaces.{name}"),
        type=type_,
        language="tosca",
        name=name,
        owner=owner,
        attributes=Record.of(attributes),
        origin=Origin(operation.definition.place, How.LITERAL),
        origins=Record.of(origins),
        kinds=edge_kinds(EdgeKind.OPERATION_OF),
    )


def _inputs(
    ensemble: Ensemble, node: NodeInstance, operation: Operation, evaluated: Evaluated
) -> tuple[dict[str, Value], tuple[Origin | AttributeRead, ...]]:
    values: dict[str, Value] = {}
    sources: list[Origin | AttributeRead] = []
    for name, parameter in operation.inputs.items():
        assigned = ensemble.default(parameter)
        if assigned is None:
            continue
        values[name], read = evaluated(partial(assigned.value, node))
        if assigned.place is not None:
            how = How.LITERAL if assigned.is_constant else How.EXPRESSION
            sources.append(Origin(assigned.place, how, read, note=f"input {name}"))
    return values, tuple(sources)
