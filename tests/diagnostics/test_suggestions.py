from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.diagnostics import did_you_mean, suggest
from sabir.diagnostics.suggestions import edit_distance, is_respelt, suggest_unique

KNOWN = ("Properties", "Methods", "Namespaces", "Name", "Extends", "Usage")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Propertys", "Properties"),
        ("Property", "Properties"),
        ("methods", "Methods"),
        ("Mehtods", "Methods"),
        ("Nmae", "Name"),
        ("name_spaces", "Namespaces"),
        ("Zebra", None),
        ("X", None),
        ("", None),
    ],
)
def test_near(name: str, expected: str | None) -> None:
    assert suggest(name, KNOWN) == expected
    assert did_you_mean(name, KNOWN) == (f"did you mean {expected!r}?" if expected else None)


def test_two_that_are_equally_close_are_both_named() -> None:
    assert did_you_mean("bix", ("big", "box", "name")) == "did you mean 'big' or 'box'?"
    assert did_you_mean("bix", ("big", "box", "bit")) == "did you mean 'big'?"


@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=5))
def test_it_answers_with_a_known_name_or_none(name: str, known: list[str]) -> None:
    assert suggest(name, known) in {None, *known}


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("Ot", ("In", "Out"), "Out"),
        ("hots", ("host", "hotel", "hosts"), None),
        ("hots", ("host",), "host"),
        ("HOST", ("host", "hosts"), "host"),
        ("zebra", ("host",), None),
    ],
)
def test_a_second_name_as_close_leaves_none(name: str, known: tuple[str, ...], expected: str | None) -> None:
    assert suggest_unique(name, known) == expected


def test_of_very_many_names_those_that_begin_alike_are_compared() -> None:
    many = [f"variable_{number}" for number in range(20_000)]
    assert suggest("varable_7771", [*many, "server"]) == "variable_7771"
    assert suggest("Server", [*many, "server"]) == "server"
    assert suggest("serwer", [*many, "server"]) == "server"


def test_of_many_names_those_with_the_same_letters_are_compared() -> None:
    # Neither its beginning nor its end stands beside that of the name that was meant.
    others = [name for number in range(40) for name in (f"noni{number:02}zz", f"qq{number:02}itos")]
    assert suggest("nonitos", [*others, "monitor"]) == "monitor"


def test_very_long_names_have_no_near_one() -> None:
    assert suggest("x" * 299, ["x" * 298]) == "x" * 298
    assert suggest("x" * 100_000, ["x" * 99_999]) is None


def test_respelt() -> None:
    assert is_respelt("in-out", "InOut")
    assert not is_respelt("In", "Out")


def test_names_of_several_scopes() -> None:
    outer = frozenset({"server", "client"})
    assert did_you_mean("serwer", outer, ["sewer"]) == "did you mean 'server' or 'sewer'?"
    assert suggest("cleint", (), outer) == "client"
    assert suggest("server", outer) is None


_LETTERS = st.text("abc", max_size=8)


@given(_LETTERS, _LETTERS, st.integers(1, 6))
def test_edits_are_counted_up_to_a_bound(left: str, right: str, bound: int) -> None:
    assert edit_distance(left, right, bound) == min(_counted(left, right), bound)


def _counted(left: str, right: str) -> int:
    """The same by its definition: every cell of the table."""
    table = {(row, 0): row for row in range(len(left) + 1)} | {
        (0, column): column for column in range(len(right) + 1)
    }
    for row, char in enumerate(left, 1):
        for column, other in enumerate(right, 1):
            costs = [
                table[row - 1, column] + 1,
                table[row, column - 1] + 1,
                table[row - 1, column - 1] + (char != other),
            ]
            if row > 1 and column > 1 and char == right[column - 2] and other == left[row - 2]:
                costs.append(table[row - 2, column - 2] + 1)
            table[row, column] = min(costs)
    return table[len(left), len(right)]
