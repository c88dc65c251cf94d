"""Types of values: primitive, list, nullable and constrained ones. A type is compiled to one test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from sabir.diagnostics.reasons import without_addresses
from sabir.expressions.patterns import PatternRefusedError, compile_pattern, is_cheap, matches_start
from sabir.graph.values import Unknown
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.languages.inmanta.syntax.nodes import Typedef
from sabir.text import Place

TYPE: Final = inmanta_rule(
    "INM:E010",
    "a value does not fit its type",
    "Values are never converted silently: 1 is no string, null only fits a type with `?`, a condition is true or "
    "false, an operator takes what it says.",
    when="evaluate",
)

Test = Callable[[object], bool]


class Late:
    """A value that only deployment looks up: a reference. It fits wherever its value will."""


_LATE: Final = (Unknown, Late)


class ValueType(Struct, eq=False):
    """A type by name, and the test that its values pass."""

    name: str
    accepts: Test
    inner: ValueType | None = None
    """Of a list its items, of a nullable type the type without null."""


class ConstrainedType(ValueType, eq=False, kw_only=True):
    """A typedef. The evaluator compiles its condition and sets `accepts`."""

    node: Typedef
    base: ValueType
    place: Place

    @property
    def definition(self) -> str:
        """The typedef as written: `int matching self > 0`."""
        return " ".join(self.place.source.text[self.node.base.start : self.node.end].split())


def constraint_of(kind: ValueType, value: object) -> ConstrainedType | None:
    """Return the typedef whose condition a value violates, if that is the only mismatch."""
    if isinstance(kind, ConstrainedType):
        return constraint_of(kind.base, value) or (kind if kind.base.accepts(value) else None)
    if kind.inner is None:
        return None
    values = value if isinstance(value, list) else [value]
    return next((found for item in values if (found := constraint_of(kind.inner, item)) is not None), None)


def _is_string(value: object) -> bool:
    return type(value) is str or isinstance(value, (str, *_LATE))


def _is_int(value: object) -> bool:
    # true is an int, as the existing engine has it: models rely on it.
    return type(value) is int or isinstance(value, (int, *_LATE))


def _is_float(value: object) -> bool:
    return isinstance(value, (float, *_LATE))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, *_LATE))


def _is_bool(value: object) -> bool:
    return value is True or value is False or isinstance(value, _LATE)


def _is_dict(value: object) -> bool:
    return (isinstance(value, dict) and _TEXT.issuperset(map(type, value))) or isinstance(value, _LATE)


def _is_list(value: object) -> bool:
    return isinstance(value, (list, *_LATE))


def _is_anything(_: object) -> bool:
    return True


PRIMITIVES: Final = {
    name: ValueType(name, test)
    for name, test in (
        ("string", _is_string),
        ("number", _is_number),
        ("int", _is_int),
        ("float", _is_float),
        ("bool", _is_bool),
        ("dict", _is_dict),
        ("list", _is_list),
    )
}


def _is_literal(value: object) -> bool:
    if type(value) in _PLAIN or isinstance(value, _LATE):
        return True
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return False
    return _PLAIN.issuperset(map(type, value)) or all(map(_is_literal, value))


LITERALS: Final = {
    "list": ValueType("list", lambda value: _is_list(value) and _is_literal(value)),
    "dict": ValueType("dict", lambda value: _is_dict(value) and _is_literal(value)),
}
"""Lists and dicts as attributes have them: an instance is held by a relation. Plug-ins take any."""
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})
_TEXT: Final = frozenset({str})


ANY: Final = ValueType("any", _is_anything)
"""What plug-ins call a value of any kind; attributes and types of a model cannot be of it."""


def list_of(item: ValueType) -> ValueType:
    """Return the type `ITEM[]`. References are accepted, too."""

    def accepts(value: object) -> bool:
        if isinstance(value, _LATE):
            return True
        test = item.accepts
        return isinstance(value, list) and all(test(member) for member in value)

    return ValueType(f"{item.name}[]", accepts, item)


def dict_of(item: ValueType) -> ValueType:
    """Return the type of dicts with string keys and values of a type."""

    def accepts(value: object) -> bool:
        if not isinstance(value, dict):
            return isinstance(value, _LATE)
        return _is_dict(value) and all(map(item.accepts, value.values()))

    return ValueType(f"dict[string, {item.name}]", accepts)


def nullable_type(inner: ValueType) -> ValueType:
    """Return the type `TYPE?`, which also accepts null."""
    return ValueType(f"{inner.name}?", lambda value: value is None or inner.accepts(value), inner)


def regex_test(pattern: str) -> Test:
    """Return a test that matches from the start of the string, but not to its end (spec 002).

    It raises `PatternRefused` for patterns that take too long.
    """
    compiled = compile_pattern(pattern)
    slow: list[PatternRefusedError] = []

    def test(value: object) -> bool:
        if not isinstance(value, str):
            return isinstance(value, _LATE)
        if slow and not is_cheap(compiled, value):
            raise slow[0]  # one text took all the time there is; a loop may bring thousands of them
        try:
            return matches_start(compiled, value)
        except PatternRefusedError as problem:
            slow.append(problem)
            raise

    return test


_FEW: Final = 8


def format_value(value: object) -> str:
    """Return a value for a message, shortened to 60 characters."""
    if value is None:
        return "null"
    if value is True or value is False:
        return str(value).lower()
    if isinstance(value, list) and len(value) <= _FEW:
        text = f"[{', '.join(map(format_value, value))}]"
    else:
        text = without_addresses(repr(value)).replace("__config__::", "")
    return text if len(text) <= 60 else text[:57] + "…"
