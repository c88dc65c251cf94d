"""What a Python function declares: its parameters, their defaults and annotations.

As `inspect.signature` tells it, but read from the function itself: importing `inspect` takes longer than everything else
that a small model needs, and `std` alone has eighty functions.
"""

from __future__ import annotations

import sys
import typing
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any, Final

from msgspec import Struct

from sabir.session import Session

__all__ = [
    "ABSENT",
    "TYPE_ALIASES",
    "Declared",
    "DeclaredParameter",
    "ModelType",
    "asks_for_session",
    "declared_by",
    "resolve_alias",
    "with_session",
]

if sys.version_info >= (3, 12):
    TYPE_ALIASES: Final[tuple[type[Any], ...]] = (typing.TypeAliasType,)
else:
    TYPE_ALIASES: Final[tuple[type[Any], ...]] = ()
"""Classes of what `type Name = …` creates. Older versions of Python have no such statement."""
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


class ModelType:
    """`Annotated[Any, ModelType["std::port"]]`: a type of the language in an annotation."""

    def __init__(self, model_type: str) -> None:
        self.model_type = model_type

    def __class_getitem__(cls, model_type: str) -> ModelType:
        return cls(model_type)


class Declared(Struct, frozen=True):
    parameters: tuple[DeclaredParameter, ...]
    """Without `*args` and `**kwargs`."""
    variadic: DeclaredParameter | None
    """`*args`, of which each value is as its annotation says."""
    keywords: DeclaredParameter | None
    """`**kwargs`"""
    returned: Any

    @property
    def everything(self) -> tuple[DeclaredParameter, ...]:
        return (*self.parameters, *filter(None, (self.variadic, self.keywords)))


def resolve_alias(annotation: Any) -> Any:
    """Return the type that an alias stands for, or the annotation itself if it is not an alias."""
    while isinstance(annotation, TYPE_ALIASES):
        annotation = annotation.__value__
    return annotation


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
    rest = iter(code.co_varnames[count + more :])

    def collecting(flag: int) -> DeclaredParameter | None:
        name = next(rest) if code.co_flags & flag else None
        return None if name is None else DeclaredParameter(name, annotations.get(name, ABSENT), ABSENT, False)

    return Declared(
        tuple(parameters),
        variadic=collecting(_VARIADIC),
        keywords=collecting(_KEYWORDS),
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
    kinds = inspect.Parameter

    def present(value: Any) -> Any:
        return ABSENT if value is kinds.empty else value

    by_kind: dict[Any, list[DeclaredParameter]] = {}
    for parameter in signature.parameters.values():
        only_by_name = parameter.kind is kinds.KEYWORD_ONLY
        declared = DeclaredParameter(
            parameter.name, present(parameter.annotation), present(parameter.default), only_by_name
        )
        collects = parameter.kind in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)
        by_kind.setdefault(parameter.kind if collects else None, []).append(declared)
    return Declared(
        tuple(by_kind.get(None, ())),
        variadic=next(iter(by_kind.get(kinds.VAR_POSITIONAL, ())), None),
        keywords=next(iter(by_kind.get(kinds.VAR_KEYWORD, ())), None),
        returned=present(signature.return_annotation),
    )
