"""Operations that read what they, or others that read theirs, give: each runs once in a deployment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sabir.cli.main import main

HEAD = "tosca_definitions_version: tosca_simple_yaml_1_3\n"
STUDENTS = (
    HEAD
    + """\
node_types:
  Student:
    derived_from: tosca.nodes.Root
    properties: {number: {type: integer}}
    attributes: {id: {type: string}}
    interfaces:
      Standard:
        operations:
          create:
            implementation: run.sh
            inputs: {number: {type: integer, default: {get_property: [SELF, number]}}}
            outputs: {id: [SELF, id]}
  Teacher:
    derived_from: tosca.nodes.Root
    attributes: {ids: {type: string, default: ""}}
    requirements:
      - student: {capability: tosca.capabilities.Node, relationship: Teaches, occurrences: [0, UNBOUNDED]}
relationship_types:
  Teaches:
    derived_from: tosca.relationships.DependsOn
    interfaces:
      Configure:
        operations:
          pre_configure_source:
            implementation: run.sh
            inputs:
              id: {type: string, default: {get_attribute: [TARGET, id]}}
              ids: {type: string, default: {get_attribute: [SOURCE, ids]}}
            outputs: {new: [SOURCE, ids]}
topology_template:
  outputs: {ids: {type: string, value: {get_attribute: [paul, ids]}}}
  node_templates:
"""
)
RUN_STUDENT = """\
if [ -n "$number" ]; then
  id=student-$number
  echo "$id" >> "$DEPLOY_LOG"
else
  new="$ids$id,"
  echo "link $id" >> "$DEPLOY_LOG"
fi
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEPLOY_LOG", str(tmp_path / "ran"))
    monkeypatch.delenv("SABIR_KEY", raising=False)
    return tmp_path


def _deploy(folder: Path, expected: int = 0) -> list[str]:
    """Deploy, and return what ran."""
    log = folder / "ran"
    log.unlink(missing_ok=True)
    assert main(["deploy", str(folder / "service.yaml"), "--yes", "--here", "--trust", "scripts"]) == expected
    return log.read_text().splitlines() if log.exists() else []


def _students(folder: Path, numbers: Sequence[int]) -> None:
    students = "".join(
        f"    s{each}: {{type: Student, properties: {{number: {each}}}}}\n" for each in numbers
    )
    links = ", ".join(f"{{student: s{each}}}" for each in numbers)
    (folder / "run.sh").write_text(RUN_STUDENT)
    (folder / "service.yaml").write_text(
        f"{STUDENTS}{students}    paul: {{type: Teacher, requirements: [{links}]}}\n"
    )


