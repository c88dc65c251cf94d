"""Fields of a resource are checked against what its kind takes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sabir.graph.values import UNKNOWN, Sensitive, Value
from sabir.resources.fields import Field, FieldType, field_problems

FIELDS = {
    "path": Field(about="where it lies", required=True),
    "mode": Field(about="who may read it"),
    "count": Field(about="how many", type=FieldType.INTEGER),
    "state": Field(about="what it does", choices=("running", "stopped")),
    "content": Field(about="what is in it", type=FieldType.DATA),
    "names": Field(about="a few", type=FieldType.LIST),
}


@pytest.mark.parametrize(
    "desired",
    [
        {"path": "a"},
        {"path": UNKNOWN, "count": UNKNOWN},
        {"path": Sensitive("a"), "content": b"\0", "names": ["a"], "state": "running", "count": 3},
    ],
)
def test_fine(desired: Mapping[str, Value]) -> None:
    assert field_problems(FIELDS, desired) == {}


@pytest.mark.parametrize(
    ("desired", "name", "words"),
    [
        ({}, "path", "it needs the field 'path': where it lies"),
        ({"path": "a", "pathh": 1}, "pathh", "there is no field 'pathh': did you mean 'path'?"),
        ({"path": "a", "count": True}, "count", "count must be a whole number"),
        ({"path": "a", "names": "abc"}, "names", "names must be a list"),
        ({"path": "a", "state": "runing"}, "state", "one of running, stopped: did you mean 'running'?"),
        ({"path": 3}, "path", "path must be a text"),
    ],
)
def test_problems(desired: Mapping[str, Value], name: str, words: str) -> None:
    problems = field_problems(FIELDS, desired)
    assert [*problems] == [name]
    assert words in problems[name]
