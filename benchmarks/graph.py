"""The graph: building it, writing it as JSON, reading it back, drawing it. There is no existing tool to compare with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.runner.workload import Workload

if TYPE_CHECKING:
    from sabir.graph import Graph, Instance

__all__ = ["WORKLOADS"]

_STATEMENTS = 50


def generate(size: int, folder: Path) -> None:
    """Nothing: the graph is made in memory."""


def generate_saved(size: int, folder: Path) -> None:
    from sabir.graph.json import graph_chunks

    with (folder / "graph.json").open("wb") as file:
        file.writelines(graph_chunks(sample(size)))


def sample(size: int) -> Graph:
    """`size` instances with 5 attributes, one relation and origins, as a model of a few statements makes them."""
    from sabir.graph import Graph

    return Graph(_instances(size))


def _instances(size: int) -> Iterator[Instance]:
    from sabir.graph import How, Instance, Origin, Record, RecordLayout
    from sabir.text import Place, Source, Span

    source = Source("main.cf", "Host(name=name)\n" * _STATEMENTS)
    made = [Origin(Place(source, Span(16 * i, 16 * i + 15)), How.CONSTRUCTOR) for i in range(_STATEMENTS)]
    names, relations = RecordLayout(("name", "size", "on", "load", "label")), RecordLayout(("next",))
    origins = [Record(names, (origin,) * 5) for origin in made]
    label, before = "a label", "Host#0"
    for number in range(size):
        id_ = f"Host#{number}"
        row = (id_, number, True, 0.5, label)
        yield Instance(
            id=id_,
            type="model::Host",
            language="inmanta",
            name=f"host-{number}",
            attributes=Record(names, row),
            relations=Record(relations, ((before,),)),
            origin=made[number % _STATEMENTS],
            origins=origins[number % _STATEMENTS],
        )
        before = id_


def build(folder: str, size: int) -> Callable[[], object]:
    return lambda: len(sample(size))


def write(folder: str, size: int) -> Callable[[], object]:
    from sabir.graph.json import graph_chunks

    graph = sample(size)
    return lambda: sum(map(len, graph_chunks(graph)))


def read(folder: str, size: int) -> Callable[[], object]:
    from sabir.graph.json import load_graph

    data = Path(folder, "graph.json").read_bytes()
    return lambda: len(load_graph(data, name="graph.json"))


def draw(folder: str, size: int) -> Callable[[], object]:
    from sabir.graph.views.svg import svg_view

    graph = tangle(size)
    return lambda: sum(map(len, svg_view(graph))) > 0


def page(folder: str, size: int) -> Callable[[], object]:
    from sabir.graph.views.html import html_view

    graph = tangle(size)
    return lambda: sum(map(len, html_view(graph))) > 0


def tangle(size: int) -> Graph:
    """Groups of ten parts in an owner, the first part tied to a hub, another to a part of an earlier group."""
    from sabir.graph import Graph, Instance, Record

    def instances() -> Iterator[Instance]:
        for number in range(size):
            owner = f"n{number - number % 11}" if number % 11 else None
            far = {1: ("n1",), 5: (f"n{number // 3}",)}.get(number % 11, ())
            relations = Record.of({"uses": far} if far and number > 33 else {})
            yield Instance(
                id=f"n{number}",
                type="T",
                language="inmanta",
                name=f"node {number}",
                owner=owner,
                relations=relations,
            )

    return Graph(instances())


WORKLOADS = (
    Workload(
        name="graph-build",
        about="build instances with 5 attributes, one relation and origins; memory divided by size is bytes an instance",
        sizes=(100_000, 1_000_000),
        generate=generate,
        sabir="benchmarks.graph:build",
    ),
    Workload(
        name="graph-write",
        about="write sabir.graph/1",
        sizes=(100_000, 1_000_000),
        generate=generate,
        sabir="benchmarks.graph:write",
    ),
    Workload(
        name="graph-read",
        about="read sabir.graph/1 back",
        sizes=(100_000, 1_000_000),
        generate=generate_saved,
        sabir="benchmarks.graph:read",
    ),
    Workload(
        name="graph-draw",
        about="lay out and draw as SVG",
        sizes=(500, 5_000),
        generate=generate,
        sabir="benchmarks.graph:draw",
    ),
    Workload(
        name="graph-page",
        about="write the page of compile --format html",
        sizes=(5_000, 100_000),
        generate=generate,
        sabir="benchmarks.graph:page",
    ),
)