def test_relationships_add_to_one_attribute(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _students(folder, [1, 4, 6])
    ran = _deploy(folder)
    assert sorted(ran) == sorted([*(f"{w}student-{n}" for w in ("", "link ") for n in (1, 4, 6))])
    assert "W091" not in capsys.readouterr().out
    assert _deploy(folder) == []
    _students(folder, [1, 4, 6, 7])
    assert _deploy(folder) == ["student-7", "link student-7"]
    main(["compile", str(folder / "service.yaml"), "--format", "json"])
    assert '"student-1,student-4,student-6,student-7,"' in capsys.readouterr().out


CELLS = (
    HEAD
    + """\
node_types:
  Cell:
    derived_from: tosca.nodes.Root
    properties: {reads: {type: string, default: "-"}, name: {type: string}, fixed: {type: string, default: "0"}}
    attributes: {shared: {type: string, default: "0"}, value: {type: string, default: "0"}}
    interfaces:
      Standard:
        operations:
          create:
            implementation: cell.sh
            inputs:
              name: {type: string, default: {get_property: [SELF, name]}}
              fixed: {type: string, default: {get_property: [SELF, fixed]}}
              read: {type: string, default: {get_property: [SELF, reads]}}
            outputs: {value: [SELF, value]}
topology_template:
  node_templates:
"""
)
CELL = """\
echo "$name" >> "$DEPLOY_LOG"
value=$(($(cat "$name.count" 2> /dev/null || echo 0) + 1))
echo "$value" > "$name.count"
if [ "$value" = 1 ] && [ "$name" = "$KILLS" ]; then kill -9 "$KILLED"; sleep 5; fi
"""


def _cells(folder: Path, reads: Mapping[str, Sequence[str]], fixed: Mapping[str, str] | None = None) -> None:
    _cells_only(folder, reads, fixed)
    (folder / "cell.sh").write_text(CELL)


def _cells_only(
    folder: Path, reads: Mapping[str, Sequence[str]], fixed: Mapping[str, str] | None = None
) -> None:
    """Nodes whose operation reads the values of others, and gives another value each time it runs."""
    lines = []
    for name, others in reads.items():
        values = ", ".join(f"{{get_attribute: [{other}, value]}}" for other in others)
        properties = {"name": name, "fixed": (fixed or {}).get(name, "0")}
        text = ", ".join(f"{key}: {json.dumps(value)}" for key, value in properties.items())
        text += f", reads: {{concat: [x, {values}]}}" if others else ""
        lines.append(f"    {name}: {{type: Cell, properties: {{{text}}}}}\n")
    (folder / "service.yaml").write_text(CELLS + "".join(lines))


def test_an_operation_that_reads_its_own_output_runs_once(folder: Path) -> None:
    _cells(folder, {"a": "a"})
    assert _deploy(folder) == ["a"]
    assert _deploy(folder) == []
    _cells(folder, {"a": "a"}, {"a": "1"})
    assert _deploy(folder) == ["a"]
    assert _deploy(folder) == []


def test_a_value_that_changes_after_the_operation_ran_is_for_the_next_deployment(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _cells(folder, {"a": "b", "b": "a"})
    assert _deploy(folder) == ["a", "b"]
    assert "left for the next deployment: a.interfaces.Standard.create" in "".join(capsys.readouterr())
    assert _deploy(folder) == ["a", "b"]


def test_a_value_that_another_operation_gives_again_counts(folder: Path) -> None:
    _cells(folder, {"raw": "", "a": ["raw", "a"]})
    assert _deploy(folder) == ["raw", "a"]
    assert _deploy(folder) == []
    _cells(folder, {"raw": "", "a": ["raw", "a"]}, {"raw": "1"})
    assert _deploy(folder) == ["raw", "a"]
    assert _deploy(folder) == []


def test_an_operation_waits_for_what_a_step_before_it_may_change(folder: Path) -> None:
    chain = {"a": "", "b": "a", "c": "b", "d": "a", "e": ""}
    _cells(folder, chain)
    assert sorted(_deploy(folder)) == [*chain]
    _cells(folder, chain, {"a": "1", "c": "1", "e": "1"})
    ran = _deploy(folder)
    assert sorted(ran) == [*chain]
    assert ran.index("a") < ran.index("b") < ran.index("c")
    assert _deploy(folder) == []
    (folder / "cell.sh").write_text('echo "$name" >> "$DEPLOY_LOG"; value=same\n')
    _cells_only(folder, chain, {"a": "2", "c": "2"})
    _deploy(folder)
    _cells_only(folder, chain, {"a": "3", "c": "3"})
    assert _deploy(folder) == ["a", "c"]


@pytest.mark.slow
def test_a_deployment_that_was_killed_repeats_nothing_when_it_is_resumed(folder: Path) -> None:
    _cells(folder, {"a": "b", "b": "a", "c": "b"})
    program = (
        "import os, sys; os.environ['KILLED'] = str(os.getpid()); "
        "from sabir.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    words = ["deploy", "service.yaml", "--yes", "--here", "--trust", "scripts"]
    killed = subprocess.run(
        [sys.executable, "-c", program, *words], env={**os.environ, "KILLS": "c"}, cwd=folder, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    before = (folder / "ran").read_text().split()
    assert sorted(before) == ["a", "b", "c"]
    after = _deploy(folder)
    assert after in ([], ["c"])
    assert _deploy(folder) == ["a", "b", "c"]


def test_a_failed_deployment_repeats_nothing_when_it_is_resumed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _cells(folder, {"a": "b", "b": "a", "c": "b"})
    (folder / "cell.sh").write_text(CELL + '[ "$name" != "$FAILS" ] || exit 3\n')
    monkeypatch.setenv("FAILS", "c")
    assert _deploy(folder, 1) == ["a", "b", "c"]
    monkeypatch.delenv("FAILS")
    assert _deploy(folder) == ["c"]
    # What the description asks for is another matter.
    _cells(folder, {"a": "b", "b": "a", "c": "b"}, {"c": "1"})
    monkeypatch.setenv("FAILS", "c")
    (folder / "cell.sh").write_text(CELL + '[ "$name" != "$FAILS" ] || exit 3\n')
    assert _deploy(folder, 1) == ["a", "b", "c"]
    _cells(folder, {"a": "b", "b": "a", "c": "b"}, {"a": "1", "c": "1"})
    monkeypatch.delenv("FAILS")
    assert _deploy(folder)[:1] == ["a"]


NAMES = "abcd"
GRAPHS = st.dictionaries(
    st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), unique=True, max_size=3), min_size=1
).map(lambda reads: {name: [other for other in others if other in reads] for name, others in reads.items()})


@pytest.mark.slow
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(reads=GRAPHS, edited=st.sets(st.sampled_from(NAMES)))
def test_every_operation_runs_once_in_a_deployment(
    tmp_path_factory: pytest.TempPathFactory, reads: dict[str, list[str]], edited: set[str]
) -> None:
    folder = tmp_path_factory.mktemp("law")
    os.environ["DEPLOY_LOG"] = str(folder / "ran")  # the fixture of the test takes it back
    _cells(folder, reads)
    assert sorted(_deploy(folder)) == sorted(reads)
    assert _runs_once(_deploy(folder), reads)
    _cells(folder, reads, dict.fromkeys(edited, "1"))
    ran = _deploy(folder)
    assert len(ran) == len({*ran})
    assert edited & reads.keys() <= {*ran}
    assert _runs_once(_deploy(folder), reads)


def _runs_once(ran: Sequence[str], reads: Mapping[str, Sequence[str]]) -> bool:
    """Whether a deployment of an unchanged description ran what it may: nothing when no operation ran before another it reads."""
    return len(ran) == len({*ran}) and not (ran and _is_acyclic(reads))


def _is_acyclic(reads: Mapping[str, Sequence[str]]) -> bool:
    """Whether operations can be ordered; what an operation gives itself does not count."""
    left = {name: {other for other in others if other != name} for name, others in reads.items()}
    while left:
        free = [name for name, others in left.items() if not others & left.keys()]
        if not free:
            return False
        for name in free:
            del left[name]
    return True
