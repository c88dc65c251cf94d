"""Workflows, triggers and calls of operations, carried out by the command line on scripts that tell what they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sabir.cli.main import main

_SCRIPT = """\
line="$SABIR_INSTANCE/$SABIR_OPERATION"
[ -z "$word" ] || line="$line $word"
echo "$line" >> "$LOG"
[ "$FAIL" != "$SABIR_INSTANCE/$SABIR_OPERATION" ] || exit 3
told="told by $SABIR_INSTANCE"
"""
_TYPES = """\
tosca_definitions_version: tosca_simple_yaml_1_3
interface_types:
  Ops: {derived_from: tosca.interfaces.Root, operations: {save: {}, load: {}, ask: {}}}
relationship_types:
  Link:
    derived_from: tosca.relationships.DependsOn
    interfaces: {Configure: {operations: {target_changed: log.sh}}}
node_types:
  Box:
    derived_from: tosca.nodes.Root
    attributes: {told: {type: string, default: nothing}, load: {type: integer, default: 7}}
    requirements: [{to: {capability: tosca.capabilities.Node, relationship: Link, occurrences: [0, 1]}}]
    interfaces:
      Standard: {operations: {create: log.sh, start: log.sh, stop: log.sh, delete: log.sh}}
      Ops:
        type: Ops
        operations:
          save: {implementation: log.sh, inputs: {word: {type: string, default: ''}}}
          load: {implementation: log.sh, inputs: {word: {type: string, default: {get_attribute: [SELF, told]}}}}
          ask: {implementation: log.sh, outputs: {told: [SELF, told]}}
topology_template:
  node_templates:
    a: {type: Box}
    b: {type: Box, requirements: [{to: a}]}
"""


class Deployment:
    """A template below a folder, and what its scripts have told."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, rest: str) -> None:
        self.file = folder / "service.yaml"
        self.file.write_text(_TYPES + rest)
        (folder / "log.sh").write_text(_SCRIPT)
        self._log = folder / "log"
        self._patch = monkeypatch
        monkeypatch.setenv("LOG", str(self._log))

    def run(self, verb: str, *words: str, fail: str = "") -> tuple[int, list[str]]:
        self._log.unlink(missing_ok=True)
        self._patch.setenv("FAIL", fail)
        more = ["--allow-delete", "all"] if verb in ("deploy", "destroy") else []
        status = main([verb, str(self.file), *words, "--here", "--trust", "scripts", "--yes", *more])
        return status, self._log.read_text().splitlines() if self._log.exists() else []


def _steps(text: str) -> str:
    return "  workflows:\n    w:\n" + text


@pytest.mark.parametrize(
    ("workflow", "words", "log"),
    [
        pytest.param(
            "      steps:\n        one: {target: a, activities: [{call_operation: {operation: Ops.save, inputs: {word: hi}}}]}\n",
            (),
            ["a/save hi"],
            id="an input of the call wins",
        ),
        pytest.param(
            "      inputs: {say: {type: string, default: hey}}\n      steps:\n"
            "        one: {target: a, activities: [{call_operation: {operation: Ops.save, inputs: {word: {get_input: say}}}}]}\n",
            (),
            ["a/save hey"],
            id="a default of the workflow",
        ),
        pytest.param(
            "      inputs: {say: {type: string}}\n      steps:\n"
            "        one: {target: a, activities: [{call_operation: {operation: Ops.save, inputs: {word: {get_input: say}}}}]}\n",
            ("--arg", "say=ho"),
            ["a/save ho"],
            id="an input of the workflow",
        ),
        pytest.param(
            "      steps:\n        one: {target: a, activities: [{call_operation: Ops.ask}], on_success: [two]}\n"
            "        two: {target: a, activities: [{call_operation: Ops.load}]}\n",
            (),
            ["a/ask", "a/load told by a"],
            id="an output is there for the step behind it",
        ),
        pytest.param(
            "      steps:\n        one: {target: a, activities: [{inline: inner}], on_success: [two]}\n"
            "        two: {target: b, activities: [{call_operation: Ops.save}]}\n"
            "    inner:\n      steps: {in: {target: a, activities: [{call_operation: Ops.save}]}}\n",
            (),
            ["a/save", "b/save"],
            id="a workflow inside",
        ),
        pytest.param(
            "      steps:\n        one: {target: b, target_relationship: to, activities: [{call_operation: Configure.target_changed}]}\n",
            (),
            ["b/target_changed"],
            id="a relationship",
        ),
        pytest.param(
            "      steps:\n        one: {target: a, filter: [{load: {greater_than: 9}}], activities: [{call_operation: Ops.save}], on_success: [two]}\n"
            "        two: {target: a, filter: [{load: {less_than: 9}}], activities: [{call_operation: Ops.load}]}\n",
            (),
            ["a/load nothing"],
            id="a filter leaves out",
        ),
        pytest.param(
            "      steps:\n        one: {target: all, activities: [{call_operation: Ops.save}]}\n"
            "  groups: {all: {type: tosca.groups.Root, members: [a, b]}}\n",
            (),
            ["a/save", "b/save"],
            id="all members of a group",
        ),
        pytest.param(
            "      steps:\n        one: {target: a, activities: [{call_operation: Ops.save}], on_success: [last]}\n"
            "        two: {target: b, activities: [{call_operation: Ops.save}], on_success: [last]}\n"
            "        last: {target: a, activities: [{call_operation: Ops.load}]}\n",
            (),
            ["a/save", "b/save", "a/load nothing"],
            id="a step waits for all that lead to it",
        ),
    ],
)
def test_a_workflow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workflow: str, words: tuple[str, ...], log: list[str]
) -> None:
    deployment = Deployment(tmp_path, monkeypatch, _steps(workflow))
    assert deployment.run("deploy")[0] == 0
    status, told = deployment.run("call", "w", *words)
    assert status == 0
    assert sorted(told[:2]) + told[2:] == log


