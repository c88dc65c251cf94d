"""Operations and notifications as instances of the graph, with their scripts and inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from sabir.graph.address import escape_name
from sabir.graph.edges import EdgeKind, edge_kinds
from sabir.graph.graph import Instance
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.record import Record
from sabir.graph.values import Value
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.graph.addresses import Subject, child_address, node_of
from sabir.languages.tosca.graph.jobs import in_job, job_of
from sabir.languages.tosca.model.behaviour import NodeOperation
from sabir.languages.tosca.syntax.nodes import Implementation

ValueEvaluator = Callable[[Callable[[], Any]], tuple[Value, tuple[Origin | AttributeRead, ...]]]
"""Computes a value; returns it with what it was read from."""


def operations_of(subject: Subject, id_: str, owner: str, evaluated: ValueEvaluator) -> Iterator[Instance]:
    """Return the implemented operations of a node or relationship, and its notifications.

    Operations of a relationship belong to its source node in the graph, because readers look for them there.
    """
    if not _has_behaviour(subject):
        return
    for interface in subject.interfaces.values():
        for operation in interface.operations.values():
            implementation = operation.implementation
            is_carried_out = implementation is not None and not implementation.origin.shipped
            if is_carried_out or (operation.is_notification and operation.outputs):
                type_ = interface.type or "tosca.interfaces.Root"
                address = child_address(id_, f"interfaces.{operation.interface}.{operation.name}")
                yield _build_instance(subject, str(address), owner, type_, operation, evaluated)


def _has_behaviour(subject: Subject) -> bool:
    """Return whether the type or template adds anything to the bundled types.

    Nearly all relationships do not, so this saves merging their interfaces.
    """
    flat = subject.flat
    if flat is not None and flat.is_implemented:
        return True
    if isinstance(subject, NodeInstance):
        return bool(subject.template.interfaces)
    relationship = subject.link.relationship
    return relationship is not None and bool(relationship.interfaces)


def _build_instance(
    subject: Subject, id_: str, owner: str, type_: str, operation: NodeOperation, evaluated: ValueEvaluator
) -> Instance:
    name = f"{operation.interface}.{operation.name}"
    implementation = operation.implementation
    attributes: dict[str, Value] = {}
    origins: dict[str, Origin] = {}
    relations: dict[str, tuple[str, ...]] = {}
    if implementation is not None:
        file, artifact = _find_script(subject, implementation)
        attributes |= {"implementation": file, **_implementation_settings(implementation)}
        origins["implementation"] = Origin(implementation.place, How.LITERAL)
        if artifact is not None:
            relations["artifact"] = (artifact,)
    inputs, sources = _evaluate_inputs(subject.ensemble, subject, operation, evaluated)
    if inputs:
        attributes["inputs"] = inputs
        origins["inputs"] = Origin(operation.definition.place, How.EXPRESSION, sources)
    outputs = {key: list(output.target) for key, output in operation.outputs.items()}
    if outputs:
        attributes["outputs"] = outputs
        origins["outputs"] = Origin(operation.definition.place, How.LITERAL)
    return Instance(
        id=id_,
        type=type_,
        language="tosca",
        name=name if isinstance(subject, NodeInstance) else f"{subject.name}.{name}",
        owner=owner,
        attributes=Record.of(attributes),
        relations=Record.of(relations),
        origin=Origin(operation.definition.place, How.LITERAL),
        origins=Record.of(origins),
        kinds=edge_kinds(EdgeKind.OPERATION_OF),
    )


def _find_script(subject: Subject, implementation: Implementation) -> tuple[str | None, str | None]:
    """Return the file of an implementation, and the id of the node artifact that names it."""
    if implementation.artifact is not None:
        return implementation.artifact.file, None
    node = node_of(subject)
    artifact = node.artifact_definitions.get(implementation.name)
    if artifact is None:
        return implementation.name, None
    return artifact.file or implementation.name, escape_name(f"{node.key}.artifacts.{artifact.name}")


def _implementation_settings(implementation: Implementation) -> dict[str, Value]:
    settings: dict[str, Value] = {}
    if implementation.dependencies:
        settings["dependencies"] = [file for file, _ in implementation.dependencies]
    if implementation.timeout is not None:
        settings["timeout"] = implementation.timeout.data
    if implementation.operation_host is not None:
        settings["operation_host"] = implementation.operation_host
    return settings


def _evaluate_inputs(
    ensemble: Ensemble, subject: Subject, operation: NodeOperation, evaluated: ValueEvaluator
) -> tuple[dict[str, Value], tuple[Origin | AttributeRead, ...]]:
    values: dict[str, Value] = {}
    sources: list[Origin | AttributeRead] = []
    job = job_of(operation, "deploy")
    for name, parameter in operation.inputs.items():
        assigned = ensemble.default(parameter)
        if assigned is None:
            continue
        with in_job(subject, job):
            values[name], read = evaluated(partial(assigned.value, subject))
        if assigned.place is not None:
            how = How.LITERAL if assigned.is_constant else How.EXPRESSION
            sources.append(Origin(assigned.place, how, read, note=f"input {name}"))
    return values, tuple(sources)
