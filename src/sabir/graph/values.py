"""What an attribute can hold: plain data, references to instances, sensitive values, values not known yet.

Things of Python that are no data: they cannot be written down, except by their place in memory.
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
    """An instance as a value, by its id."""

    id: str


class Sensitive(Struct, frozen=True):
    """A value that must never be shown: whoever writes values writes `<<REDACTED>>` for it, and so does `repr`."""

    value: Value

    def __str__(self) -> str:
        return REDACTED

    def __repr__(self) -> str:
        return f"Sensitive({REDACTED})"


class Unknown(Struct, frozen=True):
    """A value that is not known yet: it will be once something is deployed.

    Where it has a name, the value can be filled in later, wherever it stands by then.
    """

    of: str | None = None
    """The attribute it stands for, as the text of an address: `web|public_address`."""
    why: str | None = None
    """Why it is not known yet, in a few words."""

    def __repr__(self) -> str:
        return "UNKNOWN" if self.of is None else f"UNKNOWN({self.of})"


UNKNOWN: Final = Unknown()

Value = Union[PlainScalar, Ref, Sensitive, Unknown, Sequence["Value"], Mapping[str, "Value"]]


def find_unknowns(value: Value) -> Iterator[Unknown]:
    """Everything in a value that is not known yet."""
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
    """The attributes that a value waits for: the names of what is unknown in it."""
    return (unknown.of for unknown in find_unknowns(value) if unknown.of is not None)


def reveal_value(value: Value) -> Value:
    """The value without its mark, for those who have to use it."""
    while isinstance(value, Sensitive):
        value = value.value
    return value


def reveal_all(value: Any) -> Any:
    """The value without any mark in it, for a language that knows none."""
    value = reveal_value(value)
    if isinstance(value, Mapping):
        return {key: reveal_all(item) for key, item in value.items()}
    return [reveal_all(item) for item in value] if isinstance(value, list | tuple) else value


def with_inner(value: Value, change: Callable[[Value], Value]) -> Value:
    """The value with everything that is directly inside it changed; itself when it holds nothing."""
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
    """Whether two values are the same once they are used; lists and tuples, marked and not, do not differ."""
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
"""The ways to be shown that put an address into a text."""


def no_data(value: Any) -> str | None:
    """What the value is, when it is no data: `a function`, `an iterator` …"""
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
    """The same for a value with everything that is in it, as often as it may stand there or hold itself."""
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