@pytest.mark.parametrize(
    ("workflow", "words", "message"),
    [
        ("      steps:\n        one: {target: a, activities: [{call_operation: Ops.sav}]}\n", (), "Ops.sav"),
        ("      inputs: {say: {type: string}}\n      steps: {one: {target: a}}\n", (), "say"),
        (
            "      inputs: {say: {type: integer}}\n      steps: {one: {target: a}}\n",
            ("--arg", "say=ho"),
            "not a whole number",
        ),
    ],
)
def test_what_can_be_known_is_said_before_anything_runs(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    workflow: str,
    words: tuple[str, ...],
    message: str,
) -> None:
    deployment = Deployment(tmp_path, monkeypatch, _steps(workflow))
    status, told = deployment.run("call", "w", *words)
    assert status != 0
    assert told == []
    said = capsys.readouterr()
    assert message in said.err + said.out


def test_a_precondition_that_does_not_hold_keeps_the_workflow_from_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployment = Deployment(
        tmp_path,
        monkeypatch,
        _steps(
            "      preconditions: [{target: a, condition: [{told: {equal: told by a}}]}]\n"
            "      steps: {one: {target: a, activities: [{call_operation: Ops.save}]}}\n"
        ),
    )
    deployment.run("deploy")
    assert deployment.run("call", "w") == (1, [])
    assert deployment.run("call", "a.Ops.ask") == (0, ["a/ask"])
    assert deployment.run("call", "w") == (0, ["a/save"])


OWN = """\
  workflows:
    deploy:
      steps:
        first: {target: b, activities: [{set_state: creating}, {call_operation: Standard.create}], on_success: [second]}
        second: {target: a, activities: [{call_operation: Standard.start}]}
"""


def test_a_workflow_for_deploying_takes_the_place_of_the_usual_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployment = Deployment(tmp_path, monkeypatch, OWN)
    assert deployment.run("deploy") == (0, ["b/create", "a/start"])
    assert deployment.run("deploy") == (0, [])
    status, told = deployment.run("destroy")
    assert status == 0
    assert told == ["b/stop", "b/delete", "a/stop", "a/delete"]


def test_a_workflow_for_deploying_that_failed_goes_on_at_the_operation_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployment = Deployment(tmp_path, monkeypatch, OWN)
    assert deployment.run("deploy", fail="a/start") == (1, ["b/create", "a/start"])
    assert deployment.run("deploy") == (0, ["a/start"])
    assert deployment.run("deploy") == (0, [])


def test_a_workflow_for_undeploying_takes_the_place_of_the_usual_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployment = Deployment(
        tmp_path,
        monkeypatch,
        "  workflows:\n    undeploy:\n      steps:\n"
        "        one: {target: a, activities: [{call_operation: Standard.delete}], on_success: [two]}\n"
        "        two: {target: b, activities: [{call_operation: Standard.stop}]}\n",
    )
    assert deployment.run("deploy") == (0, ["a/create", "a/start", "b/create", "b/start"])
    assert deployment.run("deploy") == (0, [])
    assert deployment.run("destroy") == (0, ["a/delete", "b/stop"])
    assert deployment.run("destroy") == (0, [])


