"""The way through the steps of a workflow: who begins, who waits, who is left out."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sabir.languages.tosca.graph.workflow_runner import Walk
from sabir.languages.tosca.syntax.documents import load_file
from sabir.languages.tosca.syntax.nodes import Workflow

_HEAD = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates: {n: {type: tosca.nodes.Root}}
  workflows:
    w:
      steps:
"""


def _workflow(folder: Path, steps: list[str]) -> Workflow:
    lines = [
        f"        {step.replace('(', '{target: n, activities: [{set_state: x}], ').replace(')', '}')}\n"
        for step in steps
    ]
    (folder / "main.yaml").write_text(_HEAD + "".join(lines))
    topology = load_file(folder / "main.yaml").topology
    assert topology is not None
    return topology.workflows["w"]


async def _walked(workflow: Workflow, failing: set[str]) -> tuple[list[str], Walk]:
    ran: list[str] = []

    async def run(name: str) -> str | None:
        await asyncio.sleep(0)
        ran.append(name)
        return "no" if name in failing else None

    walk = Walk(workflow, run)
    await walk.walk()
    return ran, walk


@pytest.mark.parametrize(
    ("steps", "failing", "expected", "failure"),
    [
        pytest.param(["a: (on_success: [b])", "b: ()"], set(), ["a", "b"], None, id="one after the other"),
        pytest.param(
            ["a: (on_success: [c])", "b: (on_success: [c])", "c: ()"],
            set(),
            ["a", "b", "c"],
            None,
            id="waits for both",
        ),
        pytest.param(
            ["a: (on_success: [b])", "b: (on_success: [c])", "c: ()"],
            {"a"},
            ["a"],
            "a",
            id="nothing behind a failure",
        ),
        pytest.param(
            ["a: (on_success: [b], on_failure: [c])", "b: (on_success: [d])", "c: ()", "d: ()"],
            {"a"},
            ["a", "c"],
            None,
            id="a failure that is dealt with",
        ),
        pytest.param(["a: (on_failure: [c])", "c: ()"], set(), ["a"], None, id="no failure to deal with"),
        pytest.param(
            ["a: (on_success: [c])", "b: (on_failure: [c])", "c: ()"],
            {"b"},
            ["a", "b", "c"],
            None,
            id="success or failure",
        ),
    ],
)
def test_steps(
    tmp_path: Path, steps: list[str], failing: set[str], expected: list[str], failure: str | None
) -> None:
    ran, walk = asyncio.run(_walked(_workflow(tmp_path, steps), failing))
    assert sorted(ran) == expected
    assert walk.failure == (None if failure is None else f"step {failure!r} of workflow 'w': no")
    assert bool(walk.handled) is (bool(failing) and failure is None)


def test_a_long_workflow_is_walked_to_its_end(tmp_path: Path) -> None:
    count = 2_000
    steps = [f"s{number}: (on_success: [s{number + 1}])" for number in range(count)]
    workflow = _workflow(tmp_path, [*steps, f"s{count}: ()"])
    ran, _ = asyncio.run(_walked(workflow, set()))
    assert ran == [f"s{number}" for number in range(count + 1)]
