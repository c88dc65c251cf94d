"""Checks of contracts: their form (spec 000, "Contract"), and constant defaults that violate them (S-01).

The contract engine of the language decides whether a default is accepted. It is not loaded for obvious cases,
because most defaults are of the type that the contract names.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final

from sabir.diagnostics.finding import Finding
from sabir.expressions.yaql.nodes import Binary, Call, ListLiteral, Literal, Node, Variable, Word, child_nodes
from sabir.languages.muranopl.check.names import LATEST, Version
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.syntax.expressions import (
    ExpressionText,
    is_expression_scalar,
    parse_error_finding,
    parse_scalar,
    walk_scalars,
)
from sabir.languages.muranopl.syntax.report import FileReporter, kind_of, quote_node
from sabir.languages.muranopl.syntax.values import is_null
from sabir.lazy import lazy_pattern
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, plain_data, text_of

if TYPE_CHECKING:
    from sabir.languages.muranopl.model.contract_questions import ContractQuestions


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


def contract_expressions(report: FileReporter, contract: YamlNode) -> Iterator[ExpressionText]:
    """Return all expressions of a contract that parse, including keys of mappings."""
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
    report: FileReporter, contract: YamlNode | None, *, literal_allowed: bool = False
) -> Iterator[Finding]:
    """Report a contract that is neither an expression on `$` nor a list or mapping of contracts.

    Under a key of a mapping a literal is legal as well.
    """
    if isinstance(contract, YamlSequence):
        for position, item in enumerate(contract.items):
            # After the first item come the bounds of the list, which are numbers.
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


def _check_scalar(report: FileReporter, contract: YamlScalar, *, literal_allowed: bool) -> Iterator[Finding]:
    if literal_allowed and not (isinstance(contract.value, str) and "$" in contract.text):
        return
    hint = "a contract speaks of the value as $, as in $.string().notNull()"
    if not isinstance(contract.value, str):
        yield report.at(contract, NO_CONTRACT, f"{kind_of(contract)} is no contract", hint=hint)
        return
    parsed = parse_scalar(report, contract)
    if not isinstance(parsed, ExpressionText):
        yield parse_error_finding(report, contract, parsed, NO_CONTRACT)
    elif not _mentions_value(parsed.tree):
        fix = None
        if contract.text.removesuffix("()") in _TYPES:
            # `string` and `string()` for `$.string()`
            fix = report.build_replace_fix(contract, f"$.{contract.text.removesuffix('()')}()")
        yield report.at(contract, NO_CONTRACT, f"{quote_node(contract)} is no contract", hint=hint, fix=fix)
    else:
        yield from _check_functions(report, parsed)


def _check_functions(report: FileReporter, contract: ExpressionText) -> Iterator[Finding]:
    """Report misspelled contract functions and wrong numbers of arguments.

    Contracts may call other code, so an unknown function is reported only if it resembles a known one.
    """
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
            fix = report.build_rename_fix(span, call.name, meant.only)
            yield report.at(span, NO_CONTRACT, message, hint=meant.hint, fix=fix)


def _mentions_value(node: Node) -> bool:
    return isinstance(node, Variable) or any(_mentions_value(child) for child in child_nodes(node))


def contract_chain(node: Node) -> tuple[Call, ...] | None:
    """Return the calls of `$.a().b()`, in order; None for any other expression."""
    calls: list[Call] = []
    while isinstance(node, Binary) and node.operator == "." and isinstance(node.right, Call):
        calls.append(node.right)
        node = node.left
    return tuple(reversed(calls)) if isinstance(node, Variable) and node.name == "" else None


def accepts_null(report: FileReporter, contract: YamlNode | None) -> bool:
    """Tell whether a contract accepts null; only `.notNull()` certainly rejects it."""
    if not isinstance(contract, YamlScalar) or not isinstance(contract.value, str):
        return True
    parsed = parse_scalar(report, contract)
    if not isinstance(parsed, ExpressionText):
        return True
    return all(call.name != "notNull" for call in contract_chain(parsed.tree) or ())


_COMPARED: Final[dict[str, Callable[[int, int], bool]]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
}
_PYTHON_TYPES: Final[dict[str, type]] = {"string": str, "int": int, "bool": bool}

DEFAULT_BREAKS_CONTRACT: Final = package_rule(
    "MPL:W118",
    "a default that breaks its own contract",
    "An object that does not set the property cannot be created. The default is a constant, so this is certain.",
)
DEFAULT_KEY_DROPPED: Final = package_rule(
    "MPL:W119",
    "a key of a Default that its contract drops",
    "A contract that names its keys takes no others: what the Default gives under them is lost without a word.",
    off_by_default=True,
)

# Not an expression by spec 000, yet the engine evaluates what looks like one, so nothing is reported.
_code_pattern: Final = lazy_pattern(r"\$|\w\(")


class Defaults:
    """Checks the defaults of one package against the contracts of its format."""

    def __init__(self, version: Version | None) -> None:
        self._version = version or LATEST

    @cached_property
    def _questions(self) -> ContractQuestions:
        from sabir.languages.muranopl.model.contract_questions import ContractQuestions

        return ContractQuestions(".".join(map(str, self._version)))

    def check(
        self, report: FileReporter, contract: YamlNode | None, default: YamlNode | None
    ) -> Iterator[Finding]:
        if contract is None or default is None:
            return
        for key in _find_dropped_keys(contract, default):
            hint = "name the key in the contract, or let the contract take any: $.string(): $"
            message = f"the contract drops the key {quote_node(key)} of the Default"
            yield report.at(
                key, DEFAULT_KEY_DROPPED, message, hint=hint, related=((contract, "the contract"),)
            )
        reason = self._refusal(report, contract, default)
        if reason is not None:
            message = f"the Default breaks its own contract: {reason}"
            yield report.at(default, DEFAULT_BREAKS_CONTRACT, message, related=((contract, "the contract"),))

    def _refusal(self, report: FileReporter, contract: YamlNode, default: YamlNode) -> str | None:
        if _is_plainly_kept(report, contract, default):
            return None
        if isinstance(contract, YamlScalar) and "$" not in contract.text:
            return None  # a missing contract is reported elsewhere
        if any(_code_pattern().search(text_of(scalar) or "") for scalar in walk_scalars(default)):
            return None
        violation = self._questions.refusal(contract, plain_data(default), report.source)
        if violation is None:
            return None
        where = f"at {violation.path}, " if violation.path else ""
        return where + violation.reason


def _find_dropped_keys(contract: YamlNode, default: YamlNode) -> Iterator[YamlNode]:
    """Return the keys of a default that its contract does not name: they never reach the object (S-07)."""
    if not isinstance(contract, YamlMapping) or not isinstance(default, YamlMapping):
        return
    declared = {text_of(key) for key in contract}
    if contract.entries and not any(name is None or "$" in name for name in declared):
        yield from (key for key in default if text_of(key) not in declared)
    for key, part in contract.items():
        value = default.get(text_of(key) or "")
        if value is not None:
            yield from _find_dropped_keys(part, value)


def _is_plainly_kept(report: FileReporter, contract: YamlNode, default: YamlNode) -> bool:
    """Tell whether the contract certainly accepts the value; False means that the engine has to decide."""
    if isinstance(contract, YamlSequence):
        return (
            len(contract) == 1
            and isinstance(default, YamlSequence)
            and all(_is_plainly_kept(report, contract.items[0], item) for item in default.items)
        )
    if isinstance(contract, YamlMapping):
        return not len(contract) and isinstance(default, YamlMapping)
    if not isinstance(contract.value, str):
        return False
    parsed = parse_scalar(report, contract)
    calls = contract_chain(parsed.tree) if isinstance(parsed, ExpressionText) else None
    if calls is None:
        return False
    if not isinstance(default, YamlScalar):
        return not calls
    value = default.value
    if value is None:
        return all(call.name not in ("notNull", "check") for call in calls)
    return all(_is_accepted(call, value) for call in calls)


def _is_accepted(call: Call, value: object) -> bool:
    if call.name == "check":
        return len(call.arguments) == 1 and _is_satisfied(call.arguments[0], value)
    return call.name == "notNull" or (call.name in _PYTHON_TYPES and type(value) is _PYTHON_TYPES[call.name])


def _is_satisfied(predicate: Node, value: object) -> bool:
    """Evaluate the usual predicates: a comparison with a number, or membership in a list of strings."""
    match predicate:
        case Binary(operator="in", left=Variable(name=""), right=ListLiteral(items=items)):
            return isinstance(value, str) and value in [
                item.value for item in items if isinstance(item, Literal | Word)
            ]
        case Binary(operator=sign, left=Variable(name=""), right=Literal(value=other)) if sign in _COMPARED:
            return type(value) is int and type(other) is int and _COMPARED[sign](value, other)
        case _:
            return False
