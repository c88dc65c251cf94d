"""Assignments to properties that are inputs, and to ones that nobody declares or reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.languages.muranopl.check.facts import ClassFacts, MethodFacts, own_property
from sabir.languages.muranopl.examples.packages import package_rule
from sabir.text import Span

__all__ = ["check_lost", "check_writes"]

_READ_ONLY: Final = frozenset({"In", "Const"})

INPUT_ASSIGNED: Final = package_rule(
    "MPL:W209",
    "an assignment to an input",
    "Properties with Usage In or Const belong to whoever made the object; the engine refuses the write, except "
    "while .init makes the object.",
)


LOST_ASSIGNMENT: Final = package_rule(
    "MPL:W210",
    "an assignment to a property that nobody declares or reads",
    "Code may assign properties that are not declared; they are private to the class. One that nothing reads, with a name close "
    "to that of a declared property, is most often a slip of the pen, and the declared one keeps its old value.",
    fixable=True,
)


def check_lost(facts: ClassFacts, method: MethodFacts) -> Iterator[Finding]:
    """Assignments that look like ones to a declared property, misspelt."""
    lineage = facts.lineage
    if lineage is None:
        return
    for assignment in method.body.assignments:
        name = own_property(assignment.target.tree)
        if name is None or lineage.has_declared(name) or name in lineage.read:
            continue
        meant = facts.report.near(name, lineage.properties)
        if meant.hint is None:
            continue
        span = assignment.target.span()
        at = span.start + facts.report.source.text[span.start : span.end].rfind(name)
        fix = facts.report.renaming(Span(at, at + len(name)), name, meant.only)
        message = f"property {name!r} is assigned, but nothing declares or reads it"
        yield facts.report.at(span, LOST_ASSIGNMENT, message, hint=meant.hint, fix=fix)


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
