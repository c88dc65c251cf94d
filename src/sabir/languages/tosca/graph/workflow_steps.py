"""Targets, operations and conditions of workflow steps and triggers.

A condition is tested on nodes as they are when the step is about to run. In 2.0 it is a function call. In 1.x
it is a list such as `{attribute: {greater_than: 50}}`, combined with `and`, `or`, `not` and `assert`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import DeployError
from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.live import AssignedValue
from sabir.expressions.query.resource import QueryResource
from sabir.expressions.query.values import MISSING, reveal_deep
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.groups import nodes_named
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.graph.addresses import Subject
from sabir.languages.tosca.model.behaviour import NodeOperation
from sabir.languages.tosca.model.constraints import CONSTRAINTS, constraint_holds
from sabir.languages.tosca.syntax.nodes import Workflow


def subjects_of(ensemble: Ensemble, target: str | None, relationship: str | None) -> list[Subject]:
    """Return the nodes that a step acts on, or their relationships of this name."""
    nodes = nodes_named(ensemble, target)
    if relationship is None:
        return [*nodes]
    return [link for node in nodes for link in node.requirements if link.name == relationship]


def find_operation(subject: Subject, name: str) -> NodeOperation | None:
    """Return an operation by `Interface.operation`; None if it has no implementation."""
    interface_name, _, operation_name = name.rpartition(".")
    interfaces = subject.interfaces
    interface = interfaces.get(interface_name)
    if interface is None:
        # Older templates use the type of the interface instead of its name.
        interface = next((each for each in interfaces.values() if each.type == interface_name), None)
    operation = None if interface is None else interface.operations.get(operation_name)
    if operation is None:
        known = [f"{each.name}.{key}" for each in interfaces.values() for key in each.operations]
        near = did_you_mean(name, known)
        raise DeployError(f"{subject.name!r} has no operation {name!r}" + (f": {near}" if near else ""))
    implementation = operation.implementation
    return None if implementation is None or implementation.origin.shipped else operation


def find_workflow(ensemble: Ensemble, name: str) -> Workflow:
    """Return a workflow of a topology; raise DeployError if it does not exist."""
    workflows = ensemble.model.topology.workflows
    if name not in workflows:
        near = did_you_mean(name, workflows)
        raise DeployError(f"there is no workflow {name!r}" + (f": {near}" if near else ""))
    return workflows[name]


def find_mapped_workflows(subject: Subject) -> dict[str, Workflow]:
    """Return the workflows that implement operations of a substituted node.

    The keys have the form `Interface.operation`.
    """
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
    """Return the implemented operations of a node or relationship."""
    for interface in subject.interfaces.values():
        for operation in interface.operations.values():
            implementation = operation.implementation
            if implementation is not None and not implementation.origin.shipped:
                yield operation


def condition_holds(data: Any, subject: QueryResource) -> bool:
    """Return whether a condition holds for a subject; a missing condition always does."""
    if data is None:
        return True
    if isinstance(data, list):
        return all(condition_holds(item, subject) for item in data)
    if not isinstance(data, Mapping):
        return data is True
    if any(str(key).startswith("$") for key in data) or "eval" in data:
        return _evaluate_data(data, subject) is True
    return all(_clause_holds(str(key), argument, subject) for key, argument in data.items())


def _clause_holds(key: str, argument: Any, subject: QueryResource) -> bool:
    match key:
        case "and" | "assert" | "constraint" | "condition" | "conditions":
            return condition_holds(argument, subject)
        case "or":
            return any(
                condition_holds(item, subject)
                for item in (argument if isinstance(argument, list) else [argument])
            )
        case "not":
            return not condition_holds(argument, subject)
        case "period" | "evaluations" | "method" | "target" | "target_relationship":
            return True  # only the sender of the event knows how often something was observed
        case _:
            return _matches_value(_read_value(key, subject), argument)


def _matches_value(value: Any, wanted: Any) -> bool:
    clauses = wanted if isinstance(wanted, list) else [wanted]
    for clause in clauses:
        if isinstance(clause, Mapping) and all(str(name) in CONSTRAINTS for name in clause):
            if value is None or not all(
                constraint_holds(str(name), argument, value) for name, argument in clause.items()
            ):
                return False
        elif clause != value:
            return False
    return True


def _read_value(key: str, subject: QueryResource) -> Any:
    """Return an attribute, also through a capability: `host.num_cpus`."""
    head, dot, tail = key.partition(".")
    part = next((each for each in subject.capabilities if each.name == head), None) if dot else None
    try:
        value = subject.get(key) if part is None else part.get(tail)
    except QueryError:
        return None
    if value is MISSING and key == "state" and subject.state is not None:
        return subject.state.name
    return None if value is MISSING else reveal_deep(value)


def _evaluate_data(data: Any, subject: QueryResource) -> Any:
    try:
        return reveal_deep(AssignedValue(data).value(subject))
    except QueryError:
        return None
