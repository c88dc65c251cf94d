"""Whether a value fits its definition: type, entries, fields, constraints. A schema is compiled to one function."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.reasons import explain_error
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean, suggest
from sabir.expressions.patterns import PatternRefusedError
from sabir.expressions.query.forms import UNKNOWN_FUNCTION, is_expression, is_template
from sabir.expressions.query.functions.registry import MODULES
from sabir.languages.tosca.model.constraints import TESTS, ConstraintTest, clause_holds
from sabir.languages.tosca.model.scalars import WORDS, ScalarUnits, primitive_test
from sabir.languages.tosca.model.types import FlatType, TypeTable
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import Constraint, PropertyDefinition, Schema
from sabir.languages.tosca.syntax.scopes import TypeKind

UNKNOWN_PROPERTY: Final = tosca_rule(
    code="TOSCA:E010",
    title="a property that the type does not have",
    why="The value would never be read. Correct the name, or define the property in the type.",
)

MISSING_VALUE: Final = tosca_rule(
    code="TOSCA:E011",
    title="a required property has no value",
    why="The type requires it and gives no default, so a deployment would fail for want of it.",
)

WRONG_TYPE: Final = tosca_rule(
    code="TOSCA:E012",
    title="a value of the wrong type",
    why="The value does not fit the type of its property, attribute or input.",
)

FORBIDDEN_VALUE: Final = tosca_rule(
    code="TOSCA:E013",
    title="a value that a constraint forbids",
    why="The definition limits what the value may be, and this one lies outside.",
)


class TypeMismatch(Struct, frozen=True):
    """What is wrong with a value: the rule, the words, and the keys that lead to the wrong part."""

    rule: Rule
    message: str
    path: tuple[Any, ...] = ()
    hint: str | None = None

    def below(self, key: Any) -> TypeMismatch:
        return TypeMismatch(self.rule, self.message, (key, *self.path), self.hint)


Check = Callable[[Any], Iterator[TypeMismatch]]
# The TOSCA functions that are evaluated although spec 004 does not name them.
_FUNCTIONS: Final = frozenset({"get_secret", "get_repo", "get_ensemble_metadata", "get_attributes"})


_CALLED: Final = (*MODULES["text"], *MODULES["topology"], *MODULES["environment"], "eval", *_FUNCTIONS)


def holds_expression(value: Any) -> bool:
    """Whether the value is known only when it is evaluated."""
    if isinstance(value, str):
        return is_template(value)
    if not isinstance(value, Mapping) or not value:
        return False
    return is_expression(value) or (
        len(value) == 1 and (next(iter(value)) in _FUNCTIONS or str(next(iter(value))).startswith("$"))
    )


def misspelt_function(value: Any) -> str | None:
    """Of a map with one key that is nearly the name of a function: the hint that says which."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return None
    word = next(iter(value))
    return did_you_mean(word, _CALLED) if isinstance(word, str) else None


def _no_check(_value: Any) -> Iterator[TypeMismatch]:
    return iter(())


