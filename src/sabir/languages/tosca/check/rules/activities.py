"""What workflows and triggers call: operations, workflows, relationships. All of it is there, and takes what it is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.check.rules.outputs import check_workflow_outputs
from sabir.languages.tosca.model.behaviour import Interface
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.model.values import holds_expression
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import Activity, ActivityKind, PropertyDefinition, Step, Workflow

__all__ = ["check_activities"]

UNKNOWN_CALL: Final = tosca_rule(
    code="TOSCA:E046",
    title="a call of something that is not there",
    why="call_operation names INTERFACE.OPERATION of its target, inline a workflow of the template, target_relationship a requirement.",
)


ENDLESS: Final = tosca_rule(
    code="TOSCA:W070",
    title="a workflow that inlines itself",
    why="It has no end: what it inlines leads back to it.",
)


def check_activities(model: Model, interfaces: Mapping[str, Mapping[str, Interface]]) -> Iterator[Finding]:
    topology = model.topology
    yield from _circles(topology.workflows)
    for workflow in topology.workflows.values():
        for step in workflow.steps.values():
            flat = model.flat.get(step.target or "")
            is_node = step.target_relationship is None and flat is not None and flat.is_whole
            table = interfaces[step.target or ""] if is_node else None
            yield from _target_relationship(model, step)
            for activity in step.activities:
                yield from _activity(model, activity, table, step.target or "")
        if workflow.origin.second:
            yield from check_workflow_outputs(model, workflow)
    for policy in topology.policies:
        for trigger in policy.triggers.values():
            if policy.origin.second:
                # The conformance files of 2.0 call operations there that no target has.
                for activity in trigger.action:
                    yield from _activity(model, activity, None, "")
                continue
            targets = [name for name, _ in policy.targets] if trigger.target is None else [trigger.target]
            for target in targets:
                for activity in trigger.action:
                    yield from _activity(model, activity, interfaces.get(target), target)


def _target_relationship(model: Model, step: Step) -> Iterator[Finding]:
    """It is the name of a requirement of the node that the step is for."""
    name, flat = step.target_relationship, model.flat.get(step.target or "")
    if name is not None and step.origin.second and step.target in model.topology.groups:
        message = f"{step.target!r} is a group and has no requirement {name!r}"
        yield UNKNOWN_CALL.at(step.place, message, hint="name a node as the target")
    if name is None or flat is None or not step.origin.second:
        return
    assigned = (requirement.name for requirement in model.nodes[step.target or ""].requirements)
    requirements = dict.fromkeys((*flat.requirements, *assigned))
    if name not in requirements:
        message = f"{step.target!r} has no requirement {name!r}"
        yield UNKNOWN_CALL.at(step.place, message, hint=did_you_mean(name, requirements))


def _activity(
    model: Model, activity: Activity, interfaces: Mapping[str, Interface] | None, target: str
) -> Iterator[Finding]:
    if activity.kind is ActivityKind.INLINE:
        workflows = model.topology.workflows
        if activity.name and activity.name not in workflows:
            hint = did_you_mean(activity.name, workflows)
            yield UNKNOWN_CALL.at(activity.place, f"there is no workflow {activity.name!r}", hint=hint)
        elif activity.name:
            inputs = workflows[activity.name].inputs
            yield from _call_inputs(model, activity, f"workflow {activity.name!r}", inputs)
    elif activity.kind is ActivityKind.CALL_OPERATION and interfaces is not None:
        interface, _, operation = activity.name.rpartition(".")
        names = {
            f"{name}.{key}"
            for name, offered in interfaces.items()
            for key in (*offered.operations, *(offered.declared or ()))
        }
        names |= {f"Standard.{key}" for key in ("create", "configure", "start", "stop", "delete")}
        offered = interfaces.get(interface)
        is_vague = offered is not None and offered.declared is None and offered.type is not None
        if activity.name and activity.name not in names and not is_vague:
            hint = did_you_mean(activity.name, names)
            message = f"{target!r} has no operation {activity.name!r}"
            if not interface:
                hint = hint or f"write it with its interface, as Standard.{operation}"
            yield UNKNOWN_CALL.at(activity.place, message, hint=hint)
        called = interfaces.get(interface)
        if called is not None and operation in called.operations:
            inputs = called.operations[operation].inputs
            yield from _call_inputs(model, activity, f"operation {activity.name!r}", inputs)


def _call_inputs(
    model: Model, activity: Activity, subject: str, inputs: Mapping[str, PropertyDefinition]
) -> Iterator[Finding]:
    """What a step gives to an operation or workflow is among what it takes, and fits."""
    for name, written in activity.inputs.items():
        definition = inputs.get(name)
        if definition is None:
            if inputs and not activity.origin.second:
                hint = did_you_mean(name, inputs)
                message = f"{subject} takes no input {name!r}"
                yield UNKNOWN_CALL.at(written.key_place, message, hint=hint)
        elif not holds_expression(written.data):
            for misfit in model.values.misfits(definition, written.data):
                yield misfit.rule.at(written.place, f"input {name!r}: {misfit.message}", hint=misfit.hint)


def _circles(workflows: Mapping[str, Workflow]) -> Iterator[Finding]:
    """Workflows that inline one another have no end; one finding for each way round."""
    inlined = {
        name: {activity.name: activity for activity in _inlined(workflow) if activity.name in workflows}
        for name, workflow in workflows.items()
    }
    done: set[str] = set()
    for start in workflows:
        way: dict[str, None] = {}
        waiting = [] if start in done else [(start, iter(inlined[start].values()))]
        while waiting:
            name, activities = waiting[-1]
            way[name] = None
            activity = next(activities, None)
            if activity is None:
                waiting.pop()
                way.pop(name)
                done.add(name)
            elif activity.name in way:
                names = [*way]
                ring = [*names[names.index(activity.name) :], activity.name]
                message = f"workflow {activity.name!r} comes to itself: {' → '.join(ring)}"
                yield ENDLESS.at(activity.place, message, hint="leave out one of the inlined workflows")
            elif activity.name not in done:
                waiting.append((activity.name, iter(inlined[activity.name].values())))


def _inlined(workflow: Workflow) -> Iterator[Activity]:
    for step in workflow.steps.values():
        for activity in step.activities:
            if activity.kind is ActivityKind.INLINE:
                yield activity
