"""Paths into nested dicts and lists."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.languages.inmanta.evaluate.plugins.engine.dict_path import (
    ContainerStructureException,
    InvalidPathException,
    to_path,
    to_wild_path,
)

DATA: dict[str, Any] = {
    "a": {"b": 1, "c.d": 2},
    "disks": [{"name": "x", "size": 1}, {"name": "y", "size": None}],
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a.b", 1),
        ("a.c\\.d", 2),
        ("disks[name=x].size", 1),
        ("disks[name=y]", {"name": "y", "size": None}),
        ("disks[size=\\0].name", "y"),
        (".", DATA),
    ],
)
def test_what_a_path_leads_to(path: str, value: object) -> None:
    assert to_path(path).get_element(DATA) == value
    assert to_path(to_path(path).to_str()) == to_path(path)


@pytest.mark.parametrize(
    ("path", "values"),
    [("a.*", [1, 2]), ("disks[name=*].size", [1, None]), ("disks[*=x].name", ["x"]), ("a.b", [1]), ("q", [])],
)
def test_what_a_wild_path_leads_to(path: str, values: list[object]) -> None:
    assert to_wild_path(path).get_elements(DATA) == values


def test_setting_and_removing() -> None:
    data: dict[str, Any] = {}
    to_path("a.b").set_element(data, 1)
    to_path("disks[name=x].size").set_element(data, 5)
    assert data == {"a": {"b": 1}, "disks": [{"name": "x", "size": 5}]}
    to_path("disks[name=x]").remove(data)
    to_path("a.b").remove(data)
    assert data == {"a": {}, "disks": []}


@pytest.mark.parametrize("path", ["", "a..b", "a[b", "a[b=1", "[x=1]", ".a"])
def test_a_text_that_is_no_path(path: str) -> None:
    with pytest.raises(InvalidPathException):
        to_path(path)


def test_a_path_through_what_is_no_dict() -> None:
    with pytest.raises(ContainerStructureException):
        to_path("a.b.c").get_element(DATA)
    with pytest.raises(KeyError):
        to_path("a.x").get_element(DATA)
