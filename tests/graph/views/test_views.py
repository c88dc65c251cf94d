"""Views against golden files; `SABIR_GOLDEN=write` writes them anew."""

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import given

from sabir.graph import Graph, Instance, Record
from sabir.graph.json import graph_chunks
from sabir.graph.views.diagrams import dot_view, mermaid_view
from sabir.graph.views.svg import svg_view
from sabir.graph.views.text import text_view, yaml_view
from tests.graph.strategies import graphs
from tests.graph.views.sample import sample

GOLDEN = Path(__file__).parent / "golden"
VIEWS: dict[str, Callable[[Graph], Iterable[str]]] = {
    "sample.txt": text_view,
    "sample-origins.txt": lambda graph: text_view(graph, origins=True),
    "sample.yaml": yaml_view,
    "sample.dot": dot_view,
    "sample.mmd": mermaid_view,
    "sample.svg": svg_view,
    "sample.json": lambda graph: (piece.decode() for piece in graph_chunks(graph)),
}


@pytest.mark.parametrize("name", VIEWS)
def test_golden(name: str) -> None:
    text = "".join(VIEWS[name](sample()))
    file = GOLDEN / name
    if os.environ.get("SABIR_GOLDEN") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
    assert "hush" not in text


@given(graphs())
def test_any_graph_can_be_shown(graph: Graph) -> None:
    for view in VIEWS.values():
        for piece in view(graph):
            piece.encode()


@given(graphs())
def test_the_picture_is_well_formed(graph: Graph) -> None:
    root = ElementTree.fromstring("".join(svg_view(graph)))
    assert len(root.findall("{*}g")) == len(graph)


@given(graphs())
def test_yaml_and_json_hold_the_same_data(graph: Graph) -> None:
    loaded = yaml.safe_load("".join(yaml_view(graph)))
    assert list(loaded)[:3] == ["format", "instances", "outputs"]
    assert loaded == json.loads(b"".join(graph_chunks(graph)))


def test_owners_in_a_circle_are_shown_once_each() -> None:
    graph = Graph(
        [
            Instance(
                id=id_, type="T", language="toy", name=id_, owner=owner, relations=Record.of({"to": (owner,)})
            )
            for id_, owner in [("a", "b"), ("b", "c"), ("c", "a"), ("d", "d")]
        ]
    )
    text = "".join(text_view(graph))
    assert [line.split()[0] for line in text.splitlines() if " : " in line] == ["a", "c", "b", "d"]
    ElementTree.fromstring("".join(svg_view(graph)))


def test_text_cannot_steer_a_terminal() -> None:
    hostile = "\x1b[2J\u202e\r\x9b"
    graph = Graph(
        [
            Instance(
                id=hostile,
                type=hostile,
                language="toy",
                name="n" + hostile,
                attributes=Record.of({hostile: [hostile]}),
            )
        ],
        outputs={hostile: {hostile: hostile}},
    )
    for piece in text_view(graph):
        assert piece.replace("\n", "").isprintable()