def test_what_is_delegated_is_recorded_as_a_deployment_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployment = Deployment(
        tmp_path,
        monkeypatch,
        _steps("      steps: {one: {target: b, activities: [{delegate: undeploy}]}}\n"),
    )
    deployment.run("deploy")
    assert deployment.run("call", "w") == (0, ["b/stop", "b/delete"])
    assert deployment.run("deploy") == (0, ["b/create", "b/start"])
    assert deployment.run("deploy") == (0, [])


@pytest.mark.parametrize(
    ("fail", "status", "log"),
    [
        ("", 0, ["a/save", "a/load nothing", "b/save"]),
        ("a/save", 0, ["a/save", "b/load nothing"]),
        ("a/load", 0, ["a/save", "a/load nothing", "b/load nothing"]),
        ("b/save", 1, ["a/save", "a/load nothing", "b/save"]),
    ],
)
def test_a_failure_goes_the_way_that_is_there_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fail: str, status: int, log: list[str]
) -> None:
    deployment = Deployment(
        tmp_path,
        monkeypatch,
        _steps(
            "      steps:\n"
            "        one: {target: a, activities: [{call_operation: Ops.save}], on_success: [two], on_failure: [out]}\n"
            "        two: {target: a, activities: [{call_operation: Ops.load}], on_success: [three], on_failure: [out]}\n"
            "        three: {target: b, activities: [{call_operation: Ops.save}]}\n"
            "        out: {target: b, activities: [{call_operation: Ops.load}]}\n"
        ),
    )
    deployment.run("deploy")
    assert deployment.run("call", "w", fail=fail) == (status, log)


TRIGGER = """\
  policies:
    - p:
        type: tosca.policies.Scaling
        targets: [a]
        triggers:
          up:
            event: busy
            condition: {constraint: [{load: {greater_than: %s}}]}
            action: [{call_operation: {operation: Ops.save, inputs: {word: grown}}}]
"""


@pytest.mark.parametrize(("bound", "log"), [("5", ["a/save grown"]), ("8", [])])
def test_a_trigger_acts_when_its_condition_holds(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    bound: str,
    log: list[str],
) -> None:
    deployment = Deployment(tmp_path, monkeypatch, TRIGGER % bound)
    deployment.run("deploy")
    assert deployment.run("notify", "busy") == (0, log)
    assert ("policies.p.up has nothing to do as things are" in capsys.readouterr().err) is not bool(log)


def test_every_operation_can_be_called_with_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    deployment = Deployment(tmp_path, monkeypatch, "")
    deployment.run("deploy")
    assert deployment.run("call", "b.Ops.save", "--arg", "word=now") == (0, ["b/save now"])
    assert deployment.run("call", "b.Ops.save") == (0, ["b/save"])
    capsys.readouterr()
    main(["call", str(deployment.file), "--list"])
    assert re.search(r"b\.Ops\.save", capsys.readouterr().out)


def test_an_operation_that_a_workflow_of_the_topology_inside_carries_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inner.yaml").write_text(
        _TYPES.partition("topology_template:")[0] + "topology_template:\n"
        "  node_templates: {inner: {type: Box}}\n"
        "  workflows:\n"
        "    saving:\n"
        "      inputs: {say: {type: string, default: inside}}\n"
        "      steps:\n"
        "        one: {target: inner, activities: [{call_operation: {operation: Ops.save, inputs: {word: {get_input: say}}}}]}\n"
        "  substitution_mappings: {node_type: Box, interfaces: {Ops: {save: saving}}}\n"
    )
    deployment = Deployment(
        tmp_path,
        monkeypatch,
        "    c: {type: Box, directives: [substitute]}\n"
        + _steps(
            "      steps: {one: {target: c, activities: [{call_operation: {operation: Ops.save, inputs: {say: outer}}}]}}\n"
        ),
    )
    assert deployment.run("deploy")[0] == 0
    assert deployment.run("call", "c.Ops.save") == (0, ["inner/save inside"])
    assert deployment.run("call", "c.Ops.save", "--arg", "say=mine") == (0, ["inner/save mine"])
    assert deployment.run("call", "w") == (0, ["inner/save outer"])
