"""Checks of get_attribute, get_artifact and get_operation_output: what they read must exist.

Evaluation reports such mistakes for get_property in templates. It cannot report them here: a missing
attribute is null, and an operation output exists only after the operation ran. Without these checks the
mistake would be noticed by the script that needs the value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.check.rules.values import find_path_problem
from sabir.languages.tosca.model.behaviour import interfaces_of
from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import (
    NodeTemplate,
    PropertyDefinition,
    SourceValue,
    TypeDefinition,
    list_defined_values,
)
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import Place

NOTHING_TO_READ: Final = tosca_rule(
    code="TOSCA:E050",
    title="a function reads what is not there",
    why="The type has no such attribute, capability, artifact or operation, so the value would be null when something needs it.",
)

_READERS: Final = frozenset({"get_property", "get_attribute", "get_artifact", "get_operation_output"})
_RESERVED: Final = frozenset({"SELF", "SOURCE", "TARGET", "HOST", "ROOT", "ORCHESTRATOR"})
_STEPS: Final = frozenset({"CAPABILITY", "RELATIONSHIP", "TARGET", "SOURCE", "ALL"})
_REFLECTED: Final = frozenset({"state", "tosca_id", "tosca_name"})
_LISTS: Final = frozenset({"list", "map", "any", "range"})


class _Owner(Struct, frozen=True, eq=False):
    """The entity that SELF refers to: a node template, or any node of a type."""

    flat: FlatType
    template: NodeTemplate | None = None


def check_reads(model: TopologyModel) -> Iterator[Finding]:
    """Check the read functions in all templates and types, as far as the types determine the result."""
    topology = model.topology
    if not topology.complete or "unfurl" in topology.profiles:
        return
    for name, template in model.nodes.items():
        flat = model.flat[name]
        if flat is not None:
            for written in _of_template(template):
                yield from _check_value_reads(model, written, _Owner(flat, template))
    for kind in (TypeKind.NODE, TypeKind.RELATIONSHIP):
        for type_ in {id(type_): type_ for type_ in topology.types[kind].values()}.values():
            flat = model.types.find(kind, type_.name)
            if flat is not None and (kind is TypeKind.NODE or type_.origin.second):
                for written in _of_type(type_):
                    yield from _check_value_reads(model, written, _Owner(flat))
    yield from _of_interface_types(model)
    for output in topology.outputs.values():
        if output.value is not None:
            yield from _check_value_reads(model, output.value, None)


def _of_type(type_: TypeDefinition) -> Iterator[SourceValue]:
    for interface in type_.interfaces.values():
        yield from list_defined_values(interface.inputs)
        for operation in interface.operations.values():
            yield from list_defined_values(operation.inputs)
    if type_.origin.second:
        yield from list_defined_values(type_.properties)
        yield from list_defined_values(type_.attributes)


def _of_interface_types(model: TopologyModel) -> Iterator[Finding]:
    """Check 2.0 interface types, where the owner of SELF is not known."""
    for type_ in {id(type_): type_ for type_ in model.topology.types[TypeKind.INTERFACE].values()}.values():
        behaviour = type_.behaviour
        if behaviour is None or not type_.origin.second:
            continue
        inputs = (behaviour.inputs, *(operation.inputs for operation in behaviour.operations.values()))
        for written in (written for table in inputs for written in list_defined_values(table)):
            for name, argument in _list_read_calls(written.node):
                place = Place(written.origin.source, argument.span)
                message = f"${name} in interface type {type_.name!r} has no node to read from"
                yield NOTHING_TO_READ.at(place, message, hint="give the value in a node type or template")


def _of_template(template: NodeTemplate) -> Iterator[SourceValue]:
    yield from template.properties.values()
    yield from template.attributes.values()
    for capability in template.capabilities.values():
        yield from capability.properties.values()
    for interface in template.interfaces.values():
        yield from list_defined_values(interface.inputs)
        for operation in interface.operations.values():
            yield from list_defined_values(operation.inputs)


def _check_value_reads(model: TopologyModel, written: SourceValue, owner: _Owner | None) -> Iterator[Finding]:
    for name, argument in _list_read_calls(written.node):
        words = [_literal_value(item) for item in argument.items]
        if len(words) < 2 or not isinstance(words[0], str):
            continue
        place = Place(written.origin.source, argument.span)
        of_type = owner is not None and owner.template is None and written.origin.second
        if name == "get_property" and not of_type:
            continue
        if of_type and words[0] not in _RESERVED:
            message = (
                f"a type cannot read from {words[0]!r}: it does not know the templates that it is used with"
            )
            yield NOTHING_TO_READ.at(place, message, hint="begin with SELF")
            continue
        for message, hint in _find_problems(model, name, words, owner):
            yield NOTHING_TO_READ.at(place, message, hint=hint)


def _list_read_calls(node: YamlNode) -> Iterator[tuple[str, YamlSequence]]:
    if isinstance(node, YamlSequence):
        for item in node.items:
            yield from _list_read_calls(item)
    elif isinstance(node, YamlMapping):
        for entry in node.entries:
            key = entry.key.value if isinstance(entry.key, YamlScalar) else None
            if (
                isinstance(key, str)
                and key in _READERS
                and len(node) == 1
                and isinstance(entry.value, YamlSequence)
            ):
                yield key, entry.value
            yield from _list_read_calls(entry.value)


def _literal_value(node: YamlNode) -> object:
    """Return a plain string or index; None for a computed value."""
    value = node.value if isinstance(node, YamlScalar) else None
    return None if isinstance(value, str) and "{{" in value else value


_Problem = tuple[str, str | None]


def _find_problems(
    model: TopologyModel, name: str, words: list[object], owner: _Owner | None
) -> Iterator[_Problem]:
    first, key = words[0], words[1]
    entity = _find_entity(model, str(first), owner)
    if first == "HOST" and owner is not None and owner.template is not None and entity is None:
        if owner.template.name not in model.hosts and not owner.template.directives:
            yield f"{owner.template.name!r} has no host to read {key!r} from", None
        return
    if entity is None or not isinstance(key, str) or key in _STEPS or first == "HOST":
        return
    if not entity.flat.is_whole:
        return
    if name == "get_artifact":
        if entity.template is None:
            return  # a template may define it
        yield from _one_of(key, _artifact_names(entity), f"{_display_name(entity)} has no artifact")
    elif name == "get_operation_output":
        yield from _check_operation(model, entity, words)
    else:
        yield from _check_attribute(model, entity, words, name.removeprefix("get_"))


def _find_entity(model: TopologyModel, name: str, owner: _Owner | None) -> _Owner | None:
    if name == "SELF":
        return owner
    if name == "HOST" and owner is not None and owner.template is not None:
        name = model.hosts.get(owner.template.name, "")
    flat = model.flat.get(name)
    return None if flat is None else _Owner(flat, model.nodes[name])


def _display_name(entity: _Owner) -> str:
    return entity.flat.name if entity.template is None else repr(entity.template.name)


def _artifact_names(entity: _Owner) -> set[str]:
    return {*entity.flat.artifacts, *(entity.template.artifacts if entity.template else ())}


def _one_of(key: str, names: set[str], words: str) -> Iterator[_Problem]:
    if key not in names:
        yield f"{words} {key!r}", did_you_mean(key, names)


def _check_operation(model: TopologyModel, entity: _Owner, words: list[object]) -> Iterator[_Problem]:
    own = entity.template.interfaces if entity.template else {}
    interfaces = interfaces_of(model.types, entity.flat, own)
    interface = interfaces.get(str(words[1]))
    if interface is None:
        yield from _one_of(str(words[1]), {*interfaces}, f"{_display_name(entity)} has no interface")
    elif len(words) > 2 and isinstance(words[2], str):
        yield from _one_of(words[2], {*interface.operations}, f"interface {words[1]!r} has no operation")


def _check_attribute(
    model: TopologyModel, entity: _Owner, words: list[object], word: str
) -> Iterator[_Problem]:
    flat, key = entity.flat, str(words[1])
    own = {*entity.template.properties, *entity.template.attributes} if entity.template else set[str]()
    definition = flat.attributes.get(key) or flat.properties.get(key)
    if definition is not None:
        problem = (
            find_path_problem(model.types, definition.schema, words[2:]) if definition.origin.second else None
        )
        if problem is not None:
            yield f"{key!r} of {_display_name(entity)}: {problem[0]}", problem[1]
        elif len(words) > 2 and _is_index(words[2]) and not _may_be_list(model, definition):
            yield f"{key!r} of {_display_name(entity)} is no list, so it has no entry {words[2]}", None
        return
    if key in own or key in _REFLECTED or key in flat.requirements:
        return
    if key not in flat.capabilities:
        names = {*flat.attributes, *flat.properties, *flat.capabilities, *flat.requirements, *own}
        yield from _one_of(key, names, f"{_display_name(entity)} has no {word}")
    elif len(words) > 2 and isinstance(words[2], str):
        declared = flat.capabilities[key]
        type_ = model.types.find(TypeKind.CAPABILITY, declared.type)
        if type_ is not None:
            names = {*type_.attributes, *type_.properties, *declared.attributes, *declared.properties}
            yield from _one_of(
                words[2], names | _REFLECTED, f"capability {key!r} of {_display_name(entity)} has no {word}"
            )


def _is_index(word: object) -> bool:
    return isinstance(word, int) and not isinstance(word, bool)


def _may_be_list(model: TopologyModel, definition: PropertyDefinition) -> bool:
    if definition.schema is None:
        return True
    flat = model.types.find(TypeKind.DATA, definition.schema.name)
    base = definition.schema.name if flat is None else flat.primitive or "map"
    return base in _LISTS
