"""Requirements that a substitution maps: they are open, and no more of them must be met than there are (2.0)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.nodes import (
    MappedEntry,
    NodeTemplate,
    RequirementAssignment,
    SubstitutionMapping,
)
from sabir.languages.tosca.syntax.scopes import Kind
from sabir.text import Place

__all__ = ["problems_of_requirements"]

Problem = tuple[Place, str, str | None]


def problems_of_requirements(model: Model, mapping: SubstitutionMapping, flat: FlatType) -> Iterator[Problem]:
    """Where, what and a hint; `flat` is the type that the topology can stand for."""
    mandatory: Counter[str] = Counter()
    ended: set[str] = set()
    for entry in mapping.of("requirements"):
        if entry.name in ended:
            message = f"all that is left of {entry.name!r} is mapped before (UNBOUNDED): nothing comes here"
            yield entry.place, message, None
        if entry.count == "UNBOUNDED":
            ended.add(entry.name)
        needs = False
        yield from _selected(model, entry)
        for template, name in _inner_requirements(model, entry):
            assigned = [requirement for requirement in template.requirements if requirement.name == name]
            needs = needs or _is_mandatory(model, template, name, assigned)
            if assigned and all(each.node in model.nodes for each in assigned):
                message = (
                    f"requirement {name!r} of {template.name!r} leads to {assigned[0].node!r} already: "
                    "only one that is open can be mapped"
                )
                yield entry.place, message, None
            yield from _mismatched(model, entry, flat, template, name)
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
            yield mapping.place, message, hint


def _selected(model: Model, entry: MappedEntry) -> Iterator[Problem]:
    """A template by itself stands for a node that is selected."""
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


def _mismatched(
    model: Model, entry: MappedEntry, flat: FlatType, template: NodeTemplate, name: str
) -> Iterator[Problem]:
    """The node that the outer requirement leads to has what the inner one asks for."""
    outer, inner_type = flat.requirements.get(entry.name), model.flat[template.name]
    inner = None if inner_type is None else inner_type.requirements.get(name)
    if outer is None or inner is None or outer.capability is None or inner.capability is None:
        return
    types, names = model.types, (outer.capability, inner.capability)
    both_there = all(types.find(Kind.CAPABILITY, each) is not None for each in names)
    if both_there and not any(types.is_a(Kind.CAPABILITY, *pair) for pair in (names, names[::-1])):
        message = (
            f"requirement {name!r} of {template.name!r} is for {inner.capability}, "
            f"and {entry.name!r} of {flat.name} for {outer.capability}"
        )
        yield entry.place, message, None


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
