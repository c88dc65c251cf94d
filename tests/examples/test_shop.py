"""The shipped environment: four languages, one graph, and chains whose lines really decide the value."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sabir.checks.options import CheckOptions
from sabir.graph import Graph, Value
from sabir.languages.language import EvaluationRequest
from sabir.operations.check import check_paths
from sabir.operations.evaluation import evaluate_path
from sabir.operations.impact import ImpactRequest, impact_path
from sabir.operations.why import WhyRequest, why_path
from tests.support.files import change_line

SHOP = Path(__file__).resolve().parents[2] / "examples" / "shop"
SUBJECT = "web/shop-web/web.env"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHOP, tmp_path / "shop"))


def graph(folder: Path) -> Graph:
    evaluation = evaluate_path(folder, EvaluationRequest()).evaluation
    assert [one.message for one in evaluation.findings] == []
    return evaluation.graph


def env(folder: Path) -> Value:
    return graph(folder)["web/shop-web/web"].attributes["env"]


def test_it_is_clean() -> None:
    result = check_paths([SHOP], CheckOptions())
    assert [finding.message for _, finding in result.report.findings()] == []


def test_values_cross_the_languages() -> None:
    made = graph(SHOP)
    assert {one.language for one in made} == {"inmanta", "tosca", "resources", "ccp", "muranopl"}
    assert made.outputs == {"database": "mysql://10.20.2.20:3306/shop", "frontend": "10.20.1.1:8080"}


CHANGES = {
    "template": ("web/service/shop-web.yaml", 13, "{{ database.host }}:", "{{ database.host }}/"),
    "reference to the host": (
        "sabir.yaml",
        22,
        '{eval: "::database::mysql::.capabilities::endpoint::ip"}',
        "elsewhere",
    ),
    "reference to the port": (
        "sabir.yaml",
        23,
        '{eval: "::database::mysql::.capabilities::endpoint::port"}',
        "1",
    ),
    "capability": ("database/service-template.yaml", 49, "{get_input: address}", "elsewhere"),
    "default of the port": ("database/service-template.yaml", 8, "3306", "3307"),
    "input of the template": ("sabir.yaml", 14, '{eval: "::network::database::ip"}', "elsewhere"),
    "refinement": ("network/main.cf", 29, "10.20.", "10.30."),
    "block of the network": ("network/main.cf", 36, "block=2", "block=3"),
    "number of the host": ("network/main.cf", 39, "number=20", "number=21"),
    "network of the host": ("network/main.cf", 39, "network=back", "network=front"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_line_of_the_chain_decides_the_value(name: str, shop: Path) -> None:
    file, line, old, new = CHANGES[name]
    before = env(shop)
    change_line(shop / file, line, old, new)
    assert env(shop) != before


def test_the_chain_names_these_lines() -> None:
    steps = why_path(WhyRequest(path=SHOP, subject=SUBJECT)).steps
    named = {(step.location.file, step.location.line) for step in steps if step.location is not None}
    # The template line is named at the item it stands in.
    wanted = {(file, 12 if name == "template" else line) for name, (file, line, _, _) in CHANGES.items()}
    assert wanted <= named


def test_impact_goes_the_same_way_back() -> None:
    for file, line in {(file, line) for file, line, _, _ in CHANGES.values() if file.startswith("network")}:
        affected = impact_path(ImpactRequest(path=SHOP, line=f"{file}:{line}")).affected
        assert ("web/shop-web/web", "env") in {(one.instance, one.attribute) for one in affected}


def test_what_if_changes_what_follows_and_no_file(shop: Path) -> None:
    request = EvaluationRequest(overrides={"database/mysql.address": "10.9.9.9"})
    changed = evaluate_path(shop, request).evaluation.graph
    assert changed["app/database"].attributes["url"] == "10.9.9.9:3306"
    assert graph(shop)["app/database"].attributes["url"] == "10.20.2.20:3306"


def test_a_broken_rule_is_reported(shop: Path) -> None:
    text = (shop / "sabir.yaml").read_text()
    (shop / "sabir.yaml").write_text(text.replace('{eval: "::web::web::shop-web::ports::0"}', "80"))
    result = check_paths([shop], CheckOptions())
    (finding,) = (finding for _, finding in result.report.findings())
    assert finding.code == "SHOP:W001"
    assert str(finding.location).startswith("sabir.yaml:36")


def test_impact_reaches_the_rendered_objects_that_change_and_no_others(shop: Path) -> None:
    impact = impact_path(ImpactRequest(path=shop, line="network/main.cf:36"))
    named = {one.instance for one in impact.affected if one.instance is not None}
    before = {one.id: one for one in graph(shop) if "/v1/" in f"/{one.type}"}
    text = (shop / "network/main.cf").read_text()
    (shop / "network/main.cf").write_text(text.replace("block=2", "block=3"))
    after = graph(shop)
    changed = {id_ for id_, one in before.items() if dict(after[id_].attributes) != dict(one.attributes)}
    assert changed == {id_ for id_ in named if id_ in before}


URL_CHANGES = {
    "assignment": ("app/Classes/Endpoint.yaml", 21, "':'", "'/'"),
    "reference to the host": ("sabir.yaml", 35, '{eval: "::network::front::gateway"}', "elsewhere"),
    "reference to the port": ("sabir.yaml", 36, '{eval: "::web::web::shop-web::ports::0"}', "1"),
}


@pytest.mark.parametrize("name", URL_CHANGES)
def test_an_assignment_leads_to_what_it_read(name: str, shop: Path) -> None:
    file, line, old, new = URL_CHANGES[name]
    steps = why_path(WhyRequest(path=shop, subject="frontend.url")).steps
    named = {(step.location.file, step.location.line) for step in steps if step.location is not None}
    assert (file, line) in named
    before = graph(shop)["app/frontend"].attributes["url"]
    change_line(shop / file, line, old, new)
    assert graph(shop)["app/frontend"].attributes["url"] != before
