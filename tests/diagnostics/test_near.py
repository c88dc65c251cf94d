from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.diagnostics import did_you_mean, near

KNOWN = ("Properties", "Methods", "Namespaces", "Name", "Extends", "Usage")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Propertys", "Properties"),
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


@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=5))
def test_it_answers_with_a_known_name_or_none(name: str, known: list[str]) -> None:
    assert near(name, known) in {None, *known}
