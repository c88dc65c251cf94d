"""Functions a model can call: plug-ins of its modules, ours, and the casts of the language."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sabir.graph.values import Unknown
from sabir.languages.inmanta.check.types import PRIMITIVES, ValueType

__all__ = ["CASTS", "Function", "Functions", "Parameter"]


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: ValueType
    required: bool
    kind: Any


@dataclass(slots=True, eq=False)
class Function:
    """A function: `call` takes Python arguments; `context` when its first parameter is the call's context."""

    name: str
    call: Callable[..., Any]
    parameters: tuple[Parameter, ...] = ()
    returns: ValueType | None = None
    context: bool = False
    allow_unknown: bool = False
    ours: bool = False
    refused: bool = False
    deprecated: str | None = None
    variadic: bool = False
    keywords: bool = False
    positional: tuple[Parameter, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.positional = tuple(
            one for one in self.parameters if one.kind is not inspect.Parameter.KEYWORD_ONLY
        )


class Functions:
    """All functions by their full name, `module::name`."""

    def __init__(self) -> None:
        self.by_name: dict[str, Function] = {}

    def add(self, function: Function) -> None:
        self.by_name[function.name] = function

    def names(self) -> list[str]:
        return list(self.by_name)


def _cast_int(value: Any) -> Any:
    if isinstance(value, str | int | float):
        return int(value)
    raise TypeError


def _cast_float(value: Any) -> Any:
    if isinstance(value, str | int | float):
        return float(value)
    raise TypeError


def _cast_number(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            return float(value)
    if isinstance(value, int | float):
        return value
    raise TypeError


def _cast_string(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise TypeError


def _cast_bool(value: Any) -> Any:
    if value is None:
        return False
    if isinstance(value, str):
        known = {"true": True, "1": True, "false": False, "0": False}.get(value.lower())
        if known is None:
            raise ValueError
        return known
    if isinstance(value, int | float):
        return bool(value)
    raise TypeError


CASTS: dict[str, Callable[[Any], Any]] = {
    "int": _cast_int,
    "float": _cast_float,
    "number": _cast_number,
    "string": _cast_string,
    "bool": _cast_bool,
}


def is_unknown(value: Any) -> bool:
    """Whether a value, or a part of it, is not known before deployment."""
    if isinstance(value, Unknown):
        return True
    if isinstance(value, list):
        return any(is_unknown(one) for one in value)
    if isinstance(value, dict):
        return any(is_unknown(one) for one in value.values())
    return False


ANY = PRIMITIVES["any"]
