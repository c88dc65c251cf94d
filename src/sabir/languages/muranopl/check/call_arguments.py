"""Calls against the arguments that a method declares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.expressions.yaql.nodes import Call, Rule, Word
from sabir.languages.muranopl.check.facts import CONSTRUCTORS, Lineage, Signature
from sabir.languages.muranopl.examples.packages import package_rule
from sabir.languages.muranopl.syntax.expressions import ExpressionText
from sabir.languages.muranopl.syntax.report import Report

__all__ = ["check_call", "check_values"]

CALL_ARGUMENTS: Final = package_rule(
    "MPL:E114",
    "a call with the wrong arguments",
    "There are more values than the method has arguments, a required one is missing, or a name is not among them.",
    fixable=True,
)


def check_call(
    report: Report, expression: ExpressionText, call: Call, signature: Signature | None
) -> Iterator[Finding]:
    """Whether a call fits a signature; one that is not known fits anything."""
    if signature is None:
        return
    words = [
        argument.source
        for argument in call.arguments
        if isinstance(argument, Rule) and isinstance(argument.source, Word)
    ]
    named = [word.value for word in words]
    positional = sum(not isinstance(argument, Rule) for argument in call.arguments)
    span = expression.span(call)
    if positional > len(signature.standard) and not signature.variable:
        yield report.at(span, CALL_ARGUMENTS, _too_many(call.name, signature, positional))
        return
    unknown = [word for word in words if word.value not in signature.standard and not signature.keywords]
    for word in unknown:
        name = word.value
        hint = report.near(name, signature.standard).hint
        free = {*signature.standard[positional:]}.difference(named)
        fix = report.renaming(expression.span(word), name, report.near(name, free).only)
        message = f"{call.name} has no argument {name!r}"
        yield report.at(span, CALL_ARGUMENTS, message, hint=hint, fix=fix)
    passed = {*signature.standard[:positional], *named}
    missing = [name for name in signature.standard if name in signature.required and name not in passed]
    if missing and not unknown:
        yield report.at(span, CALL_ARGUMENTS, f"{call.name} needs its argument {', '.join(missing)}")


def check_values(
    report: Report, expression: ExpressionText, call: Call, cls: str, lineage: Lineage
) -> Iterator[Finding]:
    """The values that `new(X, name => value)` gives to properties: the engine ignores one of another name."""
    names = set(lineage.properties)
    for constructor in CONSTRUCTORS:
        signature = lineage.methods.get(constructor)
        if constructor in lineage.methods and (signature is None or signature.keywords):
            return
        names.update(signature.standard if signature is not None else ())
    for argument in call.arguments:
        if (
            isinstance(argument, Rule)
            and isinstance(argument.source, Word)
            and argument.source.value not in names
        ):
            name, span = argument.source.value, expression.span(argument.source)
            meant = report.near(name, names)
            fix = report.renaming(span, name, meant.only)
            message = f"{cls} declares no property {name!r}"
            yield report.at(span, CALL_ARGUMENTS, message, hint=meant.hint, fix=fix)


def _too_many(name: str, signature: Signature, positional: int) -> str:
    count = len(signature.standard)
    takes = "no argument" if count == 0 else f"{count} argument{'s' * (count != 1)}"
    here = "here is 1" if positional == 1 else f"here are {positional}"
    return f"{name} takes {takes} ({', '.join(signature.standard)}), {here}".replace(" ()", "")
