"""Ids of objects that nobody gave one."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.languages.muranopl.model.objects import MuranoObject
from tests.languages.muranopl.packages import load

CLASSES = """\
Namespaces: {=: demo}
Name: Root
Properties:
  title: {Contract: $.string()}
  single: {Contract: $.class(Root)}
  parts: {Contract: [$.class(Root)]}
"""
HEADER = {"?": {"type": "demo.Root"}}


def loaded(**properties: Any) -> MuranoObject:
    session = load(CLASSES, {"?": {"type": "demo.Root", "id": "root"}, **properties})
    assert session.runtime.root is not None
    return session.runtime.root


def part(**properties: Any) -> dict[str, Any]:
    return {**HEADER, **properties}


def test_what_one_property_holds_is_known_by_the_property() -> None:
    first = loaded(single=part(title="a")).properties["single"].id
    assert first == loaded(single=part(title="b")).properties["single"].id
    assert len(first) == 32


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (part(title="a"), part(title="a"), True),
        (part(title="a"), part(title="b"), False),
        ({"title": "a", **HEADER}, part(title="a"), True),
        (part(title="a", single=part()), part(title="a"), False),
        (
            {"?": {"type": "demo.Root", "name": "n"}, "title": "a"},
            {"?": {"type": "demo.Root", "name": "n"}},
            True,
        ),
    ],
    ids=["equal", "another title", "another order", "more inside", "the same name"],
)
def test_one_of_a_list_is_known_by_what_it_holds(
    left: dict[str, Any], right: dict[str, Any], *, same: bool
) -> None:
    (first,), (second,) = loaded(parts=[left]).properties["parts"], loaded(parts=[right]).properties["parts"]
    assert (first.id == second.id) is same


def test_equal_ones_are_counted() -> None:
    ids = [object_.id for object_ in loaded(parts=[part(), part(), part()]).properties["parts"]]
    assert len(set(ids)) == 3
    assert ids == [object_.id for object_ in loaded(parts=[part(), part(), part()]).properties["parts"]]


def test_an_id_of_the_model_belongs_to_its_object() -> None:
    (alone,) = loaded(parts=[part(title="a")]).properties["parts"]
    saved = {"?": {"type": "demo.Root", "id": alone.id}, "title": "a"}
    for parts in ([part(title="a"), saved], [saved, part(title="a")]):
        objects = loaded(parts=parts).properties["parts"]
        assert objects[parts.index(saved)].id == alone.id
        assert len({object_.id for object_ in objects}) == 2


def test_a_name_that_two_of_a_list_have_does_not_make_their_order_matter() -> None:
    named = {"?": {"type": "demo.Root", "name": "n"}}
    parts = [{**named, "title": "a"}, {**named, "title": "b"}]
    there = {part.properties["title"]: part.id for part in loaded(parts=parts).properties["parts"]}
    back = {part.properties["title"]: part.id for part in loaded(parts=parts[::-1]).properties["parts"]}
    assert there == back
    assert len({*there.values()}) == 2
