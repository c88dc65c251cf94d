"""Activities of workflows and triggers with what they act on: nodes, relationships, members of groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import DeployError
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.groups import nodes_named
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.graph.subjects import Subject
from sabir.languages.tosca.model.behaviour import NodeOperation
from sabir.languages.tosca.syntax.nodes import Workflow

__all__ = ["find_operation", "find_workflow", "mapped_workflows", "operations_of_subject", "subjects_of"]


def subjects_of(ensemble: Ensemble, target: str | None, relationship: str | None) -> list[Subject]:
    """What a step acts on: nodes, or those of their relationships that have this name."""
    nodes = nodes_named(ensemble, target)
    if relationship is None:
        return [*nodes]
    return [link for node in nodes for link in node.requirements if link.name == relationship]


def find_operation(subject: Subject, name: str) -> NodeOperation | None:
    """An operation by `Interface.operation`; None when nothing carries it out."""
    interface_name, _, operation_name = name.rpartition(".")
    interfaces = subject.interfaces
    interface = interfaces.get(interface_name)
    if interface is None:
        # Older templates write the type of the interface.
        interface = next((each for each in interfaces.values() if each.type == interface_name), None)
    operation = None if interface is None else interface.operations.get(operation_name)
    if operation is None:
        known = [f"{each.name}.{key}" for each in interfaces.values() for key in each.operations]
        near = did_you_mean(name, known)
        raise DeployError(f"{subject.name!r} has no operation {name!r}" + (f": {near}" if near else ""))
    implementation = operation.implementation
    return None if implementation is None or implementation.origin.shipped else operation


def find_workflow(ensemble: Ensemble, name: str) -> Workflow:
    workflows = ensemble.model.topology.workflows
    if name not in workflows:
        near = did_you_mean(name, workflows)
        raise DeployError(f"there is no workflow {name!r}" + (f": {near}" if near else ""))
    return workflows[name]


def mapped_workflows(subject: Subject) -> dict[str, Workflow]:
    """By `Interface.operation`: the workflows of the topology that stands for a node which carry out its operations."""
    if not isinstance(subject, NodeInstance) or subject.substitution is None:
        return {}
    substitution = subject.substitution
    workflows = substitution.model.topology.workflows
    return {
        f"{entry.name}.{operation}": workflows[name]
        for entry in substitution.mapping.of("interfaces")
        if entry.value is not None and isinstance(entry.value.data, Mapping)
        for operation, name in entry.value.data.items()
        if isinstance(name, str) and name in workflows
    }


def operations_of_subject(subject: Subject) -> Iterator[NodeOperation]:
    """Those that something carries out."""
    for interface in subject.interfaces.values():
        for operation in interface.operations.values():
            implementation = operation.implementation
            if implementation is not None and not implementation.origin.shipped:
                yield operation
