"""Declaring functions: what is read off a Python function, and how libraries lie on one another."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.expressions.yaql import Engine, Library
from sabir.expressions.yaql.binding import CallShape, bind_overload
from sabir.expressions.yaql.functions import (
    LAMBDA,
    MISSING,
    binary_name,
    call_title,
    camel_case,
    unary_name,
)
from sabir.expressions.yaql.kinds import ANY, INT, ITERABLE, MAPPING, NULL, STRING
from sabir.expressions.yaql.nodes import Literal, OmittedArgument, Variable, Word


@pytest.mark.parametrize(
    ("name", "written"),
    [("a", "a"), ("key_selector", "keySelector"), ("from_", "from"), ("a_b_c", "aBC"), ("dict_", "dict")],
)
def test_names_of_parameters(name: str, written: str) -> None:
    assert camel_case(name) == written


@pytest.mark.parametrize(
    ("name", "is_method", "title"),
    [
        ("f", False, "the function `f`"),
        ("f", True, "the method `f`"),
        (binary_name("+"), False, "the operator `+`"),
        (unary_name("-"), False, "the operator `-`"),
        ("#list", False, "a list"),
        ("#map", False, "a dictionary"),
        ("#index", False, "an index"),
    ],
)
def test_titles_of_calls(name: str, is_method: bool, title: str) -> None:
    assert call_title(name, is_method=is_method) == title


def declared() -> Library:
    library = Library()

    @library.method("shout", STRING, INT, LAMBDA)
    def shout(
        limits: Any,
        variables: Any,
        text_: str,
        how_often: int = 1,
        *rest: Any,
        mark: str = "!",
        **others: Any,
    ) -> Any:
        del limits, variables, rest, others
        return text_ * how_often + mark

    return library


def test_what_is_read_off_a_function() -> None:
    ((overload,),) = declared().levels("shout")
    assert (overload.is_function, overload.is_method, overload.rules) == (False, True, False)
    assert overload.hidden == ("limits", "variables")
    parameters = [(one.name, one.kind, one.default) for one in overload.parameters]
    assert parameters == [("text", STRING, MISSING), ("howOften", INT, 1), ("mark", ANY, "!")]
    assert overload.rest is not None
    assert (overload.rest.name, overload.rest.kind) == ("rest", LAMBDA)
    assert overload.keywords is not None


def test_a_default_of_null_makes_null_an_argument() -> None:
    library = Library()
    library.function("f", INT)(lambda number=None: number)
    ((overload,),) = library.levels("f")
    assert overload.parameters[0].kind == INT | NULL


A, ONE, TEXT, SKIPPED = Variable(0, 1, "a"), Literal(0, 1, 1), Literal(0, 1, "x"), OmittedArgument(0, 0)


@pytest.mark.parametrize(
    ("positional", "named", "sources"),
    [
        ((A,), {}, [0, None]),
        ((A, ONE), {}, [0, 1]),
        ((A, ONE, A), {}, [0, 1, 2]),
        ((A,), {"howOften": ONE}, [0, 1]),
        ((A, SKIPPED), {}, [0, None]),
        ((), {"text": A}, [0, None]),
        ((A,), {"other": A}, [0, None]),
        ((), {}, None),
        ((A, ONE), {"howOften": ONE}, None),
        ((A, TEXT), {}, None),
        ((ONE,), {}, None),
        ((Word(0, 1, "w"),), {}, [0, None]),
        ((A, ONE, SKIPPED), {}, None),
        ((SKIPPED,), {}, None),
    ],
)
def test_where_arguments_go(
    positional: tuple[Any, ...], named: dict[str, Any], sources: list[int | None] | None
) -> None:
    ((overload,),) = declared().levels("shout")
    binding = bind_overload(overload, CallShape(positional, tuple(named.items())))
    assert (None if binding is None else [slot.source for slot in binding.slots]) == sources


def numbered(number: int, parent: Library | None = None) -> Library:
    library = Library(parent)
    library.function("f")(lambda: number)
    return library


def test_the_library_on_top_is_asked_first_and_may_hide_the_others() -> None:
    top = numbered(2, numbered(1))
    assert [level[0].function() for level in top.levels("f")] == [2, 1]
    assert Engine(top).evaluate("f()") == 2
    top.hide_parents("f")
    assert [level[0].function() for level in top.levels("f")] == [2]


def test_one_library_of_several_tables_leaves_them_alone() -> None:
    first, second = numbered(1), numbered(2)
    first.property("size", STRING)(len)
    whole = Library.of(first, second)
    whole.function("g")(lambda: 3)
    ((one, other),) = whole.levels("f")
    assert (one.function(), other.function()) == (1, 2)
    assert whole.names(methods=False) == {"f", "g"}
    assert first.names(methods=False) == second.names(methods=False) == {"f"}
    assert Engine(whole).evaluate("'abc'.size") == 3


def test_either_way_and_dictionaries_to_go_through() -> None:
    library = Library()
    library.method("size", ITERABLE)(lambda items: len(list(items)))
    assert library.names(methods=False) == set()
    library.as_extension("size")
    assert library.names(methods=False) == {"size"}
    widened = library.with_iterable_dicts()
    assert [overload.parameters[0].kind for level in widened.levels("size") for overload in level] == [
        ITERABLE | MAPPING
    ] * 2
    assert Engine(widened).evaluate("size({a => 1})") == 1
