"""The attributes that workflows may give values to: what the operations that they call give out, and the states that they set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sabir.graph.address import Address
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.groups import nodes_named
from sabir.languages.tosca.graph.activities import (
    find_operation,
    find_workflow,
    mapped_workflows,
    subjects_of,
)
from sabir.languages.tosca.graph.addresses import operation_address
from sabir.languages.tosca.graph.lifecycles import Lifecycles
from sabir.languages.tosca.graph.placement import attribute_address
from sabir.languages.tosca.graph.subjects import Subject, node_of
from sabir.languages.tosca.model.behaviour import NodeOperation
from sabir.languages.tosca.syntax.nodes import Activity, ActivityKind, Workflow

__all__ = ["results_of_activities", "results_of_workflow"]


def results_of_workflow(
    lifecycles: Lifecycles, workflow: Workflow, ensemble: Ensemble | None = None
) -> dict[str, Address]:
    """By their texts. What a workflow names that is not there is said here, before anything runs. `ensemble`: whose it is."""
    seen = {workflow.name}
    addresses = _workflow(lifecycles, ensemble or lifecycles.ensemble, workflow, seen)
    return {str(address): address for address in addresses}


def results_of_activities(
    lifecycles: Lifecycles, targets: Iterable[str], activities: Iterable[Activity]
) -> dict[str, Address]:
    subjects: list[Subject] = [node for name in targets for node in nodes_named(lifecycles.ensemble, name)]
    addresses = _activities(lifecycles, lifecycles.ensemble, subjects, activities, set())
    return {str(address): address for address in addresses}


def _workflow(
    lifecycles: Lifecycles, ensemble: Ensemble, workflow: Workflow, seen: set[str]
) -> Iterator[Address]:
    for step in workflow.steps.values():
        subjects = subjects_of(ensemble, step.target, step.target_relationship)
        yield from _activities(lifecycles, ensemble, subjects, step.activities, seen)


def _activities(
    lifecycles: Lifecycles,
    ensemble: Ensemble,
    subjects: list[Subject],
    activities: Iterable[Activity],
    seen: set[str],
) -> Iterator[Address]:
    for activity in activities:
        if activity.kind is ActivityKind.INLINE:
            inlined = find_workflow(ensemble, activity.name)
            if activity.name not in seen:
                seen.add(activity.name)
                yield from _workflow(lifecycles, ensemble, inlined, seen)
            continue
        for subject in subjects:
            yield from _activity(lifecycles, subject, activity)


def _activity(lifecycles: Lifecycles, subject: Subject, activity: Activity) -> Iterator[Address]:
    match activity.kind:
        case ActivityKind.SET_STATE:
            yield Address(node_of(subject).key).of("state")
        case ActivityKind.CALL_OPERATION:
            operation = find_operation(subject, activity.name)
            mapped = mapped_workflows(subject).get(activity.name)
            inside = node_of(subject).substitution
            if mapped is not None and inside is not None:
                yield from _workflow(lifecycles, inside.ensemble, mapped, {mapped.name})
            elif operation is not None:
                yield from _outputs(subject, operation)
        case _:
            for _, command in lifecycles.commands_of(node_of(subject)):
                yield from _outputs(command.subject, command.operation)


def _outputs(subject: Subject, operation: NodeOperation) -> Iterator[Address]:
    for name, output in operation.outputs.items():
        mapped = len(output.target) > 1
        yield (
            attribute_address(subject, output.target)
            if mapped
            else operation_address(subject, operation).of(name)
        )
