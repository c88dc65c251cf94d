"""Which overloads a call can mean, found once when it is compiled.

From the shape of a call (how many arguments, which are left out, which keywords) follows, for each overload, where every
argument goes. What remains for run time is to compare the kinds of the values with those of the parameters.

Calls whose arguments are values already: operators on rarer kinds, `call(name, …)`, functions that use others.

The overloads that fit a number of arguments and a set of keywords are kept, so a second call only compares kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from sabir.expressions.yaql.compile.arguments import accepts_value, find_converter
from sabir.expressions.yaql.errors import NoMatch, UnknownName
from sabir.expressions.yaql.functions import MISSING, LazyKind, Library, Overload, YaqlParameter, call_title
from sabir.expressions.yaql.kinds import KINDS, NULL, describe_kind
from sabir.expressions.yaql.limits import YaqlLimits
from sabir.expressions.yaql.nodes import Literal, Node, OmittedArgument, Rule, Word
from sabir.expressions.yaql.scope import Lambda, Variables, function_key


class CallShape(Struct, frozen=True, eq=False):
    """Arguments as written. The receiver of a method call is the first of them; it has no node (None)."""

    positional: tuple[Node | None, ...]
    named: tuple[tuple[str, Node], ...]


class Slot(Struct, frozen=True, eq=False):
    """Where one Python argument comes from."""

    source: int | None  # index of the argument (named ones after positional ones); None: the default
    parameter: YaqlParameter


class Binding(Struct, frozen=True, eq=False):
    overload: Overload
    slots: tuple[Slot, ...]  # for the parameters, then for *args
    keywords: tuple[tuple[str, Slot], ...]  # for keyword-only parameters and **kwargs

    def lazy(self) -> frozenset[int]:
        """The arguments this overload wants unevaluated."""
        every = (*self.slots, *(slot for _, slot in self.keywords))
        return frozenset(
            slot.source
            for slot in every
            if slot.source is not None and isinstance(slot.parameter.kind, LazyKind)
        )


def bind_overload(overload: Overload, shape: CallShape) -> Binding | None:
    """How the arguments fall on the parameters of an overload, or None when they cannot."""
    named = {name: len(shape.positional) + index for index, (name, _) in enumerate(shape.named)}
    nodes = (*shape.positional, *(node for _, node in shape.named))
    slots: list[Slot] = []
    keywords: list[tuple[str, Slot]] = []
    given = len(shape.positional)
    count = _positional_count(overload)
    for index, parameter in enumerate(overload.parameters):
        source: int | None = None
        if index < given and index < count and type(shape.positional[index]) is not OmittedArgument:
            if parameter.name in named:
                return None
            source = index
        elif parameter.name in named:
            source = named.pop(parameter.name)
        elif parameter.default is MISSING:
            return None
        if index < count:
            slots.append(Slot(source, parameter))
        else:
            keywords.append((_python_name(overload, index), Slot(source, parameter)))
    if given > count:
        if overload.rest is None or any(type(node) is OmittedArgument for node in shape.positional[count:]):
            return None
        slots += [Slot(index, overload.rest) for index in range(count, given)]
    if named:
        if overload.keywords is None:
            return None
        keywords += [(name, Slot(source, overload.keywords)) for name, source in named.items()]
    binding = Binding(overload, tuple(slots), tuple(keywords))
    every = (*slots, *(slot for _, slot in keywords))
    if all(slot.source is None or _may_take(slot.parameter, nodes[slot.source]) for slot in every):
        return binding
    return None


def _positional_count(overload: Overload) -> int:
    return overload.function.__code__.co_argcount - len(overload.hidden)


def _python_name(overload: Overload, index: int) -> str:
    return overload.function.__code__.co_varnames[index + len(overload.hidden)]


def _may_take(parameter: YaqlParameter, node: Node | None) -> bool:
    """Whether a parameter can take an argument, as far as its text tells."""
    kind = parameter.kind
    if kind is LazyKind.KEYWORD:
        return type(node) is Word
    if kind is LazyKind.LAZY_RULE:
        return type(node) is Rule
    if type(node) in (Literal, Word) and isinstance(kind, int):
        assert isinstance(node, Literal | Word)
        return bool(KINDS[type(node.value)] & kind)
    return True


def order_by_specificity(bindings: Sequence[Binding]) -> tuple[Binding, ...]:
    """Most specific first, so that the first one that matches is the one to take."""
    result: list[Binding] = []
    for binding in bindings:
        at = next(
            (index for index, other in enumerate(result) if _is_more_specific(binding, other)), len(result)
        )
        result.insert(at, binding)
    return tuple(result)


def _is_more_specific(one: Binding, other: Binding) -> bool:
    kinds = {slot.source: slot.parameter.kind for slot in other.slots if slot.source is not None}
    better = False
    for slot in one.slots:
        if slot.source is None or slot.source not in kinds:
            continue
        mine, theirs = slot.parameter.kind, kinds[slot.source]
        if not isinstance(mine, int) or not isinstance(theirs, int):
            continue
        mine, theirs = mine & ~NULL, theirs & ~NULL
        if mine != theirs and mine & theirs == theirs:
            return False
        better = better or (mine != theirs and mine & theirs == mine)
    return better


class _Key(Struct, frozen=True):
    name: str
    is_method: bool
    count: int
    keywords: tuple[str, ...]


class Dispatcher:
    """Finds and calls overloads by the kinds of values."""

    def __init__(self, library: Library, limits: YaqlLimits, engine: object) -> None:
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
            kinds = " and ".join(describe_kind(value) for value in values)
            raise NoMatch(f"{call_title(name, is_method=False)} does not take {kinds}")
        offered = {"limits": self._limits, "engine": self._engine, "variables": {}}
        hidden = [offered[hidden_name] for hidden_name in binding.overload.hidden]
        function = partial(binding.overload.function, *hidden) if hidden else binding.overload.function
        converters = [find_converter(slot.parameter, self._limits) for slot in binding.slots]
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
            return defined.call_nested(values, named)
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
            kinds = ", ".join(describe_kind(value) for value in every)
            raise NoMatch(
                f"{call_title(key.name, is_method=key.is_method)} does not take {kinds or 'no arguments'}"
            )
        return self._limits.charge_value(self._invoke(binding, every, variables))

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
                order_by_specificity([hit for item in level if (hit := bind_overload(item, shape))])
                for level in levels
            ]
            bindings = self._bound[key] = tuple(binding for level in bound for binding in level)
        return bindings

    def _choose(self, bindings: tuple[Binding, ...], values: Sequence[Any]) -> Binding | None:
        for binding in bindings:
            every = (*binding.slots, *(slot for _, slot in binding.keywords))
            if all(
                slot.source is None
                or isinstance(slot.parameter.kind, LazyKind)
                or accepts_value(slot.parameter.kind, values[slot.source])
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
        if slot.parameter.kind is LazyKind.LAMBDA:
            return self._as_lambda(value)
        convert = find_converter(slot.parameter, self._limits)
        return value if convert is None else convert(value)

    def _as_lambda(self, value: Any) -> Lambda | None:
        if value is None or isinstance(value, Lambda):
            return value
        return Lambda(lambda _variables: value, {}, self._limits)
