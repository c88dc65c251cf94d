"""Constant defaults that break their own contract (S-01).

The contract engine of the language decides. It is not loaded for what is plain to see: most defaults are of the type
that the contract names.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final

from sabir.diagnostics.finding import Finding
from sabir.expressions.yaql.nodes import Binary, Call, ListLiteral, Literal, Node, Variable, Word
from sabir.languages.muranopl.check.contracts import contract_chain
from sabir.languages.muranopl.check.names import LATEST, Version
from sabir.languages.muranopl.examples.packages import package_rule
from sabir.languages.muranopl.syntax.expressions import ExpressionText, parse_scalar, scalars
from sabir.languages.muranopl.syntax.report import Report, shown
from sabir.lazy import lazy_pattern
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, plain_data, text_of

if TYPE_CHECKING:
    from sabir.languages.muranopl.model.contract_questions import ContractQuestions

__all__ = ["Defaults"]

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

# Never an expression by the document, yet the engine runs what looks like one; of that nothing is said.
_code_pattern: Final = lazy_pattern(r"\$|\w\(")


class Defaults:
    """The defaults of one package, against the contracts of its format."""

    def __init__(self, version: Version | None) -> None:
        self._version = version or LATEST

    @cached_property
    def _questions(self) -> ContractQuestions:
        from sabir.languages.muranopl.model.contract_questions import ContractQuestions

        return ContractQuestions(".".join(map(str, self._version)))

    def check(self, report: Report, contract: YamlNode | None, default: YamlNode | None) -> Iterator[Finding]:
        if contract is None or default is None:
            return
        for key in _dropped_keys(contract, default):
            hint = "name the key in the contract, or let the contract take any: $.string(): $"
            message = f"the contract drops the key {shown(key)} of the Default"
            yield report.at(
                key, DEFAULT_KEY_DROPPED, message, hint=hint, related=((contract, "the contract"),)
            )
        reason = self._refusal(report, contract, default)
        if reason is not None:
            message = f"the Default breaks its own contract: {reason}"
            yield report.at(default, DEFAULT_BREAKS_CONTRACT, message, related=((contract, "the contract"),))

    def _refusal(self, report: Report, contract: YamlNode, default: YamlNode) -> str | None:
        if _is_plainly_kept(report, contract, default):
            return None
        if isinstance(contract, YamlScalar) and "$" not in contract.text:
            return None  # no contract at all, which is a finding of its own
        if any(_code_pattern().search(text_of(scalar) or "") for scalar in scalars(default)):
            return None
        violation = self._questions.refusal(contract, plain_data(default), report.source)
        if violation is None:
            return None
        where = f"at {violation.path}, " if violation.path else ""
        return where + violation.reason


def _dropped_keys(contract: YamlNode, default: YamlNode) -> Iterator[YamlNode]:
    """Keys of a default that its contract does not name: they never reach the object (S-07)."""
    if not isinstance(contract, YamlMapping) or not isinstance(default, YamlMapping):
        return
    declared = {text_of(key) for key in contract}
    if contract.entries and not any(name is None or "$" in name for name in declared):
        yield from (key for key in default if text_of(key) not in declared)
    for key, part in contract.items():
        value = default.get(text_of(key) or "")
        if value is not None:
            yield from _dropped_keys(part, value)


def _is_plainly_kept(report: Report, contract: YamlNode, default: YamlNode) -> bool:
    """Whether the contract takes the value for sure; False: ask the engine."""
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
    return all(_keeps(call, value) for call in calls)


def _keeps(call: Call, value: object) -> bool:
    if call.name == "check":
        return len(call.arguments) == 1 and _holds(call.arguments[0], value)
    return call.name == "notNull" or (call.name in _PYTHON_TYPES and type(value) is _PYTHON_TYPES[call.name])


def _holds(predicate: Node, value: object) -> bool:
    """The usual predicates: a number compared, one of some texts."""
    match predicate:
        case Binary(operator="in", left=Variable(name=""), right=ListLiteral(items=items)):
            return isinstance(value, str) and value in [
                item.value for item in items if isinstance(item, Literal | Word)
            ]
        case Binary(operator=sign, left=Variable(name=""), right=Literal(value=other)) if sign in _COMPARED:
            return type(value) is int and type(other) is int and _COMPARED[sign](value, other)
        case _:
            return False
