"""How functions are declared: overloads, their parameters, and libraries of them.

    library = Library()

    @library.method("shout", STRING)
    def shout(string: str, times: int = 1) -> str:
        return string.upper() + "!" * times

The kinds given to the decorator are those of the parameters in order; a parameter without one takes any value. Parameter
names are turned into camelCase for keyword arguments, a trailing underscore is dropped. Parameters named `limits`,
`variables` and `engine` at the front are not arguments: the engine passes its limits, the variables at the call, itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from sabir.expressions.yaql.kinds import ANY, ITERABLE, MAPPING, NULL


class LazyKind(Enum):
    """Parameters that take the argument as written rather than its value."""

    LAMBDA = "lambda"  # callable; null when left out
    KEYWORD = "keyword"  # a bare word, given as a string
    LAZY_RULE = "rule"  # `a => b`, both sides callable
    EXPRESSION = "expression"  # the syntax node


LAMBDA, KEYWORD, LAZY_RULE, EXPRESSION = (
    LazyKind.LAMBDA,
    LazyKind.KEYWORD,
    LazyKind.LAZY_RULE,
    LazyKind.EXPRESSION,
)
Kind = int | LazyKind | type


class _Missing(Enum):
    MISSING = "missing"


MISSING: Final = _Missing.MISSING
_HIDDEN = frozenset(("limits", "variables", "engine"))
F = TypeVar("F", bound=Callable[..., Any])


class YaqlParameter(Struct, frozen=True, eq=False):
    name: str  # as keyword arguments spell it
    kind: Kind
    default: Any  # MISSING when an argument is required


class Overload(Struct, frozen=True, eq=False):
    """One Python function under one YAQL name."""

    name: str
    function: Callable[..., Any]
    hidden: tuple[str, ...]
    parameters: tuple[YaqlParameter, ...]
    rest: YaqlParameter | None  # *args
    keywords: YaqlParameter | None  # **kwargs
    is_function: bool
    is_method: bool
    rules: bool  # takes `a => b` as values rather than as keyword arguments


def camel_case(name: str) -> str:
    first, *others = name.rstrip("_").split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


class Library:
    """Overloads by name. A library on top of another is asked first; its overloads win where they match."""

    def __init__(self, parent: Library | None = None) -> None:
        self.parent = parent
        self._overloads: dict[str, list[Overload]] = {}
        self._hiding: set[str] = set()
        self._properties: dict[str, list[tuple[int, Callable[[Any], Any]]]] = {}

    @classmethod
    def of(cls, *parts: Library) -> Library:
        """One library with the functions of several tables, in their order. The tables themselves stay as they are."""
        whole = cls()
        for part in parts:
            for name, overloads in part._overloads.items():
                whole._overloads.setdefault(name, []).extend(overloads)
            for name, getters in part._properties.items():
                whole._properties.setdefault(name, []).extend(getters)
        return whole

    def function(self, name: str, *kinds: Kind, rules: bool = False) -> Callable[[F], F]:
        """Called as `name(…)` only."""
        return self._declare(name, kinds, rules=rules, is_function=True)

    def method(self, name: str, *kinds: Kind, rules: bool = False) -> Callable[[F], F]:
        """Called as `value.name(…)` only."""
        return self._declare(name, kinds, rules=rules, is_method=True)

    def extension(self, name: str, *kinds: Kind, rules: bool = False) -> Callable[[F], F]:
        """Called either way."""
        return self._declare(name, kinds, rules=rules, is_function=True, is_method=True)

    def operator(self, symbol: str, *kinds: Kind) -> Callable[[F], F]:
        """A binary operator."""
        return self._declare(binary_name(symbol), kinds, is_function=True)

    def add_ordering(self, kind: Kind) -> None:
        """`<`, `<=`, `>` and `>=` between values of a kind, as Python compares them."""

        @self.operator("<", kind, kind)
        def less(left: Any, right: Any) -> Any:
            return left < right

        @self.operator("<=", kind, kind)
        def at_most(left: Any, right: Any) -> Any:
            return left <= right

        @self.operator(">", kind, kind)
        def greater(left: Any, right: Any) -> Any:
            return left > right

        @self.operator(">=", kind, kind)
        def at_least(left: Any, right: Any) -> Any:
            return left >= right

    def prefix(self, symbol: str, *kinds: Kind) -> Callable[[F], F]:
        """A unary operator."""
        return self._declare(unary_name(symbol), kinds, is_function=True)

    def property(self, name: str, kind: int) -> Callable[[F], F]:
        """`value.name` of values of a kind."""

        def declare(function: F) -> F:
            self._properties.setdefault(name, []).append((kind, function))
            return function

        return declare

    def add(self, overload: Overload) -> None:
        self._overloads.setdefault(overload.name, []).append(overload)

    def as_extension(self, name: str) -> None:
        """Lets what is a function or a method of this name be called either way (as MuranoPL 1.0 and 1.1 do)."""
        for level in list(self.levels(name)):
            for overload in level:
                if overload.is_function != overload.is_method:
                    self.add(replace(overload, is_function=True, is_method=True))

    def with_iterable_dicts(self) -> Library:
        """The same library, where whatever takes a list to go through also takes a dictionary, as its keys."""
        result = Library(self.parent.with_iterable_dicts() if self.parent else None)
        result._properties = self._properties
        result._hiding = self._hiding
        for overloads in self._overloads.values():
            for overload in overloads:
                result.add(_accept_dicts(overload))
        return result

    def hide_parents(self, *names: str) -> None:
        """For these names the libraries below are not asked."""
        self._hiding.update(names)

    def levels(self, name: str) -> Iterator[tuple[Overload, ...]]:
        """The overloads of a name, nearest library first."""
        library: Library | None = self
        while library is not None:
            overloads = library._overloads.get(name)
            if overloads:
                yield tuple(overloads)
            library = None if name in library._hiding else library.parent

    def property_getters(self, name: str) -> tuple[tuple[int, Callable[[Any], Any]], ...]:
        library: Library | None = self
        getters: list[tuple[int, Callable[[Any], Any]]] = []
        while library is not None:
            getters += library._properties.get(name, ())
            library = library.parent
        return tuple(getters)

    def names(self, *, methods: bool) -> set[str]:
        """All names that can be called as functions or, with `methods`, on a value."""
        names = {
            name
            for name, overloads in self._overloads.items()
            if any(item.is_method if methods else item.is_function for item in overloads)
        }
        return names | (self.parent.names(methods=methods) if self.parent else set())

    def _declare(
        self,
        name: str,
        kinds: Iterable[Kind],
        *,
        rules: bool = False,
        is_function: bool = False,
        is_method: bool = False,
    ) -> Callable[[F], F]:
        def declare(function: F) -> F:
            shape = _read_signature(function, tuple(kinds))
            self.add(Overload(name, function, *shape, is_function, is_method, rules))
            return function

        return declare


def binary_name(symbol: str) -> str:
    return f"#binary {symbol}"


def unary_name(symbol: str) -> str:
    return f"#unary {symbol}"


_Shape = tuple[tuple[str, ...], tuple[YaqlParameter, ...], YaqlParameter | None, YaqlParameter | None]


def _read_signature(function: Callable[..., Any], kinds: tuple[Kind, ...]) -> _Shape:
    # Read off the code object: `inspect.signature` takes fifty times as long, and every start would pay for it.
    code = function.__code__
    count = code.co_argcount
    names = code.co_varnames[:count]
    defaults = dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False))
    hidden = tuple(name for name in names if name in _HIDDEN)
    kinds_left = iter(kinds)
    parameters = tuple(
        _build_parameter(name, next(kinds_left, ANY), defaults.get(name, MISSING))
        for name in names
        if name not in _HIDDEN
    )
    only = code.co_varnames[count : count + code.co_kwonlyargcount]
    only_defaults = function.__kwdefaults__ or {}
    parameters += tuple(_build_parameter(name, ANY, only_defaults.get(name, MISSING)) for name in only)
    extra = list(code.co_varnames[count + code.co_kwonlyargcount :])
    rest = _build_parameter(extra.pop(0), next(kinds_left, ANY), MISSING) if code.co_flags & 0x04 else None
    keywords = (
        _build_parameter(extra.pop(0), next(kinds_left, ANY), MISSING) if code.co_flags & 0x08 else None
    )
    return hidden, parameters, rest, keywords


def _build_parameter(name: str, kind: Kind, default: Any) -> YaqlParameter:
    if isinstance(kind, int) and default is None:
        kind |= NULL
    return YaqlParameter(camel_case(name), kind, default)


def _accept_dicts(overload: Overload) -> Overload:
    def widened(parameter: YaqlParameter) -> YaqlParameter:
        return replace(parameter, kind=ITERABLE | MAPPING) if parameter.kind == ITERABLE else parameter

    parameters = tuple(map(widened, overload.parameters))
    return replace(overload, parameters=parameters, rest=overload.rest and widened(overload.rest))


_SYNTAX = {"#list": "a list", "#map": "a dictionary", "#index": "an index"}


def call_title(name: str, *, is_method: bool) -> str:
    """What a call is in words: "the method `split`", "the operator `+`"."""
    if not name.startswith("#"):
        return f"the {'method' if is_method else 'function'} `{name}`"
    return _SYNTAX.get(name) or f"the operator `{name.split(' ', 1)[1]}`"
