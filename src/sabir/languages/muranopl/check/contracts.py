"""Contracts as code: their form (spec 000, "Contract"), and constant defaults that break them (S-01)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import near
from sabir.expressions.yaql.errors import YaqlError
from sabir.expressions.yaql.nodes import Binary, Call, ListLiteral, Literal, Node, Variable, Word, children
from sabir.languages.muranopl.check.expressions import (
    ExpressionText,
    is_expression_scalar,
    parse_scalar,
    unparsable,
)
from sabir.languages.muranopl.check.report import Report, kind_of, shown
from sabir.languages.muranopl.check.shapes import is_null
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, plain_data, text_of

__all__ = ["accepts_null", "check_contract", "check_default", "contract_expressions"]

_FUNCTIONS: Final = frozenset(
    ["string", "int", "bool", "class", "template", "owned", "notOwned", "notNull", "check"]
)
_COMPARED: Final[dict[str, Callable[[int, int], bool]]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
}
_CONVERSIONS: Final = frozenset({"string", "int", "bool"})


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
        yield report.at(contract, "MPL:W048", f"{kind_of(contract)} is no contract", hint=hint)
        return
    parsed = parse_scalar(report, contract)
    if not isinstance(parsed, ExpressionText):
        yield unparsable(report, contract, parsed, "MPL:W048")
    elif not _mentions_value(parsed.tree):
        yield report.at(contract, "MPL:W048", f"{shown(contract)} is no contract", hint=hint)
    else:
        yield from _check_functions(report, parsed)


def _check_functions(report: Report, contract: ExpressionText) -> Iterator[Finding]:
    """A misspelt function of the chain; only one that is nearly a known one, since contracts may call other code."""
    for call in _chain(contract.tree):
        meant = near(call.name, _FUNCTIONS) if call.name not in _FUNCTIONS else None
        if meant is not None:
            message = f"contracts have no function {call.name!r}"
            yield report.at(contract.span(call), "MPL:W048", message, hint=f"did you mean {meant!r}?")


def _mentions_value(node: Node) -> bool:
    return isinstance(node, Variable) or any(_mentions_value(child) for child in children(node))


def _chain(node: Node) -> tuple[Call, ...]:
    """The calls of `$.a().b()`, first one first; empty for anything else."""
    calls: list[Call] = []
    while isinstance(node, Binary) and node.operator == "." and isinstance(node.right, Call):
        calls.append(node.right)
        node = node.left
    return tuple(reversed(calls)) if isinstance(node, Variable) and node.name == "" else ()


def accepts_null(report: Report, contract: YamlNode | None) -> bool:
    """Whether a missing value passes; only `.notNull()` refuses it for sure."""
    if not isinstance(contract, YamlScalar) or not isinstance(contract.value, str):
        return True
    parsed = parse_scalar(report, contract)
    if not isinstance(parsed, ExpressionText):
        return True
    return all(call.name != "notNull" for call in _chain(parsed.tree))


def check_default(report: Report, contract: YamlNode | None, default: YamlNode | None) -> Iterator[Finding]:
    """A constant default that its own contract refuses, as far as that can be decided without running anything."""
    if contract is None or default is None:
        return
    for key in _dropped_keys(contract, default):
        hint = "name the key in the contract, or let the contract take any: $.string(): $"
        message = f"the contract drops the key {shown(key)} of the Default"
        yield report.at(key, "MPL:W119", message, hint=hint, related=((contract, "the contract"),))
    reason = _refusal(report, contract, default)
    if reason is not None:
        yield report.at(
            default,
            "MPL:W118",
            f"the Default breaks its own contract: {reason}",
            related=((contract, "the contract"),),
        )


def _dropped_keys(contract: YamlNode, default: YamlNode) -> Iterator[YamlNode]:
    """Keys of a default that its contract does not name: they never reach the object (S-07)."""
    if not isinstance(contract, YamlMapping) or not isinstance(default, YamlMapping):
        return
    known = {text_of(key) for key in contract}
    if contract.entries and not any(name is None or "$" in name for name in known):
        yield from (key for key in default if text_of(key) not in known)
    for key, part in contract.items():
        value = default.get(text_of(key) or "")
        if value is not None:
            yield from _dropped_keys(part, value)


def _refusal(report: Report, contract: YamlNode, default: YamlNode) -> str | None:
    if isinstance(contract, YamlScalar):
        return _scalar_refusal(report, contract, default)
    if isinstance(contract, YamlSequence) and isinstance(default, YamlSequence) and len(contract) == 1:
        for item in default.items:
            reason = _refusal(report, contract.items[0], item)
            if reason is not None:
                return reason
    if isinstance(contract, YamlMapping) and isinstance(default, YamlMapping):
        for key, part in contract.items():
            name = text_of(key)
            value = default.get(name) if name is not None and "$" not in name else None
            reason = _refusal(report, part, value) if value is not None else None
            if reason is not None:
                return reason
    return None


def _scalar_refusal(report: Report, contract: YamlScalar, default: YamlNode) -> str | None:
    if not isinstance(contract.value, str):
        return None
    parsed = parse_scalar(report, contract)
    calls = _chain(parsed.tree) if isinstance(parsed, ExpressionText) else ()
    names = [call.name for call in calls]
    if not calls or any(name not in _CONVERSIONS | {"notNull", "check"} for name in names):
        return None
    value: object = plain_data(default)
    for call in calls:
        if call.name == "notNull" and value is None:
            return "it is nothing, and the contract says notNull()"
        if call.name in _CONVERSIONS and value is not None:
            if isinstance(value, (list, dict)):
                return f"{kind_of(default)} is no {call.name}"
            if call.name == "int" and not _is_integer(value):
                return f"{shown(default)} is no integer"
            value = _converted(call.name, value)
        if (
            call.name == "check"
            and call.arguments
            and value is not None
            and not _holds(contract, call, value)
        ):
            return f"{shown(default)} does not pass {contract.text[call.start : call.end]}"
    return None


def _is_integer(value: object) -> bool:
    try:
        int(value)  # type: ignore[call-overload]  # asked, not assumed
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _converted(function: str, value: object) -> object:
    match function:
        case "int":
            return int(value)  # type: ignore[call-overload]  # _is_integer was asked before
        case "bool":
            return bool(value)
        case _:
            return str(value)


def _holds(contract: YamlScalar, call: Call, value: object) -> bool:
    """Whether a predicate holds for a value; True when it needs more than the value to tell."""
    predicate = call.arguments[0]
    if not _is_about_value_only(predicate):
        return True
    plain = _comparison(predicate, value)
    if plain is not None:
        return plain
    from sabir.expressions.yaql import evaluate

    try:
        return bool(evaluate(contract.text[predicate.start : predicate.end], value))
    except YaqlError:
        return True


def _comparison(node: Node, value: object) -> bool | None:
    """The usual predicates, a number compared or one of some texts, without starting the expression engine for them."""
    match node:
        case Binary(operator="in", left=Variable(), right=ListLiteral(items=items)):
            words = [item.value for item in items if isinstance(item, Literal | Word)]
            return value in words if len(words) == len(items) and isinstance(value, str) else None
        case Binary(operator=sign, left=Variable(), right=Literal(value=other)) if sign in _COMPARED:
            if type(value) is not int or type(other) is not int:
                return None
            return _COMPARED[sign](value, other)
        case _:
            return None


def _is_about_value_only(node: Node) -> bool:
    if isinstance(node, Variable):
        return node.name == ""
    return all(_is_about_value_only(child) for child in children(node))
