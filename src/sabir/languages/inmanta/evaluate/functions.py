"""Functions a model can call: plugins of its modules, bundled functions, and casts of the language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.operators import format_interpolated
from sabir.languages.inmanta.evaluate.values import ModelInstance
from sabir.languages.inmanta.model.types import ValueType
from sabir.text import Source

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.plugins.api import Registry


_KNOWN: Final = frozenset({str, int, float, bool, type(None), ModelInstance})
"""Kinds of values that are known and have no parts: nearly all there are, told by a look at their type."""


class PluginParameter(Struct, frozen=True, eq=False):
    """A parameter of a function, with its type and whether it accepts references."""

    name: str
    type: ValueType
    required: bool
    keyword_only: bool = False
    references: bool = False
    """Whether it says that it takes what only deployment looks up."""


class PluginFunction(Struct, frozen=True, eq=False, dict=True):
    """A callable function. `context` is set if its first parameter is the context of the call."""

    name: str
    call: Callable[..., Any]
    parameters: tuple[PluginParameter, ...] = ()
    returns: ValueType | None = None
    context: bool = False
    allow_unknown: bool = False
    gives_objects: bool = False
    """Whether what it answers may hold objects of data classes."""
    foreign: bool = False
    """Whether it sees values through views, which tell it when it reads what is not known."""
    refused: bool = False
    deprecated: str | None = None
    variadic: PluginParameter | None = None
    """What takes the values beyond the others, each of which is of its type."""
    keywords: PluginParameter | None = None
    """The same for names."""

    @cached_property
    def positional(self) -> tuple[PluginParameter, ...]:
        return tuple(parameter for parameter in self.parameters if not parameter.keyword_only)


class Functions:
    """All functions by full name, `module::name`. Functions that are never called are never built."""

    def __init__(self, sources: Mapping[str, Source] | None = None, registry: Registry | None = None) -> None:
        self.sources: Mapping[str, Source] = {} if sources is None else sources
        """The texts of loaded plug-ins by the names that their code objects carry."""
        self.registry = registry
        self._functions: dict[str, PluginFunction | Callable[[], PluginFunction]] = {}
        self._open: dict[str, Callable[[str], PluginFunction]] = {}

    def add(self, name: str, function: PluginFunction | Callable[[], PluginFunction]) -> None:
        """Add a function, or a factory that is called on first use."""
        self._functions[name] = function

    def add_open_module(self, module: str, make: Callable[[str], PluginFunction]) -> None:
        """Add a module that may have functions of any name, with the factory that creates them."""
        self._open[module] = make

    def get(self, name: str) -> PluginFunction | None:
        entry = self._functions.get(name)
        if entry is None and (make := self._open.get(name.partition("::")[0])) is not None:
            entry = self._functions[name] = make(name)
        if entry is None or isinstance(entry, PluginFunction):
            return entry
        function = self._functions[name] = entry()
        return function

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def __contains__(self, name: object) -> bool:
        return name in self._functions or (isinstance(name, str) and name.partition("::")[0] in self._open)


def _cast_int(value: Any) -> Any:
    if isinstance(value, str | int | float):
        return int(value)
    raise TypeError


def _cast_float(value: Any) -> Any:
    if isinstance(value, str | int | float):
        return float(value)
    raise TypeError


def _cast_number(value: Any) -> Any:
    if isinstance(value, float):
        return value
    if isinstance(value, int):
        return int(value)  # of true and false, too
    if isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            return float(value)
    raise TypeError


def _cast_string(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, str | int | float | list | dict):
        return format_interpolated(value)
    raise TypeError


def _cast_bool(value: Any) -> Any:
    if value is None:
        return False
    if isinstance(value, str | int | float | list | dict):
        return bool(value)  # any text but the empty one is true, as the existing engine has it
    raise TypeError


CASTS: dict[str, Callable[[Any], Any]] = {
    "int": _cast_int,
    "float": _cast_float,
    "number": _cast_number,
    "string": _cast_string,
    "bool": _cast_bool,
}


def is_blocked_by(function: PluginFunction, value: Any) -> bool:
    """Return whether this value is unknown, so that the function is not called at all."""
    if function.allow_unknown:
        return False
    return isinstance(value, Unknown) if function.foreign else is_unknown(value)


def is_unknown(value: Any) -> bool:
    """Return whether a value, or a part of it, is not known before deployment."""
    if type(value) in _KNOWN:
        return False
    if isinstance(value, Unknown):
        return True
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return False
    return not _KNOWN.issuperset(map(type, value)) and any(map(is_unknown, value))
