"""YAQL functions that only some embedders declare: `format`, and the forms of YAQL 0.2.

YAQL 3 dropped `format` because its templates could reach attributes of host objects, but MuranoPL needs it. This one only
inserts values: a placeholder names an argument by position or keyword and may have a format; `{0.x}` and `{0[x]}` are rejected.

The forms of YAQL 0.2 are for `Dialect.LEGACY`, where `=>` is an operator that creates a pair.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any, Final

from sabir.expressions.yaql.errors import YaqlRuntimeError
from sabir.expressions.yaql.functions import LAMBDA, Library
from sabir.expressions.yaql.kinds import (
    ANY,
    BOOL,
    DATETIME,
    INT,
    ITERABLE,
    KINDS,
    NULL,
    NUMBER,
    SEQUENCE,
    STRING,
)
from sabir.expressions.yaql.library.queries import where
from sabir.expressions.yaql.limits import YaqlLimits
from sabir.expressions.yaql.scope import Lambda, Variables, YaqlScope, variable_key
from sabir.expressions.yaql.values import plain_text, to_hashable
from sabir.lazy import lazy_pattern

_CONVERSIONS = {"r": repr, "s": str, "a": ascii, None: None}

_part: Final = lazy_pattern(r"\{\{|\}\}|\{([^{}!:]*)(?:!([rsa]))?(?::((?:[^{}]|\{[^{}]*\})*))?\}|[{}]")
_digits: Final = lazy_pattern(r"\d+")


def declare_format(library: Library) -> None:
    """Add `format(template, …)` and `template.format(…)` to a library."""

    @library.extension("format", STRING)
    def format_(limits: YaqlLimits, template: str, /, *args: Any, **kwargs: Any) -> str:
        return format_values(limits, template, args, kwargs)


def format_values(limits: YaqlLimits, template: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return the template with its placeholders replaced by the arguments.

    Raises `YaqlRuntimeError` for an unknown argument, a single brace, or a placeholder that selects a part of a value.
    """
    return _Template(limits, args, kwargs).fill(template)


class _Template:
    def __init__(self, limits: YaqlLimits, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._limits = limits
        self._args = args
        self._kwargs = kwargs
        self._next = 0
        self._size = 0

    def fill(self, template: str) -> str:
        return _part().sub(self._part, template)

    def _part(self, match: re.Match[str]) -> str:
        text = match.group()
        if text in ("{{", "}}"):
            return text[0]
        if text in ("{", "}"):
            raise YaqlRuntimeError(
                f"a single `{text}` in the template; write `{text}{text}` for the character itself"
            )
        name, conversion, form = match.group(1), match.group(2), match.group(3) or ""
        written = self._format_value(self._value(name), _CONVERSIONS[conversion], self.fill(form))
        self._size += len(written)
        self._limits.check_bits(self._size * 8)
        return written

    def _value(self, name: str) -> Any:
        name = name.strip()
        if "." in name or "[" in name:
            raise YaqlRuntimeError(
                f"the placeholder `{{{name}}}` looks into a value; `format` only inserts values"
            )
        if not name:
            name = str(self._next)
            self._next += 1
        if name.isdecimal():
            if int(name) >= len(self._args):
                raise YaqlRuntimeError(f"there is no argument for the placeholder `{{{name}}}`")
            return self._args[int(name)]
        if name not in self._kwargs:
            raise YaqlRuntimeError(f"there is no argument for the placeholder `{{{name}}}`")
        return self._kwargs[name]

    def _format_value(self, value: Any, convert: Any, form: str) -> str:
        if KINDS[type(value)] & ~(NUMBER | STRING | BOOL | NULL | DATETIME):
            value = plain_text(value, self._limits)
        if convert is not None:
            value = convert(value)
        for digits in _digits().findall(form):  # a width is reserved before anything is written
            self._limits.check_bits(int(digits[:20]) * 8)
        return format(value, form) if form else str(value)


_EITHER_WAY = ("get", "list", "bool", "int", "float", "select", "where", "join", "sum", "takeWhile")


def declare_legacy(library: Library) -> None:
    """Add the forms of YAQL 0.2 to a library; some hide the current functions of the same name."""
    library.function("tuple")(build_tuple)
    library.extension("dict", tuple, rules=True)(dict_of_tuples)
    library.function("#map", tuple, rules=True)(dict_of_tuples)
    library.function("#index", ITERABLE, LAMBDA)(item_or_items)
    library.extension("range", INT, INT | NULL)(range_from)
    library.extension("switch", ANY, LAMBDA, rules=True)(switch)
    library.method("as", ANY, LAMBDA, rules=True)(bind_names)
    library.hide_parents("#index", "switch", "#map")
    for name in _EITHER_WAY:
        library.as_extension(name)


def build_tuple(*args: Any) -> tuple[Any, ...]:
    """Return the arguments as a tuple; the implementation of the operator `=>`."""
    return args


def dict_of_tuples(limits: YaqlLimits, *tuples: Sequence[Any]) -> dict[Any, Any]:
    """Build a dictionary from pairs that `=>` created."""
    return {to_hashable(pair[0], limits): pair[1] for pair in tuples}


def item_or_items(collection: Iterable[Any], index_expression: Lambda) -> Any:
    """Return one item for an index, `$[1]`, or all items that meet a condition, `$[$ > 1]`."""
    if KINDS[type(collection)] == SEQUENCE:
        assert isinstance(collection, Sequence)
        index = _evaluate_index(index_expression)
        if isinstance(index, int) and not isinstance(index, bool):
            return collection[index]
    return where(collection, index_expression)


def _evaluate_index(expression: Lambda) -> Any:
    try:
        return expression()
    except YaqlRuntimeError:  # a condition on the items may fail outside of them
        return None


def range_from(start: int, stop: int | None = None) -> Iterator[int]:
    """Iterate over integers from `start`, without end if there is no `stop`."""
    return count(start) if stop is None else iter(range(start, stop))


def switch(value: Any, *conditions: Lambda) -> Any:
    """Return the value of the first pair that holds: `$.switch($ > 1 => a, true => b)`."""
    for condition in conditions:
        holds, result = _require_pair(condition(value), "switch")
        if holds:
            return result
    return None


def bind_names(variables: Variables, receiver: Any, *mappings: Lambda) -> YaqlScope:
    """Return a scope with names for values, `$.as($ => x)`.

    An expression after the dot applies to the receiver.
    """
    named = variables.copy()
    for mapping in mappings:
        value, name = _require_pair(mapping(receiver), "as")
        named[variable_key(name)] = value
    named["0"] = receiver
    return YaqlScope(named)


def _require_pair(value: Any, where_from: str) -> tuple[Any, Any]:
    if not isinstance(value, tuple) or len(value) != 2:
        raise YaqlRuntimeError(f"`{where_from}` takes pairs `a => b`")
    return value
