"""What the edges of a topology mean in the graph."""

from __future__ import annotations

import pytest

from sabir.graph import EdgeKind, Graph
from sabir.languages.tosca.evaluate import Request
from sabir.languages.tosca.graph.build import build_graph
from sabir.languages.tosca.graph.evaluation import instantiate_topology
from sabir.languages.tosca.syntax.documents import load_topology
from sabir.languages.tosca.syntax.files import PackageFiles
from sabir.source.packages import MemoryPackage

TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
relationship_types:
  Runs: {derived_from: tosca.relationships.HostedOn}
  Talks: {derived_from: tosca.relationships.RoutesTo}
  Other: {derived_from: tosca.relationships.Root}
node_types:
  App:
    derived_from: tosca.nodes.Root
    artifacts: {image: {type: tosca.artifacts.File, file: image.tar}}
    requirements:
      - host: {capability: tosca.capabilities.Compute, relationship: Runs, occurrences: [0, 1]}
      - talks: {capability: tosca.capabilities.Node, relationship: Talks, occurrences: [0, 9]}
      - disk: {capability: tosca.capabilities.Node, relationship: tosca.relationships.AttachesTo, occurrences: [0, 1]}
      - other: {capability: tosca.capabilities.Node, relationship: Other, occurrences: [0, 1]}
topology_template:
  node_templates:
    vm: {type: tosca.nodes.Compute}
    db: {type: App}
    web:
      type: App
      requirements:
        - host: vm
        - talks: db
        - disk: db
        - other: db
        - dependency: vm
    mixed:
      type: App
      requirements: [{talks: db}, {talks: {node: vm, relationship: tosca.relationships.DependsOn}}]
"""


@pytest.fixture(scope="module")
def graph() -> Graph:
    loaded = load_topology(PackageFiles(MemoryPackage({"t.yaml": TEMPLATE})), "t.yaml")
    return build_graph(instantiate_topology(loaded, Request())).graph


@pytest.mark.parametrize(
    ("id_", "kind"),
    [
        ("vm", EdgeKind.PART_OF),
        ("web", EdgeKind.HOSTED_ON),
        ("vm.capabilities.host", EdgeKind.CAPABILITY_OF),
        ("web.requirements.host", EdgeKind.REQUIREMENT_OF),
        ("web.artifacts.image", EdgeKind.ARTIFACT_OF),
    ],
)
def test_owners(graph: Graph, id_: str, kind: EdgeKind) -> None:
    assert graph[id_].kinds.owner is kind


@pytest.mark.parametrize(
    ("id_", "relation", "kind"),
    [
        ("web", "host", EdgeKind.HOSTED_ON),
        ("web", "talks", EdgeKind.CONNECTS_TO),
        ("web", "disk", EdgeKind.ATTACHES_TO),
        ("web", "other", EdgeKind.REQUIREMENT),
        ("web", "dependency", EdgeKind.DEPENDS_ON),
        ("mixed", "talks", EdgeKind.REQUIREMENT),
        ("web.requirements.host", "target", EdgeKind.HOSTED_ON),
        ("mixed.requirements.talks[vm]", "target", EdgeKind.DEPENDS_ON),
    ],
)
def test_relations(graph: Graph, id_: str, relation: str, kind: EdgeKind) -> None:
    assert relation in graph[id_].relations
    assert graph[id_].kinds.of_relation(relation) is kind


def test_nodes_of_one_layout_share_their_kinds(graph: Graph) -> None:
    capabilities = [one.kinds for one in graph if one.kinds.owner is EdgeKind.CAPABILITY_OF]
    assert len({id(kinds) for kinds in capabilities}) == 1
