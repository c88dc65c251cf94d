from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sabir.server.store.jobs import JobInfo, JobState
from sabir.server.work.commands import JobLocation, JobRequest, build_command
from sabir.server.work.job_files import JobFiles

PLACE = JobLocation(path=Path("/data/e/files"), state="/data/state.db", environment="e", trust=("scripts",))
BEFORE = ["--state=/data/state.db", "--environment=e"]


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"verb": "plan", "refresh": True}, ["--format=json", "--trust=scripts", "--refresh", "--"]),
        ({"verb": "deploy"}, ["--format=json", "--trust=scripts", "--yes", "--"]),
        (
            {"verb": "deploy", "allow_delete": 3, "repair": True, "inputs": {"a": "--x"}, "targets": ["-t"]},
            [
                "--format=json",
                "--trust=scripts",
                "--input=/jobs/1.inputs",
                "--yes",
                "--allow-delete=3",
                "--target=-t",
                "--repair",
                "--",
            ],
        ),
        (
            {"verb": "call", "operation": "--help", "arguments": {"to": [1]}},
            ["--format=json", "--trust=scripts", "--yes", "--arg=/jobs/1.arguments", "--"],
        ),
        ({"verb": "resolve", "step": "a/b", "outcome": "redo"}, ["--redo", "--"]),
    ],
)
def test_words(request_: dict[str, Any], words: list[str]) -> None:
    request = msgspec.convert(request_, JobRequest)
    line = build_command(PLACE, request, JobFiles(Path("/jobs"), "1").input_files(request))
    assert line[1:5] == ["-P", "-m", "sabir", request.verb]
    assert line[5:][: len(BEFORE) + len(words)] == [*BEFORE, *words]
    assert line[-1] == (request.operation or request.step or str(PLACE.path))


def test_values_are_handed_over_in_files_that_nobody_else_reads(tmp_path: Path) -> None:
    request = JobRequest(verb="call", operation="a.b", arguments={"word": "canary-4711"}, inputs={"n": 1})
    handed = JobFiles(tmp_path, "1").input_files(request)
    handed.write(request)
    assert "canary-4711" not in " ".join(build_command(PLACE, request, handed))
    assert {(file.name, file.stat().st_mode & 0o777) for file in tmp_path.iterdir()} == {
        ("1.inputs", 0o600),
        ("1.arguments", 0o600),
    }
    handed.remove()
    assert not [*tmp_path.iterdir()]


def test_answers_name_inputs_and_show_no_values() -> None:
    job = JobInfo(
        id="1",
        environment="e",
        verb="call",
        arguments={"operation": "a.b", "arguments": {"word": "canary-4711"}},
        owner="ann",
        state=JobState.DONE,
        created="now",
    )
    assert job.shown.arguments == {"operation": "a.b", "arguments": {"word": "(not shown)"}}


@pytest.mark.parametrize(
    "request_",
    [
        {"verb": "destroy"},
        {"verb": "call"},
        {"verb": "resolve", "step": "a"},
        {"verb": "serve"},
        {"verb": "deploy", "yes": True},
        {"verb": "deploy", "allow_delete": -1},
        {"verb": "call", "operation": "a\0b"},
    ],
)
def test_requests_that_make_no_sense(request_: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(request_, JobRequest)


def test_nothing_is_imported_from_where_it_runs(tmp_path: Path) -> None:
    """What was uploaded may lie there, under the name of a module that every command imports."""
    description = "name: e\nparts: {a: {language: resources, model: {resources: {}}}}\n"
    (tmp_path / "sabir.yaml").write_text(description)
    for name in ("click", "msgspec", "sabir", "sqlalchemy"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write('{name} ')\n")
    place = JobLocation(path=tmp_path, state=str(tmp_path / "state.db"), environment="e")
    line = build_command(place, JobRequest(verb="plan"))
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert not (tmp_path / "ran").exists()
    assert done.returncode == 0, done.stderr
