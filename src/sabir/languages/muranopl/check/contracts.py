"""Contracts as code: their form (spec 000, "Contract")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.expressions.yaql.nodes import Binary, Call, Node, Variable, children
from sabir.languages.muranopl.examples.packages import package_rule
from sabir.languages.muranopl.syntax.expressions import (
    ExpressionText,
    is_expression_scalar,
    parse_scalar,
    unparsable,
)
from sabir.languages.muranopl.syntax.report import Report, kind_of, shown
from sabir.languages.muranopl.syntax.shapes import is_null
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence

__all__ = ["CONTRACT_FUNCTIONS", "accepts_null", "check_contract", "contract_chain", "contract_expressions"]

CONTRACT_FUNCTIONS: Final = frozenset(
    ["string", "int", "bool", "class", "template", "owned", "notOwned", "notNull", "check"]
)
_WITH_CLASS: Final = frozenset({"class", "template"})
_TYPES: Final = frozenset({"string", "int", "bool"})

NO_CONTRACT: Final = package_rule(
    "MPL:W048",
    "no valid contract",
    "A contract is an expression about the value, which it calls $: $.string().notNull(). Lists and mappings of "
    "contracts describe lists and mappings.",
    fixable=True,
)


def contract_expressions(report: Report, contract: YamlNode) -> Iterator[ExpressionText]:
    """All expressions of a contract that parse, keys of mappings included."""
    if isinstance(contract, YamlScalar):
        if isinstance(contract.value, str):
            parsed = parse_scalar(report, contract)
            if isinstance(parsed, ExpressionText):
                yield parsed
    elif isinstance(contract, YamlSequence):
        for item in contract.items:
            yield from contract_expressions(report, item)
    else:
        for key, value in contract.items():
            if is_expression_scalar(key):
                yield from contract_expressions(report, key)
            yield from contract_expressions(report, value)


def check_contract(
    report: Report, contract: YamlNode | None, *, literal_allowed: bool = False
) -> Iterator[Finding]:
    """A contract is an expression on `$`, or a list or mapping of contracts; under a key a literal is legal."""
    if isinstance(contract, YamlSequence):
        for position, item in enumerate(contract.items):
            # Behind the first item come the bounds of the list: numbers.
            bound = position > 0 and isinstance(item, YamlScalar) and isinstance(item.value, int)
            if not bound:
                yield from check_contract(report, item)
    elif isinstance(contract, YamlMapping):
        for key, value in contract.items():
            if isinstance(key, YamlScalar) and "$" in key.text:
                yield from check_contract(report, key)
            yield from check_contract(report, value, literal_allowed=True)
    elif contract is not None and not is_null(contract):
        yield from _check_scalar(report, contract, literal_allowed=literal_allowed)


def _check_scalar(report: Report, contract: YamlScalar, *, literal_allowed: bool) -> Iterator[Finding]:
    if literal_allowed and not (isinstance(contract.value, str) and "$" in contract.text):
        return
    hint = "a contract speaks of the value as $, as in $.string().notNull()"
    if not isinstance(contract.value, str):
        yield report.at(contract, NO_CONTRACT, f"{kind_of(contract)} is no contract", hint=hint)
        return
    parsed = parse_scalar(report, contract)
    if not isinstance(parsed, ExpressionText):
        yield unparsable(report, contract, parsed, NO_CONTRACT)
    elif not _mentions_value(parsed.tree):
        fix = None
        if contract.text.removesuffix("()") in _TYPES:
            # `string` and `string()` for `$.string()`
            fix = report.replacing(contract, f"$.{contract.text.removesuffix('()')}()")
        yield report.at(contract, NO_CONTRACT, f"{shown(contract)} is no contract", hint=hint, fix=fix)
    else:
        yield from _check_functions(report, parsed)


def _check_functions(report: Report, contract: ExpressionText) -> Iterator[Finding]:
    """A misspelt function of the chain; only one that is nearly a known one, since contracts may call other code. And
    values where the engine takes none, or none where it needs some."""
    for call in contract_chain(contract.tree) or ():
        if call.name in _TYPES and call.arguments:
            message = f"the contract function {call.name!r} takes no arguments"
            yield report.at(contract.span(call), NO_CONTRACT, message)
        elif call.name in _WITH_CLASS and not call.arguments:
            message = f"the contract function {call.name!r} needs the name of a class"
            yield report.at(contract.span(call), NO_CONTRACT, message)
        meant = report.near(call.name, CONTRACT_FUNCTIONS) if call.name not in CONTRACT_FUNCTIONS else None
        if meant is not None and meant.hint is not None:
            message = f"contracts have no function {call.name!r}"
            span = contract.span(call)
            fix = report.renaming(span, call.name, meant.only)
            yield report.at(span, NO_CONTRACT, message, hint=meant.hint, fix=fix)


def _mentions_value(node: Node) -> bool:
    return isinstance(node, Variable) or any(_mentions_value(child) for child in children(node))


def contract_chain(node: Node) -> tuple[Call, ...] | None:
    """The calls of `$.a().b()`, first one first; None for anything else."""
    calls: list[Call] = []
    while isinstance(node, Binary) and node.operator == "." and isinstance(node.right, Call):
        calls.append(node.right)
        node = node.left
    return tuple(reversed(calls)) if isinstance(node, Variable) and node.name == "" else None


def accepts_null(report: Report, contract: YamlNode | None) -> bool:
    """Whether a missing value passes; only `.notNull()` refuses it for sure."""
    if not isinstance(contract, YamlScalar) or not isinstance(contract.value, str):
        return True
    parsed = parse_scalar(report, contract)
    if not isinstance(parsed, ExpressionText):
        return True
    return all(call.name != "notNull" for call in contract_chain(parsed.tree) or ())
