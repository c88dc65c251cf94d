"""Loading TOSCA templates: a tenth of the nodes are hosts, the rest services on them. The peer is tosca-parser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.runner.workload import Measure, Workload

__all__ = ["WORKLOADS"]

_HEAD = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  bench.nodes.Service:
    derived_from: tosca.nodes.Root
    properties:
      port: {type: integer, default: 80}
      zone: {type: string}
      label: {type: string}
      role: {type: string, default: web}
      opts: {type: map, required: false, entry_schema: {type: string}}
      hosts: {type: list, required: false, entry_schema: {type: string}}
    requirements:
      - host: {capability: tosca.capabilities.Compute, node: tosca.nodes.Compute, relationship: tosca.relationships.HostedOn}
topology_template:
  inputs:
    zone: {type: string, default: z1}
  node_templates:
"""


def _lines(size: int) -> Iterator[str]:
    yield _HEAD
    hosts = max(1, size // 10)
    for host in range(hosts):
        yield f"    vm{host}:\n      type: tosca.nodes.Compute\n      capabilities:\n"
        yield f"        host: {{properties: {{num_cpus: {1 + host % 8}, mem_size: 4 GB}}}}\n"
    for number in range(size - hosts):
        yield f"    svc{number}:\n      type: bench.nodes.Service\n      properties:\n        port: {1024 + number}\n"
        yield "        zone: {get_input: zone}\n"
        yield f"        label: {{concat: [svc-, '{number}', '-', {{get_input: zone}}]}}\n"
        yield f"        role: {('web', 'db', 'mq')[number % 3]}\n"
        yield f"        opts: {{a: 'x{number}', b: y}}\n        hosts: [h{number}, h{number + 1}]\n"
        yield f"      requirements:\n        - host: vm{number % hosts}\n"
        if number:
            yield f"        - dependency: svc{number - 1}\n"
    yield "  outputs:\n    first: {value: {get_property: [svc0, port]}}\n"


def generate(size: int, folder: Path) -> None:
    (folder / "template.yaml").write_text("".join(_lines(size)), encoding="utf-8")


def load(folder: str, size: int) -> Callable[[], object]:
    from sabir.languages.tosca.evaluate import Request
    from sabir.languages.tosca.graph.evaluation import instantiate_topology
    from sabir.languages.tosca.syntax.documents import load_file

    path = Path(folder, "template.yaml")
    return lambda: len(instantiate_topology(load_file(path), Request()).nodes)


def compile_graph(folder: str, size: int) -> Callable[[], object]:
    from sabir.languages.tosca.evaluate import Request
    from sabir.languages.tosca.graph.build import build_graph
    from sabir.languages.tosca.graph.evaluation import instantiate_topology
    from sabir.languages.tosca.syntax.documents import load_file

    path = Path(folder, "template.yaml")
    return lambda: len(build_graph(instantiate_topology(load_file(path), Request())).graph) > size


def ask(folder: str, size: int) -> Callable[[], object]:
    from sabir.languages.language import EvaluationRequest
    from sabir.operations.evaluation import evaluate_path
    from sabir.operations.query import QueryRequest, query_evaluation

    path = Path(folder, "template.yaml")
    evaluated = evaluate_path(path, EvaluationRequest())
    request = QueryRequest(path=path, expression="::*::[role=db]")
    return lambda: len(query_evaluation(evaluated.evaluation, request, evaluated.package).values)


WORKLOADS = (
    Workload(
        name="tosca-load",
        about="read and check a template of so many nodes and make its instances",
        sizes=(1_000,),
        generate=generate,
        sabir="benchmarks.tosca:load",
        peer="tosca_parser_peer.py:load",
        tiny=12,
    ),
    Workload(
        name="tosca-load-cold",
        about="the same with the start of the process",
        sizes=(1_000,),
        generate=generate,
        sabir="benchmarks.tosca:load",
        peer="tosca_parser_peer.py:load",
        measure=Measure.PROCESS,
        tiny=12,
    ),
    Workload(
        name="tosca-compile",
        about="the same, every value computed and the graph made",
        sizes=(1_000,),
        generate=generate,
        sabir="benchmarks.tosca:compile_graph",
        tiny=12,
    ),
    Workload(
        name="tosca-query",
        about="::*::[role=db] asked of an evaluated template of so many nodes, its tree made for the question",
        sizes=(10_000,),
        generate=generate,
        sabir="benchmarks.tosca:ask",
        tiny=12,
    ),
)
