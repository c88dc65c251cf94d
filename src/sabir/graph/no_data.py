"""Things of Python that are no data: they cannot be written down, except by their place in memory."""

from __future__ import annotations

from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType, MethodWrapperType
from typing import Any, Final

__all__ = ["no_data", "no_data_within"]

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
