"""Substitution mappings: what they name is there, in the node type and in the topology that stands for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.diagnostics.rules import Rule
from sabir.languages.tosca.check.rules.type_names import UNKNOWN_TYPE
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.examples import ROOT, example
from sabir.languages.tosca.syntax.nodes import Kind, MappedEntry, SubstitutionMapping

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
        names = None if inner is None else _entries(inner, entry.section)
        if names is not None and name not in names and complete:
            hint = did_you_mean(name, names)
            message = f"substitution maps to the {word} {name!r} of {template!r}, which it does not have"
            yield WRONG_SUBSTITUTION.at(entry.place, message, hint=hint)


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
