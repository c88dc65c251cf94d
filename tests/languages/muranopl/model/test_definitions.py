"""Definitions of objects in a model, as far as they can be read without classes; and failures in words."""

from __future__ import annotations

import pytest

from sabir.languages.muranopl.model.definitions import TypeName, find_definitions, parse_type
from sabir.languages.muranopl.model.errors import ContractViolationError, format_value
from sabir.text import Place, Source, Span


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.B", TypeName("a.B", None, None)),
        ("a.B/1.2", TypeName("a.B", "1.2", None)),
        ("a.B@lib", TypeName("a.B", None, "lib")),
        (" a.B / 1.2 @ lib ", TypeName("a.B", "1.2", "lib")),
        ("a.B/@", TypeName("a.B", None, None)),
    ],
)
def test_types(text: str, expected: TypeName) -> None:
    assert parse_type(text) == expected


def test_defined_objects_come_owners_first() -> None:
    model = {"?": {"id": "root"}, "parts": [{"?": {"id": 1}, "inner": {"?": {"id": "deep"}}}, {"?": {}}, 5]}
    assert list(find_definitions(model)) == ["root", "1", "deep"]


def test_a_violation_names_the_way_to_the_value() -> None:
    nowhere = Place(Source("a.yaml", "x"), Span(0, 1))
    violation = ContractViolationError("is no integer").inside("['port']").inside("[0]")
    assert str(violation) == "is no integer"
    violation.add_subject("Host.ports", nowhere)
    assert str(violation) == "[Host.ports[0]['port']] is no integer"
    violation.inside("[2]").add_subject("Root.hosts", nowhere)
    assert str(violation) == "[Root.hosts[2]] [Host.ports[0]['port']] is no integer"


@pytest.mark.parametrize(
    ("value", "expected"), [(None, "null"), (True, "true"), ("a", "'a'"), ([1, None], "[1, None]")]
)
def test_shown(value: object, expected: str) -> None:
    assert format_value(value) == expected


def test_shown_is_short() -> None:
    assert len(format_value("x" * 1000)) == len(format_value(["y" * 200] * 50)) == 120
