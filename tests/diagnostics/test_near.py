from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.diagnostics import did_you_mean, near
from sabir.diagnostics.near import is_respelt, only_near

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
    assert near(name, KNOWN) == expected
    assert did_you_mean(name, KNOWN) == (f"did you mean {expected!r}?" if expected else None)


def test_two_that_are_equally_close_are_both_named() -> None:
    assert did_you_mean("bix", ("big", "box", "name")) == "did you mean 'big' or 'box'?"
    assert did_you_mean("bix", ("big", "box", "bit")) == "did you mean 'big'?"


@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=5))
def test_it_answers_with_a_known_name_or_none(name: str, known: list[str]) -> None:
    assert near(name, known) in {None, *known}


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
    assert only_near(name, known) == expected


def test_of_very_many_names_those_that_begin_alike_are_compared() -> None:
    many = [f"variable_{number}" for number in range(20_000)]
    assert near("varable_7771", [*many, "server"]) == "variable_7771"
    assert near("Server", [*many, "server"]) == "server"
    assert near("serwer", [*many, "server"]) == "server"


def test_respelt() -> None:
    assert is_respelt("in-out", "InOut")
    assert not is_respelt("In", "Out")
