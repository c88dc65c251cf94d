"""YAQL functions for variables, definitions, calls by name, assertions, booleans and branches.

Branches take lambdas, so that only the chosen one is evaluated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from sabir.expressions.yaql.errors import YaqlRuntimeError
from sabir.expressions.yaql.functions import LAMBDA, LAZY_RULE, Library
from sabir.expressions.yaql.kinds import ANY, INT, ITERABLE, ITERATOR, KINDS, MAPPING, SEQUENCE, STRING
from sabir.expressions.yaql.library.sequences import memorize_iterator
from sabir.expressions.yaql.limits import YaqlLimits
from sabir.expressions.yaql.scope import Lambda, Variables, YaqlRule, YaqlScope, function_key, variable_key
from sabir.lazy import lazy_pattern

if TYPE_CHECKING:
    from sabir.expressions.yaql.engine import Engine


FUNCTIONS = Library()


@FUNCTIONS.function("switch", LAZY_RULE, rules=True)
def switch(*args: YaqlRule) -> Any:
    """Return the value of the first rule `condition => value` that holds; null if none does."""
    for case in args:
        if case.source():
            return case.target()
    return None


@FUNCTIONS.function("selectCase", LAMBDA)
def select_case(*args: Lambda) -> int:
    """Return the index of the first condition that holds, or the number of conditions."""
    for index, condition in enumerate(args):
        if condition():
            return index
    return len(args)


@FUNCTIONS.function("selectAllCases", LAMBDA)
def select_all_cases(*args: Lambda) -> Iterator[int]:
    """Yield the indexes of all conditions that hold."""
    for index, condition in enumerate(args):
        if condition():
            yield index


@FUNCTIONS.function("examine", LAMBDA)
def examine(*args: Lambda) -> Iterator[bool]:
    """Yield for each condition whether it holds."""
    for condition in args:
        yield bool(condition())


@FUNCTIONS.method("switchCase", INT, LAMBDA)
def switch_case(case: int, *args: Lambda) -> Any:
    """Return the argument at the index; the last one if the index is out of range."""
    if not args:
        return None
    return args[case]() if 0 <= case < len(args) else args[-1]()


@FUNCTIONS.function("coalesce", LAMBDA)
def coalesce(*args: Lambda) -> Any:
    """Return the first argument that is not null; the others are not evaluated."""
    for choice in args:
        value = choice()
        if value is not None:
            return value
    return None


_keyword: Final = lazy_pattern(r"(?!__)\b[^\W\d]\w*\b")


def number_values(variables: Variables, values: Iterable[Any]) -> Variables:
    """Return a copy of the variables with `$1`, `$2` … set to the values."""
    result = variables.copy()
    for number, value in enumerate(values, 1):
        result[variable_key(str(number))] = value
    return result


@FUNCTIONS.method("unpack", ITERABLE, STRING)
def unpack(variables: Variables, sequence: Iterable[Any], *names: str) -> YaqlScope:
    """Return a scope with the items as variables of the given names, or as `$1`, `$2` …

    Raises `YaqlRuntimeError` if the numbers of items and names differ.
    """
    if not names:
        return YaqlScope(number_values(variables, sequence))
    items = list(islice(sequence, len(names) + 1))
    if len(items) != len(names):
        raise YaqlRuntimeError(f"cannot unpack {len(items)} items into {len(names)} names")
    return YaqlScope(
        {**variables, **{variable_key(name): item for name, item in zip(names, items, strict=True)}}
    )


@FUNCTIONS.function("with")
def with_values(variables: Variables, *args: Any) -> YaqlScope:
    """Return a scope with the arguments as `$1`, `$2` …"""
    return YaqlScope(number_values(variables, args))


@FUNCTIONS.function("let")
def let(variables: Variables, *args: Any, **kwargs: Any) -> YaqlScope:
    """Return a scope with positional arguments as `$1`, `$2` … and keywords by name."""
    result = number_values(variables, args)
    for name, value in kwargs.items():
        result[variable_key(name)] = value
    return YaqlScope(result)


@FUNCTIONS.function("def", STRING, LAMBDA)
def define_function(variables: Variables, name: str, func: Lambda) -> YaqlScope:
    """Return a scope in which `name` calls the lambda; the lambda can call itself."""
    function = func.fresh()
    key = function_key(name)
    function.variables[key] = function  # so that it can call itself
    return YaqlScope({**variables, key: function})


@FUNCTIONS.method("assert", ANY, LAMBDA, STRING)
def assert_condition(
    limits: YaqlLimits, obj: Any, condition: Lambda, message: str = "Assertion failed"
) -> Any:
    """Return the value if the condition holds for it; otherwise raise `YaqlRuntimeError`.

    A lazy list is memorized, so that the condition does not consume it.
    """
    if KINDS[type(obj)] == ITERATOR:
        obj = memorize_iterator(obj, limits)
    if not condition(obj):
        raise YaqlRuntimeError(message)
    return obj


@FUNCTIONS.function("call", STRING, SEQUENCE, MAPPING)
def call(
    engine: Engine,
    variables: Variables,
    name: str,
    args: Sequence[Any],
    kwargs: Mapping[Any, Any],
    receiver: Any = Ellipsis,
) -> Any:
    """Call a function or, with a receiver, a method by its name.

    Keys that are not identifiers are ignored.
    """
    named = {key: value for key, value in kwargs.items() if isinstance(key, str) and _keyword().match(key)}
    if receiver is Ellipsis:
        return engine.dispatcher.call(name, args, named, variables)
    return engine.dispatcher.call_method(name, (receiver, *args), named, variables)


@FUNCTIONS.function("bool")
def to_bool(value: Any) -> bool:
    """Convert a value to a boolean by Python's rules: empty values are false."""
    return bool(value)


@FUNCTIONS.function("isBoolean")
def is_boolean(value: Any) -> bool:
    """Return whether the value is true or false."""
    return isinstance(value, bool)
