"""Environments: four languages in one graph, asked and explained. There is no existing tool to compare with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.runner.workload import Workload

if TYPE_CHECKING:
    from sabir.graph import Graph
    from sabir.languages.language import Evaluation

__all__ = ["WORKLOADS"]

_MODEL = """\
entity Host:
    string name
    int number
    string ip
    string zone = "a"
    bool on = true
end
implementation address for Host:
    self.ip = "10.0.0.{{ self.number }}"
end
index Host(name)
implement Host using address
for number in std::sequence(%d):
    Host(name="host-{{ number }}", number=number)
end
"""
_TOSCA = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  bench.Node:
    derived_from: tosca.nodes.Root
    properties:
      address: {type: string}
      port: {type: integer}
topology_template:
  inputs:
    address: {type: string}
  node_templates:
"""
_CLASS = """\
Namespaces: {=: bench, std: io.murano}
Name: Item
Extends: std:Object
Properties:
  label: {Contract: $.string().notNull()}
  size: {Contract: $.int(), Default: 1}
  items: {Contract: [$.class(Item)], Default: []}
"""
_SERVICE = """\
dsl_version: 0.4.0
service:
  name: svc-%d
  ports: [%d]
  containers:
    - name: main
      image: main
      env:
        - {name: ADDRESS, value: "{{ database.host }}"}
      daemon: {command: /run}
"""


def generate(size: int, folder: Path) -> None:
    """About `size` instances: half of them Inmanta's, the rest shared by the other three."""
    for name in ("net", "app/Classes", "web/service"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "sabir.yaml").write_text("".join(_environment(size)))
    (folder / "net/main.cf").write_text(_MODEL % (size // 2))
    (folder / "db.yaml").write_text("".join(_topology(size // 10)))
    (folder / "app/manifest.yaml").write_text(
        "Format: MuranoPL/1.4\nType: Library\nFullName: bench\nClasses: {bench.Item: Item.yaml}\n"
    )
    (folder / "app/Classes/Item.yaml").write_text(_CLASS)
    for number in range(max(1, size // 100)):
        (folder / f"web/service/svc-{number}.yaml").write_text(_SERVICE % (number, 2000 + number % 60000))


def _environment(size: int) -> Iterator[str]:
    yield "parts:\n  net: {path: net, language: inmanta}\n"
    yield "  db: {path: db.yaml, inputs: {address: {eval: '::net::host-1::ip'}}}\n"
    yield "  web:\n    path: web\n    config: {configs: {database: {host: {eval: '::db::node0::address'}}}}\n"
    yield "  app:\n    path: app\n    model:\n      '?': {id: root, type: bench.Item}\n"
    yield "      label: {eval: '::db::node0::address'}\n      items:\n"
    for number in range(max(1, size // 4)):
        yield f"        - {{'?': {{id: i{number}, type: bench.Item}}, label: l{number}}}\n"


def _topology(size: int) -> Iterator[str]:
    yield _TOSCA
    for number in range(max(1, size)):
        yield f"    node{number}:\n      type: bench.Node\n      properties:\n"
        yield f"        address: {{get_input: address}}\n        port: {number}\n"


def _evaluated(folder: str, *, full: bool) -> Evaluation:
    from sabir.diagnostics.finding import Severity
    from sabir.environment import ENVIRONMENT
    from sabir.languages.language import EvaluationRequest
    from sabir.source.packages import load_package

    evaluation = ENVIRONMENT.evaluate(load_package(Path(folder)), EvaluationRequest(full_provenance=full))
    errors = [one.message for one in evaluation.findings if one.severity is Severity.ERROR]
    assert not errors, errors[0]
    return evaluation


def _graph(folder: str) -> Graph:
    return _evaluated(folder, full=True).graph


def compile_(folder: str, size: int) -> Callable[[], object]:
    return lambda: len(_evaluated(folder, full=False).graph) > size // 2


def query(folder: str, size: int) -> Callable[[], object]:
    from sabir.expressions.query import evaluate, resources_of

    root = resources_of(_graph(folder))
    evaluate("::app::root::label", root)  # the index of names belongs to loading
    return lambda: evaluate("::db::node0::address", root).value


def why(folder: str, size: int) -> Callable[[], object]:
    from sabir.operations.why import explain_subject, find_subject

    graph = _graph(folder)
    # The index of names belongs to loading, and so does knowing which texts must not be shown.
    explain_subject(graph, find_subject(graph, "app/root.label"))
    return lambda: len(explain_subject(graph, find_subject(graph, "app/root.label")).steps) > 3


def load(folder: str, size: int) -> Callable[[], object]:
    from sabir.graph.json import graph_chunks
    from sabir.graph.json import load_graph as load_graph

    data = b"".join(graph_chunks(_evaluated(folder, full=False).graph))
    return lambda: len(load_graph(data, name="saved.json")) > size // 2


def impact(folder: str, size: int) -> Callable[[], object]:
    from sabir.operations.impact import impact_of

    graph = _graph(folder)
    impact_of(graph, "net/main.cf", 1)  # the index of what rests on what belongs to loading
    return lambda: len(impact_of(graph, "net/main.cf", 9).affected) > size // 4


WORKLOADS = (
    Workload(
        name="environment-load",
        about="a saved environment read back",
        sizes=(10_000, 100_000),
        generate=generate,
        sabir="benchmarks.environment:load",
        tiny=40,
    ),
    Workload(
        name="environment-compile",
        about="an environment of four languages evaluated into one graph",
        sizes=(10_000, 100_000),
        generate=generate,
        sabir="benchmarks.environment:compile_",
        tiny=40,
    ),
    Workload(
        name="environment-query",
        about="one query of a loaded environment",
        sizes=(10_000, 100_000),
        generate=generate,
        sabir="benchmarks.environment:query",
        tiny=40,
    ),
    Workload(
        name="environment-why",
        about="one chain across languages in a loaded environment",
        sizes=(10_000, 100_000),
        generate=generate,
        sabir="benchmarks.environment:why",
        tiny=40,
    ),
    Workload(
        name="environment-impact",
        about="everything that rests on one line of a loaded environment",
        sizes=(10_000, 100_000),
        generate=generate,
        sabir="benchmarks.environment:impact",
        tiny=40,
    ),
)