class ValueChecker:
    """Checks of values, one per schema, made when first needed."""

    def __init__(self, types: TypeTable) -> None:
        self.types = types
        self._checks: dict[int, tuple[Schema, Check]] = {}
        """By identity; a schema that is kept here cannot lend its identity to another."""
        self._making: set[str] = set()
        self._data: dict[str, Check] = {}

    def misfits(self, definition: PropertyDefinition, value: Any) -> Iterator[TypeMismatch]:
        if definition.schema is None:
            return iter(())
        return self.check(definition.schema)(value)

    def check(self, schema: Schema) -> Check:
        kept = self._checks.get(id(schema))
        if kept is None:
            kept = self._checks[id(schema)] = schema, self._make(schema)
        return kept[1]

    def _make(self, schema: Schema) -> Check:
        name = schema.name.removeprefix("tosca:")
        flat = self.types.find(TypeKind.DATA, schema.name)
        base = self._primitive(name, schema) if flat is None else self._data_type(flat, schema)
        kind = name if flat is None else flat.primitive or "map"
        units = None if flat is None else flat.scalar
        constraints = tuple(
            _build_constraint_check(constraint, kind, units) for constraint in schema.constraints
        )
        return _with_constraints(base, constraints)

    def _primitive(self, name: str, schema: Schema) -> Check:
        entry = self.check(schema.entry_schema) if schema.entry_schema else _no_check
        key = self.check(schema.key_schema) if schema.key_schema else _no_check
        key = _text_keys(key, strict=schema.origin.second)
        test = primitive_test(name, second=schema.origin.second)
        if name == "list":
            return lambda value: _list_misfits(value, entry)
        if name == "map":
            return lambda value: _map_misfits(value, entry, key)
        if test is None:
            return _no_check
        return lambda value: _primitive_misfits(value, name, test)

    def _clauses(self, flat: FlatType, units: ScalarUnits | None) -> tuple[Check, ...]:
        kind = flat.primitive or "map"
        return tuple(_build_constraint_check(constraint, kind, units) for constraint in flat.constraints)

    def _scalar(self, name: str, units: ScalarUnits) -> Check:
        """A number that its data type allows, and one of the units."""
        number = self.check(units.data_type) if units.data_type is not None else _no_check
        is_whole = units.data_type is not None and self._is_integer(units.data_type)

        def check(value: Any) -> Iterator[TypeMismatch]:
            if value is None or holds_expression(value) or not units.units:
                return  # of a type without units that is said
            parts = units.parts(value)
            if parts is None:
                hint = "its units are " + ", ".join(list(units.multipliers)[:12])
                yield TypeMismatch(
                    WRONG_TYPE, f"{_format_value(value)} is not a {name}, as 10 {units.canonical}", (), hint
                )
                return
            written = parts[0]
            if is_whole and not re.fullmatch(r"[-+]?[0-9]+", written):
                yield TypeMismatch(WRONG_TYPE, f"{_format_value(value)} is not a whole number of units")
                return
            yield from number(int(written) if is_whole else float(written))

        return check

    def _is_integer(self, schema: Schema) -> bool:
        flat = self.types.find(TypeKind.DATA, schema.name)
        return (schema.name if flat is None else flat.primitive) == "integer"

    def _data_type(self, flat: FlatType, schema: Schema) -> Check:
        ready = self._data.get(flat.name)
        if ready is not None:
            return ready
        if flat.name in self._making:
            # A data type may hold itself; the inner one is looked up when a value gets there.
            return lambda value: self._data.get(flat.name, _no_check)(value)
        self._making.add(flat.name)
        constraints = self._clauses(flat, None)
        if flat.scalar is not None:
            check = _with_constraints(self._scalar(flat.name, flat.scalar), self._clauses(flat, flat.scalar))
        elif flat.primitive is not None:
            inner = Schema(
                name=flat.primitive,
                span=schema.span,
                origin=schema.origin,
                entry_schema=schema.entry_schema or flat.schema,
                key_schema=schema.key_schema or flat.key_schema,
            )
            check = _with_constraints(self._primitive(flat.primitive, inner), constraints)
        elif not flat.properties:
            check = _no_check
        else:
            fields = {
                name: (definition, self.check(definition.schema) if definition.schema else _no_check)
                for name, definition in flat.properties.items()
            }
            check = _with_constraints(lambda value: _record_misfits(value, flat, fields), constraints)
        self._making.discard(flat.name)
        self._data[flat.name] = check
        return check


def _with_constraints(base: Check, constraints: tuple[Check, ...]) -> Check:
    if not constraints:
        return base

    def check(value: Any) -> Iterator[TypeMismatch]:
        wrong = False
        for misfit in base(value):
            wrong = True
            yield misfit
        if not wrong and not holds_expression(value) and value is not None:
            for constraint in constraints:
                yield from constraint(value)

    return check


