"""Provenance read backwards: what rests on a line, however the chain goes."""

from __future__ import annotations

import pytest

from sabir.graph.dependence import Dependence
from sabir.graph.graph import Graph, Instance
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.record import Record
from sabir.text import Location


def at(line: int, *sources: Origin | AttributeRead) -> Origin:
    return Origin(Location("a", line, 1), How.ASSIGNMENT, sources)


def instance(name: str, own: Origin, **origins: Origin) -> Instance:
    attributes = Record.of(dict.fromkeys(origins, 1))
    return Instance(
        id=name,
        type="T",
        language="toy",
        name=name,
        attributes=attributes,
        origin=own,
        origins=Record.of(origins),
    )


SHARED = at(3)
GRAPH = Graph(
    [
        instance("x", at(1), size=at(2, SHARED)),
        instance("y", at(4, AttributeRead("x", None)), size=at(5, at(6, AttributeRead("x", "size")))),
    ],
    outputs={"o": 1},
    output_origins={"o": at(7, SHARED)},
)
READ = AttributeRead("x", "size")
ITSELF = AttributeRead("x", None)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (1, [("x", None, None), ("y", None, ITSELF)]),
        (2, [("x", "size", None), ("y", "size", READ)]),
        (3, [("x", "size", None), ("y", "size", READ), (None, "o", None)]),
        (6, [("y", "size", None)]),
        (9, []),
    ],
)
def test_what_rests_on_a_line(
    line: int, expected: list[tuple[str | None, str | None, AttributeRead | None]]
) -> None:
    found = Dependence(GRAPH).on_line("a", line)
    assert [(one.instance, one.attribute, one.through) for one in found] == expected


def test_a_long_chain_is_no_trouble() -> None:
    origin = at(1)
    for _ in range(20_000):
        origin = at(2, origin, READ)
    graph = Graph([instance("x", at(3), size=origin)])
    assert [one.attribute for one in Dependence(graph).on_line("a", 1)] == ["size"]
