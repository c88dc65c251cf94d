"""Operations and what carries them out: all of it is there."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.check.rules.activities import check_activities
from sabir.languages.tosca.check.rules.assigned_behaviour import UNKNOWN_INTERFACE
from sabir.languages.tosca.check.rules.outputs import check_outputs, check_outputs_of_type
from sabir.languages.tosca.model.behaviour import USUAL_INTERFACES, Interface, interfaces_of
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import (
    ArtifactDefinition,
    Implementation,
    InterfaceDefinition,
    NodeTemplate,
    Origin,
    RelationshipTemplate,
)
from sabir.languages.tosca.syntax.references import file_candidates
from sabir.languages.tosca.syntax.scopes import Kind
from sabir.text import Place, Span

__all__ = ["check_behaviour"]

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
    yield from check_activities(model, interfaces)


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
                    yield from check_outputs_of_type(model, type_, flat)
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
            yield from check_outputs(model, operation.name, outputs, flat, also=template.attributes)


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
        if declared is None and interface.type is None and not interface.origin.second:
            layers = (type_.interfaces for type_ in flat.chain if type_.interfaces is not definitions)
            yield from _misspelt_interface(interface, flat.name, {key for layer in layers for key in layer})
        for operation in (*interface.operations.values(), *interface.notifications.values()):
            if declared and operation.name not in declared:
                hint = did_you_mean(operation.name, declared) or "it has " + ", ".join(sorted(declared))
                message = f"interface {name!r} has no operation {operation.name!r}"
                yield UNKNOWN_OPERATION.at(operation.place, message, hint=hint)
            if operation.implementation is not None:
                yield from _implementation(model, operation.implementation, artifacts)


def _misspelt_interface(interface: InterfaceDefinition, owner: str, inherited: set[str]) -> Iterator[Finding]:
    """Before 2.0 a type or template may have interfaces of its own; one that is nearly a known one is meant to be that."""
    hint = did_you_mean(interface.name, USUAL_INTERFACES, inherited)
    if interface.name not in inherited and hint is not None:
        message = f"{owner} has no interface {interface.name!r}, and it has no type"
        yield UNKNOWN_INTERFACE.at(interface.place, message, hint=hint)


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
