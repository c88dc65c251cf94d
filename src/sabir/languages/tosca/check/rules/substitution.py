"""Substitution mappings: what they name is there, in the node type and in the topology that stands for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.diagnostics.rules import Rule
from sabir.languages.tosca.check.rules.type_names import UNKNOWN_TYPE
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.examples import ROOT, example
from sabir.languages.tosca.syntax.nodes import (
    InputDefinition,
    Kind,
    MappedEntry,
    NodeTemplate,
    OutputDefinition,
    RequirementAssignment,
    SubstitutionMapping,
)

__all__ = ["check_substitution"]

WRONG_SUBSTITUTION: Final = Rule(
    code="TOSCA:E024",
    title="a substitution mapping that does not fit",
    why="It maps a capability, requirement or property that the substituted type does not have, or maps it to something that the "
    "topology does not have.",
    bad=example(
        f"topology_template:\n  substitution_mappings:\n    node_type: tosca.nodes.Root\n    capabilities: {{feature: [won, feature]}}\n  node_templates:\n{ROOT}"
    ),
    good=example(
        f"topology_template:\n  substitution_mappings:\n    node_type: tosca.nodes.Root\n    capabilities: {{feature: [one, feature]}}\n  node_templates:\n{ROOT}"
    ),
    language="tosca",
)

_WORDS: Final = {
    "attributes": "attribute",
    "capabilities": "capability",
    "interfaces": "interface",
    "properties": "property",
    "requirements": "requirement",
}


def check_substitution(model: Model) -> Iterator[Finding]:
    mapping = model.topology.substitution
    if mapping is None:
        return
    flat = model.types.find(Kind.NODE, mapping.name)
    if flat is None:
        if model.topology.complete:
            hint = did_you_mean(mapping.name, model.types.names(Kind.NODE))
            message = f"there is no node type {mapping.name!r}"
            yield UNKNOWN_TYPE.at(mapping.place, message, hint=hint)
        return
    for entry in mapping.entries:
        yield from _mapped_entry(model, mapping, flat, entry)
    if mapping.origin.second:
        yield from _mapped_requirements(model, mapping, flat)


def _mapped_requirements(model: Model, mapping: SubstitutionMapping, flat: FlatType) -> Iterator[Finding]:
    """2.0: what a node of the type is sure to have is enough for what the topology cannot do without."""
    mandatory: Counter[str] = Counter()
    for entry in mapping.of("requirements"):
        needs = False
        for template, name in _inner_requirements(model, entry):
            assigned = [requirement for requirement in template.requirements if requirement.name == name]
            needs = needs or _is_mandatory(model, template, name, assigned)
            if assigned and all(each.node in model.nodes for each in assigned):
                message = (
                    f"requirement {name!r} of {template.name!r} leads to {assigned[0].node!r} already: "
                    "only one that is open can be mapped"
                )
                yield WRONG_SUBSTITUTION.at(entry.place, message)
        # A requirement that is mapped to several is one, led to each of them.
        mandatory[entry.name] += needs and entry.count is None
    for name, count in mandatory.items():
        definition = flat.requirements.get(name)
        if definition is not None and definition.says_occurrences and count > definition.occurrences[0]:
            message = (
                f"{count} requirements that must be met are mapped from {name!r}, "
                f"of which a {mapping.name} is sure to have {definition.occurrences[0]}"
            )
            hint = "make the others optional in the templates, or raise the lower bound of its count_range"
            yield WRONG_SUBSTITUTION.at(mapping.place, message, hint=hint)


def _inner_requirements(model: Model, entry: MappedEntry) -> Iterator[tuple[NodeTemplate, str]]:
    for target in entry.targets:
        # Two names of templates are two targets.
        if len(target) == 2 and target[0] in model.nodes and target[1] not in model.nodes:
            yield model.nodes[target[0]], target[1]


def _is_mandatory(
    model: Model, template: NodeTemplate, name: str, assigned: list[RequirementAssignment]
) -> bool:
    if assigned:
        return not assigned[0].optional
    inner = model.flat[template.name]
    definition = None if inner is None else inner.requirements.get(name)
    return definition is not None and definition.says_occurrences and definition.occurrences[0] > 0


def _mapped_entry(
    model: Model, mapping: SubstitutionMapping, flat: FlatType, entry: MappedEntry
) -> Iterator[Finding]:
    """What a mapping names is there: in the node type, and in the topology that stands for it."""
    word = _WORDS[entry.section]
    declared = _entries(flat, entry.section)
    complete = model.topology.complete
    if entry.name not in declared and complete and not entry.part:
        hint = did_you_mean(entry.name, declared)
        yield WRONG_SUBSTITUTION.at(entry.place, f"{mapping.name} has no {word} {entry.name!r}", hint=hint)
    yield from _single_target(model, flat, entry)
    for target in entry.targets:
        # A pair may be a list of two names that each stand for themselves, where a requirement is mapped twice.
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
            yield from _capability(model, flat, inner, entry, name)
        names = None if inner is None else _entries(inner, entry.section)
        if names is not None and name not in names and complete:
            hint = did_you_mean(name, names)
            message = f"substitution maps to the {word} {name!r} of {template!r}, which it does not have"
            yield WRONG_SUBSTITUTION.at(entry.place, message, hint=hint)


def _single_target(model: Model, flat: FlatType, entry: MappedEntry) -> Iterator[Finding]:
    """2.0: a property is an input, an attribute an output, an operation a workflow of the topology."""
    if not entry.origin.second or entry.part or not model.topology.complete:
        return
    topology = model.topology
    if entry.section == "interfaces":
        workflows = entry.value.data if entry.value is not None else None
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
    if outer is not None and inner is not None and not model.types.may_be(outer.name, inner.name):
        message = (
            f"{word} {name!r} is of type {inner.name!r}, and {entry.name!r} of {flat.name} of {outer.name!r}"
        )
        yield WRONG_SUBSTITUTION.at(entry.place, message)


def _capability(
    model: Model, flat: FlatType, inner: FlatType, entry: MappedEntry, name: str
) -> Iterator[Finding]:
    outer_type, inner_type = flat.capabilities.get(entry.name), inner.capabilities.get(name)
    if outer_type is None or inner_type is None:
        return
    types = model.types
    known = all(types.find(Kind.CAPABILITY, each.type) for each in (outer_type, inner_type))
    if known and not types.is_a(Kind.CAPABILITY, inner_type.type, outer_type.type):
        message = f"capability {name!r} is of type {inner_type.type!r}, which does not derive from {outer_type.type!r}"
        yield WRONG_SUBSTITUTION.at(entry.place, message)


def _entries(flat: FlatType, section: str) -> Collection[str]:
    match section:
        case "capabilities":
            return flat.capabilities
        case "requirements":
            return flat.requirements
        case "interfaces":
            return flat.interfaces
        case _:
            return {**flat.properties, **flat.attributes}
