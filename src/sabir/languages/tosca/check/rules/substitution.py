"""Checks of substitution mappings.

A mapping must name existing members of the node type and of the topology that substitutes the node. Mapped
requirements must be open inside, and no more of them may be mandatory than the node type has (2.0).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.check.rules.function_results import check_result
from sabir.languages.tosca.check.rules.type_names import UNKNOWN_TYPE
from sabir.languages.tosca.model.behaviour import interfaces_of
from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import (
    InputDefinition,
    MappedEntry,
    NodeTemplate,
    OutputDefinition,
    RequirementAssignment,
    SubstitutionMapping,
)
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.text import Place

Problem = tuple[Place, str, str | None]


def problems_of_requirements(
    model: TopologyModel, mapping: SubstitutionMapping, flat: FlatType
) -> Iterator[Problem]:
    """Return the location, message and hint of each problem of mapped requirements.

    `flat` is the node type that the topology can substitute.
    """
    mandatory: Counter[str] = Counter()
    ended: set[str] = set()
    for entry in mapping.of("requirements"):
        if entry.name in ended:
            message = f"all that is left of {entry.name!r} is mapped before (UNBOUNDED): nothing comes here"
            yield entry.place, message, None
        if entry.count == "UNBOUNDED":
            ended.add(entry.name)
        needs = False
        yield from _check_selected_nodes(model, entry)
        for template, name in _inner_requirements(model, entry):
            assigned = [requirement for requirement in template.requirements if requirement.name == name]
            needs = needs or _is_mandatory(model, template, name, assigned)
            if assigned and all(each.node in model.nodes for each in assigned):
                message = (
                    f"requirement {name!r} of {template.name!r} leads to {assigned[0].node!r} already: "
                    "only one that is open can be mapped"
                )
                yield entry.place, message, None
            yield from _check_capability_match(model, entry, flat, template, name)
        # A requirement that is mapped to several targets counts once.
        mandatory[entry.name] += needs and entry.count is None
    for name, count in mandatory.items():
        definition = flat.requirements.get(name)
        if definition is not None and definition.says_occurrences and count > definition.occurrences[0]:
            message = (
                f"{count} requirements that must be met are mapped from {name!r}, "
                f"of which a {mapping.name} is sure to have {definition.occurrences[0]}"
            )
            hint = "make the others optional in the templates, or raise the lower bound of its count_range"
            yield mapping.place, message, hint


def _check_selected_nodes(model: TopologyModel, entry: MappedEntry) -> Iterator[Problem]:
    """Check a mapping to a template alone, which must be a node to be selected."""
    names = [target[0] for target in entry.targets if len(target) == 1]
    names += [
        name for target in entry.targets if len(target) == 2 and target[1] in model.nodes for name in target
    ]
    for name in names:
        template = model.nodes.get(name)
        if template is None:
            yield entry.place, f"substitution maps to {name!r}, which is no node template", None
        elif not any(word.startswith("select") for word in template.directives):
            message = f"{entry.name!r} is mapped to {name!r}, which is not selected"
            yield (
                entry.place,
                message,
                "add 'directives: [select]', or name a requirement: [template, requirement]",
            )


def _check_capability_match(
    model: TopologyModel, entry: MappedEntry, flat: FlatType, template: NodeTemplate, name: str
) -> Iterator[Problem]:
    """Check that the target of the outer requirement has what the inner requirement needs."""
    outer, inner_type = flat.requirements.get(entry.name), model.flat[template.name]
    inner = None if inner_type is None else inner_type.requirements.get(name)
    if outer is None or inner is None or outer.capability is None or inner.capability is None:
        return
    types, names = model.types, (outer.capability, inner.capability)
    both_there = all(types.find(TypeKind.CAPABILITY, each) is not None for each in names)
    if both_there and not any(types.is_a(TypeKind.CAPABILITY, *pair) for pair in (names, names[::-1])):
        message = (
            f"requirement {name!r} of {template.name!r} is for {inner.capability}, "
            f"and {entry.name!r} of {flat.name} for {outer.capability}"
        )
        yield entry.place, message, None


def _inner_requirements(model: TopologyModel, entry: MappedEntry) -> Iterator[tuple[NodeTemplate, str]]:
    for target in entry.targets:
        # Two template names are two targets.
        if len(target) == 2 and target[0] in model.nodes and target[1] not in model.nodes:
            yield model.nodes[target[0]], target[1]


def _is_mandatory(
    model: TopologyModel, template: NodeTemplate, name: str, assigned: list[RequirementAssignment]
) -> bool:
    if assigned:
        return not assigned[0].optional
    inner = model.flat[template.name]
    definition = None if inner is None else inner.requirements.get(name)
    return definition is not None and definition.says_occurrences and definition.occurrences[0] > 0


WRONG_SUBSTITUTION: Final = tosca_rule(
    code="TOSCA:E024",
    title="a substitution mapping that does not fit",
    why="It maps a capability, requirement or property that the substituted type does not have, or maps it to something that the "
    "topology does not have.",
)

_WORDS: Final = {
    "attributes": "attribute",
    "capabilities": "capability",
    "interfaces": "interface",
    "properties": "property",
    "requirements": "requirement",
}


def check_substitution(model: TopologyModel) -> Iterator[Finding]:
    """Check the substitution mapping of a topology, if it has one."""
    mapping = model.topology.substitution
    if mapping is None:
        return
    flat = model.types.find(TypeKind.NODE, mapping.name)
    if flat is None:
        if model.topology.complete:
            hint = did_you_mean(mapping.name, model.types.names(TypeKind.NODE))
            message = f"there is no node type {mapping.name!r}"
            yield UNKNOWN_TYPE.at(mapping.place, message, hint=hint)
        return
    for entry in mapping.entries:
        yield from _check_entry(model, mapping, flat, entry)
    if mapping.origin.second:
        yield from _check_requirements(model, mapping, flat)
        yield from _check_inputs(model, mapping)


def _check_requirements(
    model: TopologyModel, mapping: SubstitutionMapping, flat: FlatType
) -> Iterator[Finding]:
    for place, message, hint in problems_of_requirements(model, mapping, flat):
        yield WRONG_SUBSTITUTION.at(place, message, hint=hint)


def _check_inputs(model: TopologyModel, mapping: SubstitutionMapping) -> Iterator[Finding]:
    """Check that mapped properties provide each required input of a 2.0 topology."""
    mapped = {name for entry in mapping.of("properties") for target in entry.targets for name in target}
    for name, definition in model.topology.inputs.items():
        has_value = definition.default is not None or definition.value is not None
        if definition.required and not has_value and name not in mapped:
            message = f"no property of {mapping.name} is mapped to input {name!r}, which must have a value"
            hint = "map a property to it, or give it a default"
            yield WRONG_SUBSTITUTION.at(definition.place, message, hint=hint)


def _check_entry(
    model: TopologyModel, mapping: SubstitutionMapping, flat: FlatType, entry: MappedEntry
) -> Iterator[Finding]:
    """Check that a mapping names existing members of the node type and of the topology."""
    word = _WORDS[entry.section]
    declared = _section_names(flat, entry.section)
    complete = model.topology.complete
    if entry.part and entry.origin.second and complete:
        yield from _check_entry_part(model, flat, entry, word)
    if entry.name not in declared and complete and not entry.part:
        hint = did_you_mean(entry.name, declared)
        yield WRONG_SUBSTITUTION.at(entry.place, f"{mapping.name} has no {word} {entry.name!r}", hint=hint)
    yield from _single_target(model, flat, entry)
    for target in entry.targets:
        # Two names may be two targets instead of a pair if a requirement is mapped twice.
        if len(target) != 2 or (entry.section == "requirements" and target[1] in model.nodes):
            continue
        template, name = target
        if template not in model.nodes:
            hint = did_you_mean(template, model.nodes)
            message = f"substitution maps to {template!r}, which is no node template"
            yield WRONG_SUBSTITUTION.at(entry.place, message, hint=hint)
            continue
        inner = model.flat[template]
        if entry.section == "capabilities" and inner is not None and entry.origin.second:
            yield from _check_capability(model, flat, inner, entry, name)
        names = None if inner is None else _section_names(inner, entry.section)
        if names is not None and name not in names and complete:
            hint = did_you_mean(name, names)
            message = f"substitution maps to the {word} {name!r} of {template!r}, which it does not have"
            yield WRONG_SUBSTITUTION.at(entry.place, message, hint=hint)


def _check_entry_part(
    model: TopologyModel, flat: FlatType, entry: MappedEntry, word: str
) -> Iterator[Finding]:
    """Check `[CAPABILITY, host, size]: input` and `[RELATIONSHIP, host, 0, size]: input` (2.0)."""
    if len(entry.part) < 2 or entry.part[0] not in ("CAPABILITY", "RELATIONSHIP"):
        return
    name = entry.part[1]
    if entry.part[0] == "CAPABILITY":
        declared = flat.capabilities.get(name)
        names: Collection[str] = flat.capabilities
        type_ = None if declared is None else model.types.find(TypeKind.CAPABILITY, declared.type)
    else:
        requirement = flat.requirements.get(name)
        names = flat.requirements
        relationship = None if requirement is None else requirement.relationship
        type_ = None if relationship is None else model.types.find(TypeKind.RELATIONSHIP, relationship)
    kind = "capability" if entry.part[0] == "CAPABILITY" else "requirement"
    if name not in names:
        message = f"{flat.name} has no {kind} {name!r}"
        yield WRONG_SUBSTITUTION.at(entry.place, message, hint=did_you_mean(name, names))
    elif type_ is not None and entry.name not in {**type_.properties, **type_.attributes}:
        message = f"{kind} {name!r} of {flat.name} has no {word} {entry.name!r}"
        hint = did_you_mean(entry.name, {**type_.properties, **type_.attributes})
        yield WRONG_SUBSTITUTION.at(entry.place, message, hint=hint)


def _single_target(model: TopologyModel, flat: FlatType, entry: MappedEntry) -> Iterator[Finding]:
    """Check that properties map to inputs, attributes to outputs, operations to workflows (2.0)."""
    if not entry.origin.second or entry.part or not model.topology.complete:
        return
    topology = model.topology
    if entry.section == "interfaces":
        workflows = entry.value.data if entry.value is not None else None
        interface = interfaces_of(model.types, flat, {}).get(entry.name)
        declared_operations = None if interface is None else interface.declared
        for operation in workflows if isinstance(workflows, dict) else ():
            if declared_operations is not None and operation not in declared_operations:
                hint = did_you_mean(str(operation), declared_operations)
                message = f"interface {entry.name!r} of {flat.name} has no operation {operation!r}"
                yield WRONG_SUBSTITUTION.at(entry.place, message, hint=hint)
        for name in workflows.values() if isinstance(workflows, dict) else ():
            if isinstance(name, str) and name not in topology.workflows:
                hint = did_you_mean(name, topology.workflows)
                yield WRONG_SUBSTITUTION.at(entry.place, f"there is no workflow {name!r}", hint=hint)
        return
    if (
        entry.section not in ("properties", "attributes")
        or len(entry.targets) != 1
        or len(entry.targets[0]) != 1
    ):
        return
    is_input = entry.section == "properties"
    word = "input" if is_input else "output"
    table: Mapping[str, InputDefinition | OutputDefinition] = (
        topology.inputs if is_input else topology.outputs
    )
    (name,) = entry.targets[0]
    if name not in table:
        hint = did_you_mean(name, table)
        yield WRONG_SUBSTITUTION.at(entry.place, f"there is no {word} {name!r}", hint=hint)
        return
    declared = (flat.properties if word == "input" else flat.attributes).get(entry.name)
    outer, inner = None if declared is None else declared.schema, table[name].schema
    value = table[name].value
    if inner is None and value is not None and not is_input:
        yield from check_result(model, outer, value, f"output {name!r}")
    if outer is not None and inner is not None and not model.types.may_be(outer.name, inner.name):
        message = (
            f"{word} {name!r} is of type {inner.name!r}, and {entry.name!r} of {flat.name} of {outer.name!r}"
        )
        yield WRONG_SUBSTITUTION.at(entry.place, message)


def _check_capability(
    model: TopologyModel, flat: FlatType, inner: FlatType, entry: MappedEntry, name: str
) -> Iterator[Finding]:
    outer_type, inner_type = flat.capabilities.get(entry.name), inner.capabilities.get(name)
    if outer_type is None or inner_type is None:
        return
    types = model.types
    both_there = all(types.find(TypeKind.CAPABILITY, each.type) for each in (outer_type, inner_type))
    if both_there and not types.is_a(TypeKind.CAPABILITY, inner_type.type, outer_type.type):
        message = f"capability {name!r} is of type {inner_type.type!r}, which does not derive from {outer_type.type!r}"
        yield WRONG_SUBSTITUTION.at(entry.place, message)


def _section_names(flat: FlatType, section: str) -> Collection[str]:
    match section:
        case "capabilities":
            return flat.capabilities
        case "requirements":
            return flat.requirements
        case "interfaces":
            return flat.interfaces
        case _:
            return {**flat.properties, **flat.attributes}
