"""Attribute values: plain data, references to instances, sensitive values, unknown values.

It also recognizes Python objects that are not data (functions, iterators): their only text is an address in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType, MethodWrapperType
from typing import Any, Final, Union

from msgspec import Struct

from sabir.text import REDACTED

PlainScalar = str | int | float | bool | bytes | date | datetime | None


class Ref(Struct, frozen=True):
    """A reference to an instance, by its id."""

    id: str


class Sensitive(Struct, frozen=True):
    """A value that must never be shown: it is written as `<<REDACTED>>`, also by `repr`."""

    value: Value

    def __str__(self) -> str:
        return REDACTED

    def __repr__(self) -> str:
        return f"Sensitive({REDACTED})"


class Unknown(Struct, frozen=True):
    """A value that is known only after something is deployed.

    If it has a name (`of`), the value can be filled in later, wherever the unknown was passed to.
    """

    of: str | None = None
    """The attribute it stands for, as the text of an address: `web|public_address`."""
    why: str | None = None
    """Why it is unknown, in a few words."""

    def __repr__(self) -> str:
        return "UNKNOWN" if self.of is None else f"UNKNOWN({self.of})"


UNKNOWN: Final = Unknown()

Value = Union[PlainScalar, Ref, Sensitive, Unknown, Sequence["Value"], Mapping[str, "Value"]]


def find_unknowns(value: Value) -> Iterator[Unknown]:
    """Yield all unknown values inside a value."""
    match value:
        case str() | int() | float() | bytes() | None:
            return
        case Unknown():
            yield value
        case Sensitive(value=inner):
            yield from find_unknowns(inner)
        case Mapping():
            for item in value.values():
                yield from find_unknowns(item)
        case list() | tuple():
            for item in value:
                yield from find_unknowns(item)
        case _:
            return


def find_unknown_names(value: Value) -> Iterator[str]:
    """Yield the addresses of the attributes that a value depends on and that are unknown."""
    return (unknown.of for unknown in find_unknowns(value) if unknown.of is not None)


def reveal_value(value: Value) -> Value:
    """Return the value without its sensitive mark, for code that has to use it. Inner marks stay."""
    while isinstance(value, Sensitive):
        value = value.value
    return value


def reveal_all(value: Any) -> Any:
    """Return the value without any sensitive mark, for a language that has none."""
    value = reveal_value(value)
    if isinstance(value, Mapping):
        return {key: reveal_all(item) for key, item in value.items()}
    return [reveal_all(item) for item in value] if isinstance(value, list | tuple) else value


def with_inner(value: Value, change: Callable[[Value], Value]) -> Value:
    """Return the value with `change` applied to everything directly inside it; the value itself when it is a scalar."""
    match value:
        case str() | int() | float() | bytes() | None:
            return value
        case Sensitive(value=inner):
            return Sensitive(change(inner))
        case Mapping():
            return {key: change(item) for key, item in value.items()}
        case list() | tuple():
            return [change(item) for item in value]
        case _:
            return value


def same_value(left: Any, right: Any) -> bool:
    """Return whether two values are the same in use: lists equal tuples, sensitive values equal plain ones."""
    left, right = reveal_value(left), reveal_value(right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same_value(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(same_value, left, right))
    if isinstance(left, bool) is not isinstance(right, bool):
        return False
    return bool(left == right)


_PLAIN: Final = frozenset({str, int, float, bool, type(None), bytes})
_FUNCTIONS: Final = (FunctionType, BuiltinFunctionType, MethodType, MethodWrapperType)
_NAMELESS: Final[frozenset[Any]] = frozenset(
    kind.__repr__ for kind in (object, GeneratorType, FunctionType, BuiltinFunctionType, MethodType)
)
"""The implementations of `__repr__` that write a memory address."""


def no_data(value: Any) -> str | None:
    """Return what the value is when it is not data (`a function`, `an iterator` …), else None."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return None
    if isinstance(value, _FUNCTIONS):
        return "a function"
    if isinstance(value, type):
        return "a class"
    if kind.__str__ is not object.__str__ or kind.__repr__ not in _NAMELESS:
        return None
    return "an iterator" if isinstance(value, Iterator) else f"an object of Python ({kind.__name__})"


def no_data_within(value: Any) -> str | None:
    """Return the same as `no_data` for a value or anything inside it; values may be shared or contain themselves."""
    if type(value) in _PLAIN:
        return None
    waiting, seen = [value], set[int]()
    while waiting:
        part: Any = waiting.pop()
        if isinstance(part, list | tuple | dict):
            if type(part) is list and _PLAIN.issuperset(map(type, part)):
                continue
            if id(part) not in seen:  # pyright: ignore[reportUnknownArgumentType]
                seen.add(id(part))  # pyright: ignore[reportUnknownArgumentType]
                waiting += [*part, *part.values()] if isinstance(part, dict) else part
        else:
            kind = no_data(part)
            if kind is not None:
                return kind
    return None