def _format_value(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _primitive_misfits(value: Any, name: str, test: Callable[[Any], bool]) -> Iterator[TypeMismatch]:
    if not test(value) and not holds_expression(value):
        near = misspelt_function(value)
        if near is not None:
            word = next(iter(value))
            yield TypeMismatch(UNKNOWN_FUNCTION, f"there is no function {word!r}", (), near)
            return
        yield TypeMismatch(WRONG_TYPE, f"{_format_value(value)} is not {WORDS.get(name, name)}")


def _list_misfits(value: Any, entry: Check) -> Iterator[TypeMismatch]:
    if isinstance(value, list):
        for position, item in enumerate(value):
            if not holds_expression(item):
                for misfit in entry(item):
                    yield misfit.below(position)
    elif value is not None and not holds_expression(value):
        yield TypeMismatch(WRONG_TYPE, f"{_format_value(value)} is not a list")


def _text_keys(check: Check, *, strict: bool) -> Check:
    """2.0: the keys of a map are texts; one may be computed, and is none yet."""

    def keys(key: Any) -> Iterator[TypeMismatch]:
        if isinstance(key, str):
            yield from check(key)
        elif strict and (isinstance(key, bool | int | float) or key is None):
            yield TypeMismatch(
                WRONG_TYPE, f"the key {_format_value(key)} is not text", hint="put quotes around it"
            )

    return keys


def _map_misfits(value: Any, entry: Check, key_check: Check) -> Iterator[TypeMismatch]:
    if holds_expression(value) or value is None:
        return
    if not isinstance(value, Mapping):
        yield TypeMismatch(WRONG_TYPE, f"{_format_value(value)} is not a map")
        return
    for key, item in value.items():
        for misfit in key_check(key):
            yield misfit.below(key)
        if not holds_expression(item):
            for misfit in entry(item):
                yield misfit.below(key)


def _record_misfits(
    value: Any, flat: FlatType, fields: Mapping[str, tuple[PropertyDefinition, Check]]
) -> Iterator[TypeMismatch]:
    type_name = flat.name
    if holds_expression(value) or value is None:
        return
    if not isinstance(value, Mapping):
        yield TypeMismatch(WRONG_TYPE, f"{_format_value(value)} is not a {type_name}")
        return
    for key, item in value.items():
        field = fields.get(key)
        if field is None:
            if flat.is_whole and not flat.is_open:
                hint = did_you_mean(str(key), fields)
                yield TypeMismatch(UNKNOWN_PROPERTY, f"{type_name} has no field {key!r}", (key,), hint)
        elif not holds_expression(item):
            for misfit in field[1](item):
                yield misfit.below(key)
    misspelt = {suggest(str(key), fields) for key in value if key not in fields}
    for name, (definition, _) in fields.items():
        if definition.needs_value and name not in misspelt and name not in value:
            yield TypeMismatch(MISSING_VALUE, f"the field {name!r} of {type_name} has no value")


def _scalar_holds(test: ConstraintTest, value: Any, argument: Any, units: ScalarUnits) -> bool:
    """Both sides in the base unit; an argument in an unknown unit cannot be compared."""
    worth = units.in_base_unit(value)
    bounds = argument if isinstance(argument, list) else [argument]
    sizes = [bound if _is_unbounded(bound) else units.in_base_unit(bound) for bound in bounds]
    if worth is None or any(size is None for size in sizes):
        raise ValueError(argument)
    return test(worth, sizes if isinstance(argument, list) else sizes[0], "float")


def _is_unbounded(value: Any) -> bool:
    return isinstance(value, str) and value.upper() == "UNBOUNDED"


def _build_clause_check(clause: Mapping[str, Any], units: ScalarUnits | None) -> Check:
    def check(value: Any) -> Iterator[TypeMismatch]:
        try:
            holds = clause_holds(clause, value, units)
        except (TypeError, ValueError) as error:
            yield TypeMismatch(
                FORBIDDEN_VALUE, f"{_format_value(value)} cannot be tested: {explain_error(error)}"
            )
            return
        if not holds:
            yield TypeMismatch(
                FORBIDDEN_VALUE, f"{_format_value(value)} is not allowed: {_format_value(clause)}"
            )

    return check


def _build_constraint_check(constraint: Constraint, kind: str, units: ScalarUnits | None = None) -> Check:
    argument = constraint.argument.data
    if constraint.name.startswith("$"):
        return _build_clause_check({constraint.name: argument}, units)
    test = TESTS.get(constraint.name)
    if constraint.name == "in_range" and not (isinstance(argument, list) and len(argument) == 2):
        return _no_check  # said where it stands
    if test is None or holds_expression(argument) or kind == "any" or (kind == "scalar" and units is None):
        return _no_check

    def check(value: Any) -> Iterator[TypeMismatch]:
        try:
            # What a scalar of 2.0 is worth only its own units can say.
            holds = (
                test(value, argument, kind) if units is None else _scalar_holds(test, value, argument, units)
            )
        except PatternRefusedError as refused:
            yield TypeMismatch(FORBIDDEN_VALUE, f"{_format_value(value)} cannot be tested: {refused}")
            return
        except (TypeError, ValueError):
            yield TypeMismatch(
                FORBIDDEN_VALUE,
                f"{_format_value(value)} cannot be tested by {constraint.name}: {_format_value(argument)}",
            )
            return
        if not holds:
            yield TypeMismatch(
                FORBIDDEN_VALUE,
                f"{_format_value(value)} is not allowed: {constraint.name} {_format_value(argument)}",
            )

    return check
