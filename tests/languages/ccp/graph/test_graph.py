"""The graph of a deployment."""

from __future__ import annotations

from sabir.graph import EdgeKind, How, Sensitive
from sabir.languages.ccp import LANGUAGE
from sabir.languages.language import EvaluationRequest
from sabir.source.packages import MemoryPackage
from tests.languages.ccp.building import service

FILES = {
    "service/web.yaml": service(
        "web",
        head="ports: [{{ web.port }}]",
        container="pre: [{name: boot, type: single, command: x, files: [conf]}]",
        daemon="dependencies: [db]\nfiles: [conf]",
        tail="files: {conf: {path: /etc/web.conf, content: web.j2}}",
    ),
    "service/db.yaml": service("db"),
    "service/files/web.j2": "x",
    "service/files/defaults.yaml": "configs: {web: {port: 8080}}\nsecret_configs: {db: {password: hush}}\n",
}


def test_instances_owners_and_relations() -> None:
    graph = LANGUAGE.evaluate(MemoryPackage(FILES), EvaluationRequest()).graph
    owners = {one.id: one.owner for one in graph if one.type.startswith("ccp::")}
    component = next(one.id for one in graph if one.type == "ccp::Component")
    assert owners == {
        component: None,
        "db": component,
        "db/db": "db",
        "db/db/daemon": "db/db",
        "web": component,
        "web/web": "web",
        "web/boot": "web/web",
        "web/web/daemon": "web/web",
        "web#conf": "web",
    }
    assert graph["web"].relations["depends_on"] == ("db",)
    assert graph["web/web"].requires == ("web/boot", "db/db")
    assert graph["web/web/daemon"].relations["files"] == ("web#conf",)
    assert graph["Deployment/web"].relations["made_from"] == ("web",)
    assert graph["Job/web-boot"].relations["made_from"] == ("web/boot",)
    assert graph["Deployment/web"].type == "apps/v1/Deployment"
    assert graph.outputs["start_order"] == [["db/db", "web/boot"], ["web/web"]]


def test_kinds_of_edges() -> None:
    graph = LANGUAGE.evaluate(MemoryPackage(FILES), EvaluationRequest()).graph
    kinds = {name: one.kinds.of_relation(name) for one in graph for name in one.relations}
    assert kinds == {
        "depends_on": EdgeKind.DEPENDS_ON,
        "files": EdgeKind.USES,
        "made_from": EdgeKind.MADE_FROM,
    }
    assert {one.kinds.owner for one in graph} == {EdgeKind.PART_OF}
    assert graph["web"].kinds is graph["db/db"].kinds


def test_values_know_their_template_line_and_the_configuration_behind_it() -> None:
    graph = LANGUAGE.evaluate(MemoryPackage(FILES), EvaluationRequest(full_provenance=True)).graph
    origin = graph["web"].origins["ports"]
    assert (str(origin.location), origin.how) == ("service/web.yaml:4:10", How.TEMPLATE)
    (source,) = origin.sources
    assert str(getattr(source, "location", None)) == "service/files/defaults.yaml:1:23"
    assert graph["web"].origins["name"].how is How.LITERAL


def test_secrets_are_sensitive() -> None:
    graph = LANGUAGE.evaluate(MemoryPackage(FILES), EvaluationRequest()).graph
    assert isinstance(graph["Secret/global-secrets"].attributes["data"], Sensitive)


def test_inputs_stand_over_the_configuration() -> None:
    request = EvaluationRequest(inputs={"web.port": 9090})
    graph = LANGUAGE.evaluate(MemoryPackage(FILES), request).graph
    assert graph["web"].attributes["ports"] == [9090]


def test_a_name_means_the_service_not_the_objects_called_like_it() -> None:
    from pathlib import Path

    from sabir.operations.query import QueryRequest, query_graph

    graph = LANGUAGE.evaluate(MemoryPackage(FILES), EvaluationRequest()).graph
    for expression, expected in (
        ("::web::ports", [8080]),
        ("::web::kind", None),
        ("::web/web/daemon::command", "run-web"),
        ("::Deployment/web::spec::replicas", 1),
    ):
        answer = query_graph(graph, QueryRequest(path=Path(), expression=expression))
        found = answer.values[0] if len(answer.values) == 1 else list(answer.values) or None
        assert found == expected
