"""Local variables of a method: assigned and never read, read and never assigned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.expressions.yaql.nodes import Binary, Call, Node, Rule, Variable, Word, children
from sabir.languages.muranopl.check.code import Assignment, Body
from sabir.languages.muranopl.check.repairs import call_alone
from sabir.languages.muranopl.examples.packages import package_rule
from sabir.languages.muranopl.syntax.expressions import ExpressionText
from sabir.languages.muranopl.syntax.report import Report

__all__ = ["binds_names", "check_locals"]

# Functions that bind names of their own (`let(x => 1) -> $x`, `… .as($ => x)`); where one stands, names are let be.
_BINDERS: Final = frozenset({"let", "as", "def", "with", "unpack", "lambda"})

NEVER_READ: Final = package_rule(
    "MPL:W207",
    "a variable that is never read",
    "Either the assignment is left over, or the place that should read it has another name.",
    fixable=True,
)
NEVER_ASSIGNED: Final = package_rule(
    "MPL:E208",
    "a variable that nothing assigns",
    "It is no argument, no loop variable, and no statement of the method assigns it, so it is always null.",
    fixable=True,
)


def check_locals(report: Report, body: Body, arguments: frozenset[str]) -> Iterator[Finding]:
    """Variables are seen without regard to the order of statements: loops may turn any order around."""
    if not body.is_sound:
        return
    reads: dict[str, tuple[ExpressionText, Variable]] = {}
    binds = False
    for expression in body.expressions:
        for variable in _variables(expression.tree):
            reads.setdefault(variable.name, (expression, variable))
        binds = binds or binds_names(expression.tree)
    written: dict[str, Assignment] = {}
    for assignment in body.assignments:
        tree = assignment.target.tree
        if isinstance(tree, Variable):
            written.setdefault(tree.name, assignment)
        else:
            # `$x.a: 1` reads $x and writes into what it holds.
            for variable in _variables(tree):
                reads.setdefault(variable.name, (assignment.target, variable))
    assigned = {*written, *body.bound, *arguments, "this"}
    missing = [name for name in reads if name and not name.isdigit() and name not in assigned]
    for name, assignment in written.items():
        if name and name not in reads and name not in ("this", "_"):
            hint = "remove the assignment, or keep only the call on its right side"
            target = assignment.target
            # A variable that is read under another name may be this one, misspelt.
            fix = None if missing else call_alone(report, target.scalar, assignment.value)
            message = f"${name} is assigned and never read"
            yield report.at(target.span(), NEVER_READ, message, hint=hint, fix=fix)
    if binds:
        return
    for name in missing:
        expression, variable = reads[name]
        message = f"${name} is read, but it is no argument and nothing assigns it"
        span, meant = expression.span(variable), report.near(name, assigned, sign="$")
        fix = report.renaming(span, f"${name}", meant.only)
        yield report.at(span, NEVER_ASSIGNED, message, hint=meant.hint, fix=fix)


def _variables(node: Node) -> Iterator[Variable]:
    if isinstance(node, Variable):
        yield node
    for child in children(node):
        yield from _variables(child)


def binds_names(node: Node) -> bool:
    """Whether an expression gives names to values of its own, so that any `$x` in it may be one of them."""
    match node:
        case Binary(operator="->"):
            return True
        case Call(name=name, arguments=arguments) if name in _BINDERS:
            return any(isinstance(argument, (Rule, Word)) for argument in arguments) or name in (
                "as",
                "unpack",
            )
        case _:
            return any(binds_names(child) for child in children(node))
