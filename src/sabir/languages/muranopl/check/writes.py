"""Assignments to properties that are inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.languages.muranopl.check.facts import ClassFacts, MethodFacts, own_property
from sabir.languages.muranopl.examples.packages import package_rule, with_body

__all__ = ["check_writes"]

_READ_ONLY: Final = frozenset({"In", "Const"})

INPUT_ASSIGNED: Final = package_rule(
    "MPL:W209",
    "an assignment to an input",
    "Properties with Usage In or Const belong to whoever made the object; the engine refuses the write, except "
    "while .init makes the object.",
    with_body("- $.start: $first", "- Return: $first"),
)


def check_writes(facts: ClassFacts, method: MethodFacts) -> Iterator[Finding]:
    """Assignments to properties that are inputs; while an object is made, the engine lets its code set them."""
    lineage = facts.lineage or facts.alone
    if method.name in lineage.constructing:
        return
    for assignment in method.body.assignments:
        name = own_property(assignment.target.tree)
        usage = lineage.properties.get(name) if name is not None else None
        if usage in _READ_ONLY:
            hint = "declare it as InOut or Runtime if the code has to change it"
            message = f"property {name!r} has Usage {usage}: code cannot assign to it"
            yield facts.report.at(assignment.target.span(), INPUT_ASSIGNED, message, hint=hint)
