"""Where nodes are in their lives, told by what the state has of their operations."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.graph.observations import Sightings
from sabir.graph.values import Value
from sabir.languages.language import EvaluationRequest
from sabir.operations.evaluation import evaluate_path

TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Box:
    derived_from: tosca.nodes.Root
    interfaces: {Standard: {operations: {create: run.sh, start: run.sh, delete: run.sh}}}
topology_template:
  node_templates:
    box: {type: Box}
    made: {type: tosca.nodes.Root, interfaces: {Standard: {operations: {create: run.sh}}}}
    plain: {type: tosca.nodes.Root, requirements: [{dependency: middle}]}
    middle: {type: tosca.nodes.Root, requirements: [{dependency: box}]}
"""
BOX = "box.interfaces.Standard."
CREATED = {f"{BOX}create.undone-by-delete": "ok", f"{BOX}create": "ok"}
STARTED = {**CREATED, f"{BOX}start": "ok"}


@pytest.mark.parametrize(
    ("statuses", "observed", "states"),
    [
        pytest.param({}, {}, {}, id="nothing is deployed"),
        pytest.param(CREATED, {}, {"box": "created", "plain": "initial"}, id="as far as it came"),
        pytest.param(STARTED, {}, {"box": "started", "made": "initial", "plain": "started"}, id="to the end"),
        pytest.param(
            {**CREATED, f"{BOX}start": "error"}, {}, {"box": "error", "plain": "initial"}, id="failed"
        ),
        pytest.param(
            {"made.interfaces.Standard.create": "ok"}, {}, {"made": "started"}, id="no further operation"
        ),
        pytest.param(STARTED, {"box|state": "stopped"}, {"box": "stopped"}, id="set by a workflow"),
        pytest.param(
            {**STARTED, "box.requirements.to.interfaces.Configure.add_target[made]": "error"},
            {},
            {"box": "error"},
            id="a relationship failed",
        ),
    ],
)
def test_states(
    tmp_path: Path, statuses: dict[str, str], observed: dict[str, Value], states: dict[str, str]
) -> None:
    (tmp_path / "run.sh").write_text("true\n", encoding="utf-8")
    path = tmp_path / "service.yaml"
    path.write_text(TEMPLATE, encoding="utf-8")
    request = EvaluationRequest(observed=observed, sightings=Sightings(statuses=statuses))
    graph = evaluate_path(path, request).evaluation.graph
    told = {node: graph[node].attributes["state"] for node in states}
    assert told == states
    for node in states:
        expected = {"started": "ok", "error": "error", "initial": "absent"}.get(states[node], "pending")
        assert graph[node].status == expected
    if not states:
        assert graph["box"].status is None


def test_a_workflow_may_set_a_state_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("true\n", encoding="utf-8")
    path = tmp_path / "service.yaml"
    path.write_text(TEMPLATE, encoding="utf-8")
    for statuses, told in ((STARTED, "backed_up"), ({**CREATED, f"{BOX}start": "error"}, "error")):
        request = EvaluationRequest(
            observed={"box|state": "backed_up"}, sightings=Sightings(statuses=statuses)
        )
        assert evaluate_path(path, request).evaluation.graph["box"].attributes["state"] == told


def test_a_long_chain_of_nodes_without_operations(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("true\n", encoding="utf-8")
    links = "".join(
        f"    n{number}: {{type: tosca.nodes.Root, requirements: [{{dependency: n{number + 1}}}]}}\n"
        for number in range(2000)
    )
    path = tmp_path / "service.yaml"
    path.write_text(TEMPLATE + links + "    n2000: {type: Box}\n", encoding="utf-8")
    statuses = {name.replace("box", "n2000"): status for name, status in STARTED.items()}
    request = EvaluationRequest(sightings=Sightings(statuses=statuses))
    graph = evaluate_path(path, request).evaluation.graph
    assert graph["n0"].status == "ok"
