"""What a Python function declares: its parameters, their defaults and annotations.

As `inspect.signature` tells it, but read from the function itself: importing `inspect` takes longer than everything else
that a small model needs, and `std` alone has eighty functions.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

from msgspec import Struct

__all__ = ["ABSENT", "Declared", "DeclaredParameter", "declared_by"]

_VARIADIC: Final = 0x04
_KEYWORDS: Final = 0x08


class _Absent:
    def __repr__(self) -> str:
        return "<absent>"


ABSENT: Final = _Absent()
"""No default, or no annotation."""


class DeclaredParameter(Struct, frozen=True):
    name: str
    annotation: Any
    default: Any
    only_by_name: bool


class Declared(Struct, frozen=True):
    parameters: tuple[DeclaredParameter, ...]
    """Without `*args` and `**kwargs`."""
    variadic: bool
    keywords: bool
    returned: Any


def declared_by(function: Callable[..., Any]) -> Declared:
    """What a function declares; of one in a wrapper (`functools.wraps`), that of what is wrapped."""
    seen: set[int] = set()
    while id(function) not in seen:
        seen.add(id(function))
        function = getattr(function, "__wrapped__", function)
    if not isinstance(function, FunctionType) or hasattr(function, "__signature__"):
        return _inspected(function)
    code = function.__code__
    annotations = function.__annotations__
    defaults = function.__defaults__ or ()
    by_name = function.__kwdefaults__ or {}
    count, more = code.co_argcount, code.co_kwonlyargcount
    first = count - len(defaults)
    parameters = [
        DeclaredParameter(
            name, annotations.get(name, ABSENT), ABSENT if at < first else defaults[at - first], False
        )
        for at, name in enumerate(code.co_varnames[:count])
    ]
    parameters += (
        DeclaredParameter(name, annotations.get(name, ABSENT), by_name.get(name, ABSENT), True)
        for name in code.co_varnames[count : count + more]
    )
    return Declared(
        tuple(parameters),
        variadic=bool(code.co_flags & _VARIADIC),
        keywords=bool(code.co_flags & _KEYWORDS),
        returned=annotations.get("return", ABSENT),
    )


def _inspected(function: Callable[..., Any]) -> Declared:
    """The same of whatever else can be called: an object, a partial function."""
    import inspect

    signature = inspect.signature(function)
    every = signature.parameters.values()
    kinds = {one.kind for one in every}

    def given(value: Any) -> Any:
        return ABSENT if value is inspect.Parameter.empty else value

    return Declared(
        tuple(
            DeclaredParameter(
                one.name,
                given(one.annotation),
                given(one.default),
                one.kind is inspect.Parameter.KEYWORD_ONLY,
            )
            for one in every
            if one.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        ),
        variadic=inspect.Parameter.VAR_POSITIONAL in kinds,
        keywords=inspect.Parameter.VAR_KEYWORD in kinds,
        returned=given(signature.return_annotation),
    )
