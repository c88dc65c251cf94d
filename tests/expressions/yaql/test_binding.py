"""Calls by value: which overload is chosen, what is remembered, what is said when none fits."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.expressions.yaql import LAMBDA, Engine, Lambda, Library, NoMatch, UnknownName, Variables
from sabir.expressions.yaql.binding import Dispatcher
from sabir.expressions.yaql.functions import binary_name, unary_name
from sabir.expressions.yaql.kinds import ANY, INT, ITERABLE, NULL, STRING
from sabir.expressions.yaql.limits import Options, YaqlLimits


@pytest.fixture
def library() -> Library:
    library = Library()
    library.function("kind", INT)(lambda value: f"int {value}")
    library.function("kind", STRING)(lambda value: f"text {value}")
    library.function("pair", ANY, INT | NULL)(lambda first, second=7: (first, second))
    library.method("twice", INT)(lambda value: value * 2)
    library.function("count", ITERABLE)(lambda values: sum(1 for _ in values))
    library.operator("+", INT, INT)(lambda first, second: first + second)
    library.operator("+", STRING, STRING)(lambda first, second: first + second)
    library.prefix("-", INT)(lambda value: -value)

    @library.function("apply", LAMBDA, ANY)
    def apply(func: Lambda, value: Any) -> Any:
        return func(value)

    @library.function("seen")
    def seen(variables: Variables) -> Any:
        return variables.get("x")

    return library


@pytest.fixture
def dispatcher(library: Library) -> Dispatcher:
    return Dispatcher(library, YaqlLimits(Options()), object())


@pytest.mark.parametrize(
    ("name", "values", "named", "result"),
    [
        ("kind", [1], {}, "int 1"),
        ("kind", ["a"], {}, "text a"),
        ("kind", [], {"value": "a"}, "text a"),
        ("pair", [1], {}, (1, 7)),
        ("pair", [1, None], {}, (1, None)),
        ("pair", [1], {"second": 2}, (1, 2)),
        ("count", [[1, 2, 3]], {}, 3),
        ("apply", [5, 6], {}, 5),  # a value where a lambda is wanted is a lambda that gives it
    ],
)
def test_call(
    dispatcher: Dispatcher, name: str, values: list[Any], named: dict[str, Any], result: Any
) -> None:
    assert dispatcher.call(name, values, named, {}) == result
    assert dispatcher.call(name, values, named, {}) == result  # and from what was kept


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("nothing", [], "there is no function `nothing`"),
        ("kind", [[1]], "the function `kind` does not take a list"),
        ("kind", [], "the function `kind` does not take no arguments"),
        ("kind", [1, 2], "the function `kind` does not take an integer, an integer"),
        ("twice", [2], "the function `twice` does not take"),
    ],
)
def test_no_overload(dispatcher: Dispatcher, name: str, values: list[Any], message: str) -> None:
    with pytest.raises((NoMatch, UnknownName)) as failure:
        dispatcher.call(name, values, {}, {})
    assert str(failure.value).startswith(message)


def test_methods_and_functions_are_apart(dispatcher: Dispatcher) -> None:
    assert dispatcher.call_method("twice", [4], {}, {}) == 8
    with pytest.raises(NoMatch):
        dispatcher.call_method("kind", [4], {}, {})


def test_operators_are_chosen_by_both_types(dispatcher: Dispatcher) -> None:
    plus = binary_name("+")
    assert [dispatcher.binary(plus, 1, 2), dispatcher.binary(plus, "a", "b")] == [3, "ab"]
    assert dispatcher.unary(unary_name("-"), 3) == -3
    with pytest.raises(NoMatch, match="does not take"):
        dispatcher.binary(plus, 1, "b")


def test_hidden_arguments_and_functions_of_the_expression(dispatcher: Dispatcher) -> None:
    assert dispatcher.call("seen", [], {}, {"x": 5}) == 5
    assert Engine().evaluate("def(double, $ * 2) -> double(4)") == 8


def test_a_nearer_library_is_asked_first(library: Library) -> None:
    above = Library(library)
    above.function("kind", INT)(lambda value: f"mine {value}")
    dispatcher = Dispatcher(above, YaqlLimits(Options()), object())
    assert [dispatcher.call("kind", [value], {}, {}) for value in (1, "a")] == ["mine 1", "text a"]
