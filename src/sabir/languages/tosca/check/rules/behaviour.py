"""Checks of behavior: operations, their implementations, workflows and triggers.

Each operation, workflow, relationship, artifact and file that is named must exist, and calls must pass inputs
that the called operation or workflow accepts.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.check.rules.interfaces import (
    UNKNOWN_INTERFACE,
    check_outputs,
    check_outputs_of_type,
    check_workflow_outputs,
)
from sabir.languages.tosca.model.behaviour import USUAL_INTERFACES, Interface, interfaces_of
from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.model.values import holds_expression
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.files import file_candidates
from sabir.languages.tosca.syntax.nodes import (
    Activity,
    ActivityKind,
    ArtifactDefinition,
    DocumentOrigin,
    Implementation,
    InterfaceDefinition,
    NodeTemplate,
    PropertyDefinition,
    RelationshipTemplate,
    Step,
    Workflow,
)
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.text import Place, Span

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


def check_activities(
    model: TopologyModel, interfaces: Mapping[str, Mapping[str, Interface]]
) -> Iterator[Finding]:
    """Check the activities of workflow steps and of triggers.

    `interfaces` maps the name of each node template to its merged interfaces, so that a call is checked
    against operations that the template inherits as well as those that it defines.
    """
    topology = model.topology
    yield from _check_inline_cycles(topology.workflows)
    for workflow in topology.workflows.values():
        for step in workflow.steps.values():
            flat = model.flat.get(step.target or "")
            is_node = step.target_relationship is None and flat is not None and flat.is_whole
            table = interfaces[step.target or ""] if is_node else None
            yield from _target_relationship(model, step)
            for activity in step.activities:
                yield from _check_activity(model, activity, table, step.target or "")
        if workflow.origin.second:
            yield from check_workflow_outputs(model, workflow)
    for policy in topology.policies:
        for trigger in policy.triggers.values():
            if policy.origin.second:
                # The conformance files of 2.0 call operations that no target of the trigger has.
                for activity in trigger.action:
                    yield from _check_activity(model, activity, None, "")
                continue
            targets = [name for name, _ in policy.targets] if trigger.target is None else [trigger.target]
            for target in targets:
                for activity in trigger.action:
                    yield from _check_activity(model, activity, interfaces.get(target), target)


def _target_relationship(model: TopologyModel, step: Step) -> Iterator[Finding]:
    """Check that the target relationship of a step is a requirement of the target node."""
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


def _check_activity(
    model: TopologyModel, activity: Activity, interfaces: Mapping[str, Interface] | None, target: str
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
    model: TopologyModel, activity: Activity, subject: str, inputs: Mapping[str, PropertyDefinition]
) -> Iterator[Finding]:
    """Check that the operation or workflow accepts the inputs that a step passes."""
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


def _check_inline_cycles(workflows: Mapping[str, Workflow]) -> Iterator[Finding]:
    """Report workflows that inline each other, one finding per cycle."""
    inlined = {
        name: {
            activity.name: activity
            for activity in _list_inline_activities(workflow)
            if activity.name in workflows
        }
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


def _list_inline_activities(workflow: Workflow) -> Iterator[Activity]:
    for step in workflow.steps.values():
        for activity in step.activities:
            if activity.kind is ActivityKind.INLINE:
                yield activity


UNKNOWN_OPERATION: Final = tosca_rule(
    code="TOSCA:E043",
    title="an operation that the interface does not have",
    why="The type of the interface says which operations there are; another one would never be called.",
)

MISSING_FILE: Final = tosca_rule(
    code="TOSCA:E042",
    title="a script or artifact that is not there",
    why="An implementation is the name of an artifact of the node or type, or a file relative to the one that names it.",
)

NO_FILES: Final = tosca_rule(
    code="TOSCA:W042",
    title="a file that is needed to deploy",
    why="A template of 2.0 names scripts, and their folder is not beside it; or a dependency of a script is missing.",
)

IMPLEMENTED_TYPE: Final = tosca_rule(
    code="TOSCA:E045",
    title="an interface type with an implementation",
    why="TOSCA 2.0: an interface type says what can be called; how that is done, and where outputs go, is said by node types and templates.",
)


def check_behaviour(model: TopologyModel) -> Iterator[Finding]:
    """Check the interfaces of types and templates, and everything that calls them.

    The findings do not prevent an evaluation: see `check.models.check_topology`.
    """
    if not model.topology.complete or "unfurl" in model.topology.profiles:
        # Implementations in Unfurl also name configurators and commands.
        return
    yield from _check_types(model)
    interfaces = {
        name: model.interfaces(model.flat[name], template.interfaces)
        for name, template in model.nodes.items()
    }
    for name, template in model.nodes.items():
        yield from _check_template(model, template, interfaces[name])
    for relationship in _list_relationships(model):
        flat = model.types.find(TypeKind.RELATIONSHIP, relationship.type or "")
        if flat is not None and relationship.origin.second:
            yield from _check_interface_definitions(model, flat, relationship.interfaces, flat.artifacts)
    yield from check_activities(model, interfaces)


def _list_relationships(model: TopologyModel) -> Iterator[RelationshipTemplate]:
    yield from model.topology.relationship_templates.values()
    for template in model.nodes.values():
        for requirement in template.requirements:
            if isinstance(requirement.relationship, RelationshipTemplate):
                yield requirement.relationship


def _check_types(model: TopologyModel) -> Iterator[Finding]:
    for kind in (TypeKind.INTERFACE, TypeKind.NODE, TypeKind.RELATIONSHIP):
        for type_ in {id(type_): type_ for type_ in model.topology.types[kind].values()}.values():
            if kind is TypeKind.INTERFACE:
                yield from _interface_type(type_.behaviour)
                continue
            flat = model.types.find(kind, type_.name)
            if flat is not None:
                yield from _check_interface_definitions(model, flat, type_.interfaces, flat.artifacts)
                if type_.origin.second:
                    yield from check_outputs_of_type(model, type_, flat)
            for artifact in type_.artifacts.values():
                yield from _check_artifact(model, artifact)


def _interface_type(behaviour: InterfaceDefinition | None) -> Iterator[Finding]:
    if behaviour is None or not behaviour.origin.second:
        return
    for operation in (*behaviour.operations.values(), *behaviour.notifications.values()):
        if operation.implementation is not None:
            message = f"operation {operation.name!r} of an interface type has an implementation"
            yield IMPLEMENTED_TYPE.at(operation.implementation.place, message)
        for output in operation.outputs.values():
            if output.target:
                message = f"output {output.name!r} of {operation.name!r} goes to an attribute, which an interface type does not have"
                yield IMPLEMENTED_TYPE.at(output.place, message, hint="map it in the node type")


def _check_template(
    model: TopologyModel, template: NodeTemplate, interfaces: Mapping[str, Interface]
) -> Iterator[Finding]:
    flat = model.flat[template.name]
    if flat is None:
        return
    artifacts = {**flat.artifacts, **template.artifacts}
    yield from _check_interface_definitions(model, flat, template.interfaces, artifacts)
    for artifact in template.artifacts.values():
        yield from _check_artifact(model, artifact)
    for interface in interfaces.values():
        for operation in interface.operations.values():
            outputs = operation.outputs.values()
            yield from check_outputs(model, operation.name, outputs, flat, also=template.attributes)


def _check_interface_definitions(
    model: TopologyModel,
    flat: FlatType,
    definitions: Mapping[str, InterfaceDefinition],
    artifacts: Mapping[str, ArtifactDefinition],
) -> Iterator[Finding]:
    """Check the interfaces that a type or template itself defines."""
    merged = interfaces_of(model.types, flat, definitions)
    for name, interface in definitions.items():
        declared = merged[name].declared
        if declared is None and interface.type is None and not interface.origin.second:
            layers = (type_.interfaces for type_ in flat.chain if type_.interfaces is not definitions)
            yield from _misspelt_interface(interface, flat.name, {key for layer in layers for key in layer})
        for operation in (*interface.operations.values(), *interface.notifications.values()):
            if declared and operation.name not in declared:
                hint = did_you_mean(operation.name, declared) or "it has " + ", ".join(sorted(declared))
                message = f"interface {name!r} has no operation {operation.name!r}"
                yield UNKNOWN_OPERATION.at(operation.place, message, hint=hint)
            if operation.implementation is not None:
                yield from _check_implementation(model, operation.implementation, artifacts)


def _misspelt_interface(interface: InterfaceDefinition, owner: str, inherited: set[str]) -> Iterator[Finding]:
    """Report an interface whose name is nearly that of an inherited one.

    Before 2.0 a type or template may add interfaces, so an unknown name alone is not an error.
    """
    hint = did_you_mean(interface.name, USUAL_INTERFACES, inherited)
    if interface.name not in inherited and hint is not None:
        message = f"{owner} has no interface {interface.name!r}, and it has no type"
        yield UNKNOWN_INTERFACE.at(interface.place, message, hint=hint)


def _check_implementation(
    model: TopologyModel, implementation: Implementation, artifacts: Mapping[str, ArtifactDefinition]
) -> Iterator[Finding]:
    if implementation.artifact is not None:
        yield from _check_artifact(model, implementation.artifact)
    near, origin = list(artifacts), implementation.origin
    if implementation.name and implementation.name not in artifacts:
        yield from _check_file(model, implementation.name, origin, implementation.span, near)
    for name, span in implementation.dependencies:
        if name not in artifacts:
            yield from _check_file(model, name, origin, span, near, is_needed=not origin.second)


def _check_artifact(model: TopologyModel, artifact: ArtifactDefinition) -> Iterator[Finding]:
    repositories = model.topology.repositories
    if artifact.origin.second and artifact.repository is not None and artifact.repository not in repositories:
        message = (
            f"artifact {artifact.name!r} lies in repository {artifact.repository!r}, which is not defined"
        )
        hint = did_you_mean(artifact.repository, repositories) or "define it under 'repositories:'"
        yield MISSING_FILE.at(artifact.place, message, hint=hint)
    is_image = artifact.type is not None and "Image" in artifact.type
    if artifact.file is not None and artifact.repository is None and not is_image:
        yield from _check_file(model, artifact.file, artifact.origin, artifact.span, [])


def _check_file(
    model: TopologyModel,
    name: str,
    origin: DocumentOrigin,
    span: Span,
    near: list[str],
    *,
    is_needed: bool = True,
) -> Iterator[Finding]:
    """Check that a file exists, next to the file that names it or relative to the package root."""
    exists, candidates = model.topology.has_file, file_candidates(name, origin)
    if exists is None or not candidates:
        return
    path = candidates[0]
    if path.startswith("..") or any(map(exists, candidates)):
        return
    # A name without a dot probably refers to an artifact.
    is_file = "." in name or "/" in name
    stands_alone = origin.second and is_file and not model.topology.has_folder(posixpath.dirname(path))
    rule = MISSING_FILE if is_needed and not stands_alone else NO_FILES
    word = "there is no file" if is_file else "there is no artifact or file"
    hint = did_you_mean(name, near) or f"it would be {path!r}"
    yield rule.at(Place(origin.source, span), f"{word} {name!r}", hint=hint)
