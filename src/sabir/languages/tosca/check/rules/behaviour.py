"""Operations, what carries them out, and who calls them: all of it is there."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.diagnostics.rules import Rule
from sabir.languages.tosca.model.behaviour import Interface, interfaces_of
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.model.values import holds_expression
from sabir.languages.tosca.syntax.examples import SECOND, example_nodes
from sabir.languages.tosca.syntax.nodes import (
    Activity,
    ActivityKind,
    ArtifactDefinition,
    Implementation,
    InterfaceDefinition,
    Kind,
    NodeTemplate,
    Origin,
    OutputMapping,
    PropertyDefinition,
    RelationshipTemplate,
    Step,
    TypeDefinition,
    Workflow,
)
from sabir.languages.tosca.syntax.references import file_candidates
from sabir.text import Place, Span

__all__ = ["check_behaviour"]

_APP = "    app: {type: tosca.nodes.SoftwareComponent, interfaces: {Standard: {operations: {%s}}}}\n"
_VM = "    vm: {type: tosca.nodes.Compute}\n"
UNKNOWN_OPERATION: Final = Rule(
    code="TOSCA:E043",
    title="an operation that the interface does not have",
    why="The type of the interface says which operations there are; another one would never be called.",
    bad=example_nodes(_VM + _APP % "craete: {}"),
    good=example_nodes(_VM + _APP % "create: {}"),
    language="tosca",
)

MISSING_FILE: Final = Rule(
    code="TOSCA:E042",
    title="a script or artifact that is not there",
    why="An implementation is the name of an artifact of the node or type, or a file relative to the one that names it.",
    bad=example_nodes(_VM + _APP % "create: create.sh"),
    good={**example_nodes(_VM + _APP % "create: create.sh"), "create.sh": "true\n"},
    language="tosca",
)

NO_FILES: Final = Rule(
    code="TOSCA:W042",
    title="a file that is needed to deploy",
    why="A template of 2.0 names scripts, and their folder is not beside it; or a dependency of a script is missing.",
    bad={
        "template.yaml": SECOND
        + "node_types: {N: {artifacts: {a: {type: A, file: s.sh}}}}\nartifact_types: {A: {}}\n"
    },
    good={
        "template.yaml": SECOND
        + "node_types: {N: {artifacts: {a: {type: A, file: s.sh}}}}\nartifact_types: {A: {}}\n",
        "s.sh": "true\n",
    },
    language="tosca",
)

WRONG_MAPPING: Final = Rule(
    code="TOSCA:E044",
    title="an output that goes to an attribute which is not there",
    why="Outputs of operations become values of attributes; an attribute that the type does not have gets none.",
    bad=example_nodes(_VM + _APP % "create: {outputs: {url: [SELF, stat]}}"),
    good=example_nodes(_VM + _APP % "create: {outputs: {url: [SELF, state]}}"),
    language="tosca",
)

IMPLEMENTED_TYPE: Final = Rule(
    code="TOSCA:E045",
    title="an interface type with an implementation",
    why="TOSCA 2.0: an interface type says what can be called; how that is done, and where outputs go, is said by node types and templates.",
    bad={"template.yaml": SECOND + "interface_types: {I: {operations: {run: run.sh}}}\n"},
    good={"template.yaml": SECOND + "interface_types: {I: {operations: {run: {}}}}\n"},
    language="tosca",
)

UNKNOWN_CALL: Final = Rule(
    code="TOSCA:E046",
    title="a call of something that is not there",
    why="call_operation names INTERFACE.OPERATION of its target, inline a workflow of the template, target_relationship a requirement.",
    bad=example_nodes(
        _VM + "  workflows: {w: {steps: {s: {target: vm, activities: [{call_operation: Standard.strat}]}}}}\n"
    ),
    good=example_nodes(
        _VM + "  workflows: {w: {steps: {s: {target: vm, activities: [{call_operation: Standard.start}]}}}}\n"
    ),
    language="tosca",
)

_STEPS: Final = frozenset({"CAPABILITY", "RELATIONSHIP", "TARGET", "SOURCE"})


def check_behaviour(model: Model) -> Iterator[Finding]:
    if not model.topology.complete or "unfurl" in model.topology.profiles:
        # Implementations of Unfurl name configurators and commands, too.
        return
    yield from _types(model)
    interfaces = {
        name: model.interfaces(model.flat[name], template.interfaces)
        for name, template in model.nodes.items()
    }
    for name, template in model.nodes.items():
        yield from _template(model, template, interfaces[name])
    for relationship in _relationships(model):
        flat = model.types.find(Kind.RELATIONSHIP, relationship.type or "")
        if flat is not None and relationship.origin.second:
            yield from _definitions(model, flat, relationship.interfaces, flat.artifacts)
    yield from _calls(model, interfaces)


def _relationships(model: Model) -> Iterator[RelationshipTemplate]:
    yield from model.topology.relationship_templates.values()
    for template in model.nodes.values():
        for requirement in template.requirements:
            if isinstance(requirement.relationship, RelationshipTemplate):
                yield requirement.relationship


def _types(model: Model) -> Iterator[Finding]:
    for kind in (Kind.INTERFACE, Kind.NODE, Kind.RELATIONSHIP):
        for type_ in {id(type_): type_ for type_ in model.topology.types[kind].values()}.values():
            if kind is Kind.INTERFACE:
                yield from _interface_type(type_.behaviour)
                continue
            flat = model.types.find(kind, type_.name)
            if flat is not None:
                yield from _definitions(model, flat, type_.interfaces, flat.artifacts)
                if type_.origin.second:
                    yield from _outputs_of_type(model, type_, flat)
            for artifact in type_.artifacts.values():
                yield from _artifact(model, artifact)


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


def _template(model: Model, template: NodeTemplate, interfaces: Mapping[str, Interface]) -> Iterator[Finding]:
    flat = model.flat[template.name]
    if flat is None:
        return
    artifacts = {**flat.artifacts, **template.artifacts}
    yield from _definitions(model, flat, template.interfaces, artifacts)
    for artifact in template.artifacts.values():
        yield from _artifact(model, artifact)
    for interface in interfaces.values():
        for operation in interface.operations.values():
            outputs = operation.outputs.values()
            yield from _outputs(model, operation.name, outputs, flat, also=template.attributes)


def _outputs_of_type(model: Model, type_: TypeDefinition, flat: FlatType) -> Iterator[Finding]:
    """2.0: a type maps outputs to attributes that are its own, whether there is a template of it or not."""
    merged = interfaces_of(model.types, flat, {})
    for interface in type_.interfaces.values():
        for written in (*interface.operations.values(), *interface.notifications.values()):
            operation = merged[interface.name].operations[written.name]
            outputs = [operation.outputs[name] for name in written.outputs]
            yield from _outputs(model, operation.name, outputs, flat)


def _outputs(
    model: Model,
    operation: str,
    outputs: Iterable[OutputMapping],
    flat: FlatType,
    *,
    also: Collection[str] = (),
) -> Iterator[Finding]:
    for output in outputs:
        if len(output.target) != 2 or output.target[0] != "SELF" or output.target[1] in _STEPS:
            continue
        name = output.target[1]
        definition = flat.attributes.get(name) or flat.properties.get(name)
        subject = f"output {output.name!r} of {operation!r} goes to {name!r}"
        if definition is None and name not in also and flat.is_whole:
            hint = did_you_mean(name, [*flat.attributes, *flat.properties, *also])
            yield WRONG_MAPPING.at(output.place, f"{subject}, which {flat.name} does not have", hint=hint)
        elif definition is not None and not _fits(model, output, definition):
            schemas = output.definition and output.definition.schema, definition.schema
            types = [schema.name for schema in schemas if schema is not None]
            yield WRONG_MAPPING.at(output.place, f"{subject}: it is of type {types[0]}, not {types[1]}")


def _fits(model: Model, output: OutputMapping, attribute: PropertyDefinition) -> bool:
    """An output that says nothing of its type is of that of the attribute."""
    schema = None if output.definition is None else output.definition.schema
    if schema is None or attribute.schema is None:
        return True
    return model.types.may_be(schema.name, attribute.schema.name)


def _definitions(
    model: Model,
    flat: FlatType,
    definitions: Mapping[str, InterfaceDefinition],
    artifacts: Mapping[str, ArtifactDefinition],
) -> Iterator[Finding]:
    """The interfaces that a type or template itself writes."""
    merged = interfaces_of(model.types, flat, definitions)
    for name, interface in definitions.items():
        declared = merged[name].declared
        for operation in (*interface.operations.values(), *interface.notifications.values()):
            if declared and operation.name not in declared:
                hint = did_you_mean(operation.name, declared) or "it has " + ", ".join(sorted(declared))
                message = f"interface {name!r} has no operation {operation.name!r}"
                yield UNKNOWN_OPERATION.at(operation.place, message, hint=hint)
            if operation.implementation is not None:
                yield from _implementation(model, operation.implementation, artifacts)


def _implementation(
    model: Model, implementation: Implementation, artifacts: Mapping[str, ArtifactDefinition]
) -> Iterator[Finding]:
    if implementation.artifact is not None:
        yield from _artifact(model, implementation.artifact)
    near, origin = list(artifacts), implementation.origin
    if implementation.name and implementation.name not in artifacts:
        yield from _file(model, implementation.name, origin, implementation.span, near)
    for name, span in implementation.dependencies:
        if name not in artifacts:
            yield from _file(model, name, origin, span, near, is_needed=not origin.second)


def _artifact(model: Model, artifact: ArtifactDefinition) -> Iterator[Finding]:
    repositories = model.topology.repositories
    if artifact.origin.second and artifact.repository is not None and artifact.repository not in repositories:
        message = (
            f"artifact {artifact.name!r} lies in repository {artifact.repository!r}, which is not defined"
        )
        hint = did_you_mean(artifact.repository, repositories) or "define it under 'repositories:'"
        yield MISSING_FILE.at(artifact.place, message, hint=hint)
    is_image = artifact.type is not None and "Image" in artifact.type
    if artifact.file is not None and artifact.repository is None and not is_image:
        yield from _file(model, artifact.file, artifact.origin, artifact.span, [])


def _file(
    model: Model, name: str, origin: Origin, span: Span, near: list[str], *, is_needed: bool = True
) -> Iterator[Finding]:
    """A file is looked for beside the one that names it, then from the root of the package."""
    exists, candidates = model.topology.has_file, file_candidates(name, origin)
    if exists is None or not candidates:
        return
    path = candidates[0]
    if path.startswith("..") or any(map(exists, candidates)):
        return
    # A name without a dot is meant to be that of an artifact.
    is_file = "." in name or "/" in name
    stands_alone = origin.second and is_file and not model.topology.has_folder(posixpath.dirname(path))
    rule = MISSING_FILE if is_needed and not stands_alone else NO_FILES
    word = "there is no file" if is_file else "there is no artifact or file"
    hint = did_you_mean(name, near) or f"it would be {path!r}"
    yield rule.at(Place(origin.source, span), f"{word} {name!r}", hint=hint)


def _calls(model: Model, interfaces: Mapping[str, Mapping[str, Interface]]) -> Iterator[Finding]:
    topology = model.topology
    for workflow in topology.workflows.values():
        for step in workflow.steps.values():
            is_node = step.target_relationship is None and step.target in interfaces
            table = interfaces[step.target or ""] if is_node else None
            yield from _target_relationship(model, step)
            for activity in step.activities:
                yield from _activity(model, activity, table, step.target or "")
        if workflow.origin.second:
            yield from _workflow_outputs(model, workflow)
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


def _workflow_outputs(model: Model, workflow: Workflow) -> Iterator[Finding]:
    """2.0: outputs of a workflow go to attributes of nodes or relationships, which they name."""
    for output in workflow.outputs.values():
        if len(output.target) != 2 or output.target[1] in _STEPS:
            continue
        name, attribute = output.target
        flat = model.flat.get(name)
        subject = f"output {output.name!r} of workflow {workflow.name!r}"
        if flat is not None and attribute not in {*flat.attributes, *flat.properties}:
            message = f"{subject} goes to {attribute!r}, which {name!r} does not have"
            hint = did_you_mean(attribute, [*flat.attributes, *flat.properties])
            yield WRONG_MAPPING.at(output.place, message, hint=hint)
        elif name not in model.nodes and name not in model.topology.relationship_templates:
            message = f"{subject} goes to {name!r}, which is no node or relationship template"
            yield WRONG_MAPPING.at(output.place, message, hint=did_you_mean(name, model.nodes))


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
