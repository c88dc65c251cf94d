"""How often requirements are met: within the bounds that the node type gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.model.scalars import is_integer
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import (
    UNBOUNDED,
    NodeTemplate,
    RequirementAssignment,
    RequirementDefinition,
)

__all__ = ["check_counts"]

OCCURRENCES: Final = tosca_rule(
    code="TOSCA:W019",
    title="a requirement is met too seldom or too often",
    why="The type says how many times it must be met. Nothing in the template suits a requirement that is left out.",
)

WRONG_NUMBER: Final = tosca_rule(
    code="TOSCA:E055",
    title="a requirement is assigned too seldom or too often",
    why="TOSCA 2.0: the numbers of all assignments of a requirement together, and of those that are not optional, lie within its "
    "count_range.",
)


def check_counts(model: Model) -> Iterator[Finding]:
    if not model.topology.complete:
        return
    for name, template in model.nodes.items():
        flat = model.flat[name]
        if flat is None:
            continue
        assigned: dict[str, list[RequirementAssignment]] = {}
        for requirement in template.requirements:
            assigned.setdefault(requirement.name, []).append(requirement)
        met = Counter(link.name for link in model.links.get(name, ()))
        for requirement_name, definition in flat.requirements.items():
            if template.origin.second and requirement_name in assigned:
                yield from _assigned(template, definition, assigned[requirement_name])
            else:
                yield from _met(model, template, definition, met[requirement_name])


def _assigned(
    template: NodeTemplate, definition: RequirementDefinition, assignments: list[RequirementAssignment]
) -> Iterator[Finding]:
    """2.0: numbers that are computed are known when it is deployed."""
    low, high = definition.occurrences
    if not definition.says_occurrences or any(_count(each) is None for each in assignments):
        return
    total = sum(_count(each) or 0 for each in assignments)
    needed = sum(_count(each) or 0 for each in assignments if not each.optional)
    subject = f"requirement {definition.name!r} of {template.name!r} is assigned"
    if high != UNBOUNDED and total > high:
        yield WRONG_NUMBER.at(assignments[-1].place, f"{subject} {total} times, at most {high} are allowed")
    elif needed < low and not template.directives:
        message = f"{subject} {needed} times, at least {low} are needed"
        yield WRONG_NUMBER.at(assignments[0].place, message)


def _count(assignment: RequirementAssignment) -> int | None:
    if assignment.count is None:
        return 1
    data = assignment.count.data
    return data if is_integer(data) else None


def _met(
    model: Model, template: NodeTemplate, definition: RequirementDefinition, count: int
) -> Iterator[Finding]:
    name = definition.name
    low, high = definition.occurrences
    if count < low and not template.directives and not model.is_substituted(template.name, name):
        message = f"requirement {name!r} of {template.name!r} is not met: {low} needed, {count} given"
        wanted = definition.node or definition.capability
        yield OCCURRENCES.at(template.place, message, hint=f"it needs {wanted}" if wanted else None)
    elif 0 <= high < count:
        message = (
            f"requirement {name!r} of {template.name!r} is given {count} times, at most {high} are allowed"
        )
        yield OCCURRENCES.at(template.place, message)
