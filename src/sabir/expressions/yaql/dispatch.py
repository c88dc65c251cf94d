"""Calls whose arguments are values already: operators on rarer kinds, `call(name, …)`, functions that use others.

The overloads that fit a number of arguments and a set of keywords are kept, so a second call only compares kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from sabir.expressions.yaql.binding import Binding, CallShape, bind, order_by_specificity
from sabir.expressions.yaql.compile.arguments import accepts, converter
from sabir.expressions.yaql.errors import NoMatch, UnknownName
from sabir.expressions.yaql.functions import Lazy, Library, call_title
from sabir.expressions.yaql.kinds import describe
from sabir.expressions.yaql.limits import Limits
from sabir.expressions.yaql.scope import Lambda, Variables, function_key

__all__ = ["Dispatcher"]


class _Key(Struct, frozen=True):
    name: str
    is_method: bool
    count: int
    keywords: tuple[str, ...]


class Dispatcher:
    """Finds and calls overloads by the kinds of values."""

    def __init__(self, library: Library, limits: Limits, engine: object) -> None:
        self._library = library
        self._limits = limits
        self._engine = engine
        self._bound: dict[_Key, tuple[Binding, ...]] = {}
        self._operators: dict[tuple[str, type, type], Callable[[Any, Any], Any]] = {}

    def binary(self, name: str, first: Any, second: Any) -> Any:
        """A binary operator; the name as `binary_name` makes it."""
        operator = self._operators.get((name, type(first), type(second)))
        if operator is None:
            operator = self._operators[name, type(first), type(second)] = self._operator(name, first, second)
        return operator(first, second)

    def unary(self, name: str, value: Any) -> Any:
        """A unary operator; the name as `unary_name` makes it."""
        return self._operator(name, value)(value)

    def _operator(self, name: str, *values: Any) -> Callable[..., Any]:
        """The function for values of these types. What a value is follows from its type alone, so it holds for all."""
        binding = self._choose(
            self._bindings(_Key(name, is_method=False, count=len(values), keywords=())), values
        )
        if binding is None:
            kinds = " and ".join(describe(value) for value in values)
            raise NoMatch(f"{call_title(name, is_method=False)} does not take {kinds}")
        offered = {"limits": self._limits, "engine": self._engine, "variables": {}}
        hidden = [offered[hidden_name] for hidden_name in binding.overload.hidden]
        function = partial(binding.overload.function, *hidden) if hidden else binding.overload.function
        converters = [converter(slot.parameter, self._limits) for slot in binding.slots]
        if not any(converters):
            return function
        return lambda *arguments: function(
            *[
                value if convert is None else convert(value)
                for value, convert in zip(arguments, converters, strict=True)
            ]
        )

    def call(self, name: str, values: Sequence[Any], named: Mapping[str, Any], variables: Variables) -> Any:
        """A function, one made by `def` first."""
        defined = variables.get(function_key(name))
        if isinstance(defined, Lambda):
            return defined.nested(values, named)
        return self._call(
            _Key(name, is_method=False, count=len(values), keywords=tuple(named)), values, named, variables
        )

    def call_method(
        self, name: str, values: Sequence[Any], named: Mapping[str, Any], variables: Variables
    ) -> Any:
        """A method; the first value is its receiver."""
        return self._call(
            _Key(name, is_method=True, count=len(values), keywords=tuple(named)), values, named, variables
        )

    def _call(self, key: _Key, values: Sequence[Any], named: Mapping[str, Any], variables: Variables) -> Any:
        bindings = self._bindings(key)
        kind = "method" if key.is_method else "function"
        every = (*values, *named.values())
        binding = self._choose(bindings, every)
        if binding is None:
            if not any(True for _ in self._library.levels(key.name)):
                raise UnknownName(f"there is no {kind} `{key.name}`")
            kinds = ", ".join(describe(value) for value in every)
            raise NoMatch(
                f"{call_title(key.name, is_method=key.is_method)} does not take {kinds or 'no arguments'}"
            )
        return self._limits.made(self._invoke(binding, every, variables))

    def _bindings(self, key: _Key) -> tuple[Binding, ...]:
        bindings = self._bound.get(key)
        if bindings is None:
            nothing: Any = None  # the arguments have no nodes
            shape = CallShape((nothing,) * key.count, tuple((name, nothing) for name in key.keywords))
            levels = [
                [item for item in level if (item.is_method if key.is_method else item.is_function)]
                for level in self._library.levels(key.name)
            ]
            bound = [
                order_by_specificity([hit for item in level if (hit := bind(item, shape))])
                for level in levels
            ]
            bindings = self._bound[key] = tuple(binding for level in bound for binding in level)
        return bindings

    def _choose(self, bindings: tuple[Binding, ...], values: Sequence[Any]) -> Binding | None:
        for binding in bindings:
            every = (*binding.slots, *(slot for _, slot in binding.keywords))
            if all(
                slot.source is None
                or isinstance(slot.parameter.kind, Lazy)
                or accepts(slot.parameter.kind, values[slot.source])
                for slot in every
            ):
                return binding
        return None

    def _invoke(self, binding: Binding, values: Sequence[Any], variables: Variables) -> Any:
        offered = {"limits": self._limits, "engine": self._engine, "variables": variables}
        hidden = [offered[name] for name in binding.overload.hidden]
        positional = [self._value(slot, values) for slot in binding.slots]
        named = {name: self._value(slot, values) for name, slot in binding.keywords}
        function: Callable[..., Any] = binding.overload.function
        return function(*hidden, *positional, **named)

    def _value(self, slot: Any, values: Sequence[Any]) -> Any:
        if slot.source is None:
            return slot.parameter.default
        value = values[slot.source]
        if slot.parameter.kind is Lazy.LAMBDA:
            return self._as_lambda(value)
        convert = converter(slot.parameter, self._limits)
        return value if convert is None else convert(value)

    def _as_lambda(self, value: Any) -> Lambda | None:
        if value is None or isinstance(value, Lambda):
            return value
        return Lambda(lambda _variables: value, {}, self._limits)
