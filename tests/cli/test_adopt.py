"""Taking over what exists, not overwriting it, and calling things otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sabir.cli.main import main

ENVIRONMENT = """
name: demo
parts:
  files:
    language: resources
    model:
      resources:
        etc: {kind: directory, fields: {path: etc}}
        motd: {kind: file, fields: {path: etc/motd, content: hello}, requires: [etc]}
        other: {kind: file, fields: {path: etc/other, content: x}, requires: [etc]}
"""
WORLD = Path(".sabir/world/etc")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sabir.yaml").write_text(ENVIRONMENT)


def foreign(content: str) -> Path:
    WORLD.mkdir(parents=True)
    file = WORLD / "motd"
    file.write_text(content)
    return file


def test_a_create_does_not_overwrite_what_is_not_ours(capsys: pytest.CaptureFixture[str]) -> None:
    file = foreign("theirs")
    for _ in range(2):
        assert main(["deploy", ".", "--yes"]) == 1
        assert "`sabir adopt PATH files/motd` takes it over" in capsys.readouterr().err
        assert file.read_text() == "theirs"
    capsys.readouterr()
    assert main(["state", "list", "."]) == 0
    assert "motd" not in capsys.readouterr().out
    assert (WORLD / "other").read_text() == "x"


def test_what_is_just_as_wanted_is_no_obstacle() -> None:
    foreign("hello")
    assert main(["deploy", ".", "--yes"]) == 0


def test_adopt_changes_nothing_and_says_what_differs(capsys: pytest.CaptureFixture[str]) -> None:
    file = foreign("theirs")
    assert main(["adopt", "."]) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [
        "files/etc (directory): taken over",
        "files/motd (file): taken over",
        "    content: there is theirs, wanted hello",
        "files/other (file): not taken over: it is not there",
    ]
    assert "2 taken over, 1 of them not as described; nothing was changed" in shown.err
    assert file.read_text() == "theirs"
    assert main(["plan", "."]) == 3
    plan = capsys.readouterr().out
    assert "content: theirs → hello" in plan
    assert "1 to create, 1 to update" in plan
    assert main(["deploy", ".", "--yes"]) == 0
    assert file.read_text() == "hello"
    assert main(["adopt", "."]) == 0
    capsys.readouterr()
    assert main(["history", ".", "--format", "json"]) == 0
    assert [each["verb"] for each in json.loads(capsys.readouterr().out)["deployments"]] == [
        "adopt",
        "deploy",
    ]


def test_adopt_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    foreign("theirs")
    assert main(["adopt", ".", "files/motd"]) == 0
    assert main(["adopt", ".", "files/motd"]) == 2
    assert main(["adopt", ".", "files/other"]) == 1
    assert main(["adopt", ".", "files/motdd"]) == 2
    assert "did you mean 'files/motd'?" in capsys.readouterr().err
    assert main(["state", "list", "."]) == 0
    assert capsys.readouterr().out == "files/motd  file  here\n"


def test_moved_in_the_environment(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deploy", ".", "--yes"]) == 0
    text = ENVIRONMENT.replace("motd: {", "greeting: {") + "moved: {files/motd: files/greeting}\n"
    Path("sabir.yaml").write_text(text)
    assert main(["plan", "."]) == 0
    assert main(["plan", ".", "-o", "kept.plan"]) == 0
    assert main(["deploy", ".", "--yes"]) == 0
    assert main(["check", "."]) == 0
    Path("sabir.yaml").write_text(text.replace("hello", "bye"))
    capsys.readouterr()
    assert main(["plan", "."]) == 3
    assert "~ files/greeting" in capsys.readouterr().out
    assert main(["deploy", ".", "--yes"]) == 0
    capsys.readouterr()
    assert main(["state", "list", "."]) == 0
    assert "files/greeting" in capsys.readouterr().out
    assert (WORLD / "motd").read_text() == "bye"
    Path("sabir.yaml").write_text(ENVIRONMENT + "moved: [a]\n")
    assert main(["plan", "."]) == 1
