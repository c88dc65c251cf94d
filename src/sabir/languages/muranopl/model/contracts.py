"""Contracts, compiled once per declaration (spec 000, "Contract").

A contract has two closures. `check(value, this, loader)` returns the converted value or raises
`ContractViolation`; `this` is the object with the property or argument (the class if there is no object).
`build(value, owner, loader)` creates objects from the definitions in a model before anything is checked, so
that references may point forward; it is None where no class can occur.

Contract functions may be part of a larger expression: `$.int() or 5672`. Such an expression is evaluated with
the functions as methods, and its result is the value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.yaql import EXPRESSION, LAMBDA, Dialect, Lambda, Library, Variables, parse
from sabir.expressions.yaql.kinds import ANY, NULL, STRING
from sabir.expressions.yaql.nodes import Binary, Call, Group, Node, Variable
from sabir.expressions.yaql.nodes import Node as YaqlNode
from sabir.languages.muranopl.model.contract_structures import (
    class_contract,
    class_name_of,
    constant_contract,
    list_contract,
    map_contract,
    ownership_check,
    template_contract,
)
from sabir.languages.muranopl.model.contract_types import (
    ANYTHING,
    CONTRACT_FORM,
    KIND_OF,
    Check,
    Contract,
    bool_check,
    int_check,
    string_check,
)
from sabir.languages.muranopl.model.errors import ContractViolationError, MuranoError, format_value
from sabir.languages.muranopl.model.objects import (
    CONTEXT,
    DEPTH,
    THIS,
    MuranoObject,
    current_class,
    unwrap_object,
)
from sabir.languages.muranopl.syntax.nodes import Constant, Expr, ListValue, Value
from sabir.languages.muranopl.syntax.values import expression_place
from sabir.text import Span

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.loader import Loader
    from sabir.languages.muranopl.model.classes import MuranoClass


LOADER: Final = "%"  # the loader of the running check, stored with the variables


def contract_library(base: Library) -> Library:
    """Return a library with the contract functions as methods."""
    library = Library(base)
    for name, check in (("int", int_check), ("string", string_check), ("bool", bool_check)):
        library.method(name, ANY)(_scalar_converter(check))

    @library.method("notNull", ANY)
    def not_null(value: Any) -> Any:
        if value is None:
            raise ContractViolationError("a value is required here, null was given")
        return value

    @library.method("check", ANY, LAMBDA, STRING)
    def check_(value: Any, predicate: Lambda, message: str | None = None) -> Any:
        if not predicate(value):
            raise ContractViolationError(
                message or f"{format_value(value)} does not satisfy the contract", value
            )
        return value

    @library.method("class", ANY, EXPRESSION, EXPRESSION)
    def class_(variables: Variables, value: Any, name: Node, default: Node | None = None) -> Any:
        wanted = _resolve_class(name, variables)
        made_class = wanted if default is None else _resolve_class(default, variables)
        return _convert_object(value, wanted, made_class, variables)

    return library


def _scalar_converter(check: Any) -> Any:
    def convert(value: Any) -> Any:
        return check(value, None, None)

    return convert


def _resolve_class(node: Node, variables: Variables) -> MuranoClass:
    name, cls = class_name_of(node), current_class(variables)
    if name is None or cls is None:
        raise MuranoError(CONTRACT_FORM, "class() takes the name of a class")
    return cls.resolve(name)


def _convert_object(value: Any, wanted: MuranoClass, default: MuranoClass, variables: Variables) -> Any:
    loader: Loader = variables[LOADER]
    this = variables.get(THIS)
    value = unwrap_object(value)
    if value is None:
        return None
    if isinstance(value, str):
        value = loader.find(value)
    elif isinstance(value, dict):
        value = loader.instantiate(value, loader.owner_for(this), default)
    if not isinstance(value, MuranoObject) or not value.cls.is_a(wanted):
        raise ContractViolationError(f"{format_value(value)} is no object of {wanted.name}", value)
    return value


_SCALARS: dict[str, Check] = {"int": int_check, "string": string_check, "bool": bool_check}
_STEPS = ("int", "string", "bool", "class", "template", "notNull", "check", "owned", "notOwned")


def compile_contract(value: Value, cls: MuranoClass) -> Contract:
    """Return the contract that a value of a class file describes."""
    if isinstance(value, Expr):
        return _compile_expression(value, cls)
    if isinstance(value, ListValue):
        return list_contract(value, cls, compile_contract)
    if isinstance(value, Constant):
        return constant_contract(value)
    return map_contract(value, cls, compile_contract)


def _compile_expression(expr: Expr, cls: MuranoClass) -> Contract:
    tree = parse(expr.text, Dialect.MURANO).tree
    steps = _call_chain(tree)
    if steps is None:
        return _expression_contract(expr, cls)
    contract = ANYTHING
    for call in steps:
        contract = _add_call(contract, call, expr, cls)
    return contract


def _call_chain(node: YaqlNode) -> list[Call] | None:
    """Return the calls of `$.a().b()` from left to right; None for any other expression."""
    calls: list[Call] = []
    while True:
        if isinstance(node, Group):
            node = node.inner
        elif isinstance(node, Variable) and node.name in ("", "1"):
            return calls[::-1]
        elif isinstance(node, Binary) and node.operator == "." and isinstance(node.right, Call):
            calls.append(node.right)
            node = node.left
        else:
            return None


def _add_call(inner: Contract, call: Call, expr: Expr, cls: MuranoClass) -> Contract:
    if call.name in _SCALARS:
        _no_arguments(call, expr, cls)
        check = _SCALARS[call.name]
        return Contract(_chain_checks(inner.check, check), inner.build, kinds=KIND_OF[call.name])
    if call.name == "notNull":
        return replace(inner, check=_not_null(inner.check), kinds=inner.kinds & ~NULL)
    if call.name == "check":
        return inner.with_check(_predicate_check(inner.check, call, expr, cls))
    if call.name in ("class", "template"):
        make = class_contract if call.name == "class" else template_contract
        return make(call, expr, cls)
    if call.name in ("owned", "notOwned"):
        return inner.with_check(ownership_check(inner.check, owned=call.name == "owned"))
    raise MuranoError(
        CONTRACT_FORM,
        f"a contract has no part {call.name!r}",
        place=expression_place(cls.node.source, expr, Span(call.start, call.end)),
        hint=did_you_mean(call.name, _STEPS) or f"one of {', '.join(_STEPS)}",
    )


def _no_arguments(call: Call, expr: Expr, cls: MuranoClass) -> None:
    if call.arguments:
        raise MuranoError(
            CONTRACT_FORM,
            f"{call.name}() takes no arguments",
            place=expression_place(cls.node.source, expr, Span(call.start, call.end)),
        )


def _chain_checks(first: Check, second: Check) -> Check:
    if first is ANYTHING.check:
        return second
    return lambda value, this, loader: second(first(value, this, loader), this, loader)


def _not_null(inner: Check) -> Check:
    def check(value: Any, this: Any, loader: Any) -> Any:
        value = inner(value, this, loader)
        if value is None:
            raise ContractViolationError("a value is required here, null was given")
        return value

    return check


def _predicate_check(inner: Check, call: Call, expr: Expr, cls: MuranoClass) -> Check:
    if not 1 <= len(call.arguments) <= 2:
        raise MuranoError(
            CONTRACT_FORM,
            "check() takes a predicate and, if wanted, a message",
            place=expression_place(cls.node.source, expr, Span(call.start, call.end)),
        )
    texts = [expr.text[node.start : node.end] for node in call.arguments]
    predicate = cls.engine.inner(texts[0], expr, call.arguments[0].start)
    message = cls.engine.inner(texts[1], expr, call.arguments[1].start) if len(texts) > 1 else None
    condition, context = " ".join(texts[0].split()), cls.context

    def check(value: Any, this: Any, loader: Any) -> Any:
        value = inner(value, this, loader)
        variables = {"$": value, THIS: this, CONTEXT: context, DEPTH: 0}
        if not predicate(variables):
            if message is None:
                raise ContractViolationError(f"{format_value(value)} does not satisfy `{condition}`", value)
            raise ContractViolationError(f"{message(variables)} (it is {format_value(value)})", value)
        return value

    return check


def _expression_contract(expr: Expr, cls: MuranoClass) -> Contract:
    """Return the contract of an expression that is not a chain, such as `$.int() or 80`: its result is the value."""
    run, context = cls.engine.contract_expression(expr), cls.context

    def check(value: Any, this: Any, loader: Any) -> Any:
        return run({"$": value, THIS: this, CONTEXT: context, DEPTH: 0, LOADER: loader})

    return Contract(check)
