"""Comparing graphs by meaning."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.graph import UNKNOWN, Graph, How, Instance, Origin, Record, Ref, Sensitive, Unknown
from sabir.graph.diff import ABSENT, compare_graphs
from sabir.text import Location


def instance(
    id_: str, *, type_: str = "t", name: str | None = None, line: int = 1, **attributes: Any
) -> Instance:
    relations = {key: attributes.pop(key) for key in [*attributes] if isinstance(attributes[key], tuple)}
    return Instance(
        id=id_,
        type=type_,
        language="toy",
        name=name or id_,
        attributes=Record.of(attributes),
        relations=Record.of(relations),
        origin=Origin(Location("f", line, 1), How.LITERAL),
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a": 1}, {"a": 1.0}),
        ({"a": {"x": 1, "y": 2}}, {"a": {"y": 2, "x": 1}}),
        ({"a": {"x": [1, {"b": None}]}}, {"a": {"x": (1, {"b": None})}}),
        ({"r": ("p", "q")}, {"r": ("q", "p")}),
        ({"a": Sensitive("x")}, {"a": Sensitive("x")}),
        ({"a": 1, "line": 1}, {"a": 1, "line": 9}),
    ],
    ids=["numbers", "key-order", "tuple", "relation-order", "sensitive", "place"],
)
def test_same(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert not compare_graphs(Graph([instance("i", **before)]), Graph([instance("i", **after)]))


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ({"a": 1}, {"a": 2}, [("a", 1, 2)]),
        ({"a": 1}, {"a": True}, [("a", 1, True)]),
        ({"a": 1}, {}, [("a", 1, ABSENT)]),
        ({}, {"a": None}, [("a", ABSENT, None)]),
        ({"a": [1, 2]}, {"a": [2, 1]}, [("a[0]", 1, 2), ("a[1]", 2, 1)]),
        ({"a": [1, 2]}, {"a": [1]}, [("a", [1, 2], [1])]),
        ({"a": {"b": {"c": 1}, "d": 2}}, {"a": {"b": {"c": 3}, "d": 2}}, [("a.b.c", 1, 3)]),
        ({"a": {"b": 1}}, {"a": {"e": 1}}, [("a.b", 1, ABSENT), ("a.e", ABSENT, 1)]),
        ({"r": ("p",)}, {"r": ("p", "q")}, [("r", ["p"], ["p", "q"])]),
        ({"a": Ref("p")}, {"a": Ref("q")}, [("a", Ref("p"), Ref("q"))]),
    ],
)
def test_changed(before: dict[str, Any], after: dict[str, Any], changes: list[tuple[str, Any, Any]]) -> None:
    diff = compare_graphs(Graph([instance("i", **before)]), Graph([instance("i", **after)]))
    assert [(one.name, one.before, one.after) for one in diff.changed[0].changes] == changes
    assert not diff.added
    assert not diff.removed


def test_added_and_removed() -> None:
    diff = compare_graphs(Graph([instance("a"), instance("b")]), Graph([instance("b"), instance("c")]))
    assert [one.id for one in diff.added] == ["c"]
    assert [one.id for one in diff.removed] == ["a"]


def test_an_instance_with_another_id_is_known_by_type_and_name() -> None:
    before = Graph([instance("t#1", name="web", size=1), instance("x", uses=("t#1",))])
    after = Graph([instance("x", uses=("t#7",)), instance("t#7", name="web", size=2)])
    diff = compare_graphs(before, after)
    assert [(one.before.id, one.after.id) for one in diff.changed] == [("t#1", "t#7")]
    assert not diff.added


def test_outputs() -> None:
    diff = compare_graphs(Graph([], outputs={"a": 1}), Graph([], outputs={"a": 2}))
    assert [(one.name, one.before, one.after) for one in diff.outputs] == [("a", 1, 2)]


def test_unknown_values_are_the_same_when_they_stand_for_the_same() -> None:
    def graph(value: Unknown) -> Graph:
        return Graph([instance("x", size=value)])

    named = graph(Unknown("x|size", "later"))
    assert not compare_graphs(named, graph(Unknown("x|size")))
    assert not compare_graphs(graph(UNKNOWN), named)
    assert compare_graphs(named, graph(Unknown("y|size")))
