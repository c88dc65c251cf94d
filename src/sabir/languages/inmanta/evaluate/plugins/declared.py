"""What a Python function declares: its parameters, their defaults and annotations.

As `inspect.signature` tells it, but read from the function itself: importing `inspect` takes longer than everything else
that a small model needs, and `std` alone has eighty functions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any, Final

from msgspec import Struct

from sabir.session import Session

__all__ = ["ABSENT", "Declared", "DeclaredParameter", "asks_for_session", "declared_by", "with_session"]

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


def asks_for_session(function: Callable[..., Any]) -> bool:
    """Whether the first parameter of a function of ours is the session: what it answers depends on the surroundings."""
    return "Session" in getattr(function, "__annotations__", {}).values()


def with_session(function: Callable[..., Any], session: Session) -> Callable[..., Any]:
    return partial(function, session) if asks_for_session(function) else function


def _inspected(function: Callable[..., Any]) -> Declared:
    """The same of whatever else can be called: an object, a partial function."""
    import inspect

    signature = inspect.signature(function)
    every = signature.parameters.values()
    kinds = {parameter.kind for parameter in every}

    def present(value: Any) -> Any:
        return ABSENT if value is inspect.Parameter.empty else value

    return Declared(
        tuple(
            DeclaredParameter(
                parameter.name,
                present(parameter.annotation),
                present(parameter.default),
                parameter.kind is inspect.Parameter.KEYWORD_ONLY,
            )
            for parameter in every
            if parameter.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        ),
        variadic=inspect.Parameter.VAR_POSITIONAL in kinds,
        keywords=inspect.Parameter.VAR_KEYWORD in kinds,
        returned=present(signature.return_annotation),
    )
