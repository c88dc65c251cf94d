"""The commands of deployments, as somebody types them."""

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
        secret: {kind: file, fields: {path: etc/secret, content: {sensitive: canary-4711}}, requires: [etc]}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "sabir.yaml").write_text(ENVIRONMENT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SABIR_KEY", raising=False)
    return tmp_path


def change(folder: Path, before: str, after: str) -> None:
    file = folder / "sabir.yaml"
    file.write_text(file.read_text().replace(before, after))


def test_from_nothing_to_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "."]) == 3
    assert not (folder / ".sabir").exists()
    assert "3 to create" in capsys.readouterr().out
    assert main(["deploy", ".", "--yes"]) == 0
    assert (folder / ".sabir/world/etc/motd").read_text() == "hello"
    assert main(["plan", "."]) == 0
    assert main(["status", "."]) == 0
    (folder / ".sabir/world/etc/motd").write_text("theirs")
    capsys.readouterr()
    assert main(["status", "."]) == 3
    assert "content: written hello, there is theirs" in capsys.readouterr().out
    assert main(["deploy", ".", "--repair", "--yes"]) == 0
    assert (folder / ".sabir/world/etc/motd").read_text() == "hello"
    assert main(["destroy", ".", "--yes"]) == 1
    assert "give --allow-delete 3 (or all)" in capsys.readouterr().err
    assert main(["destroy", ".", "--yes", "--allow-delete", "all"]) == 0
    assert not (folder / ".sabir/world/etc").exists()
    assert main(["history", ".", "--format", "json"]) == 0
    deployments = json.loads(capsys.readouterr().out)["deployments"]
    assert [deployment["verb"] for deployment in deployments] == ["deploy", "deploy", "destroy"]


def test_a_plan_in_a_file_is_done_exactly_or_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", ".", "-o", "plan.json"]) == 3
    change(folder, "hello", "good morning")
    assert main(["deploy", ".", "plan.json"]) == 1
    assert "the description has changed" in capsys.readouterr().err
    change(folder, "good morning", "hello")
    assert main(["deploy", ".", "plan.json"]) == 0
    assert main(["deploy", ".", "plan.json"]) == 1
    assert "the state has moved from 0 to 1" in capsys.readouterr().err
    (folder / "other.json").write_text("{}")
    assert main(["deploy", ".", "other.json"]) == 2


def test_no_secret_anywhere(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["plan", ".", "--format", "json"])
    main(["deploy", ".", "--yes", "--format", "json"])
    change(folder, "canary-4711", "canary-4712")
    main(["plan", "."])
    main(["deploy", ".", "--yes"])
    main(["state", "show", ".", "files/secret"])
    main(["state", "export", "."])
    main(["status", ".", "--format", "json"])
    main(["history", ".", "--at", "1", "--format", "json"])
    shown = "".join(capsys.readouterr())
    assert "<<REDACTED>>" in shown
    assert "canary" not in shown
    for file in (folder / ".sabir").iterdir():
        if file.is_file():
            assert b"canary" not in file.read_bytes(), file


def test_the_record_by_hand(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["deploy", ".", "--yes"])
    change(folder, "motd: {kind", "greeting: {kind")
    assert main(["state", "mv", ".", "files/motd", "files/greeting"]) == 0
    assert main(["plan", "."]) == 0
    capsys.readouterr()
    assert main(["state", "export", "."]) == 0
    (folder / "kept.json").write_text(capsys.readouterr().out)
    assert main(["state", "import", ".", "kept.json", "--state", "other.db", "--key-file", ".sabir/key"]) == 0
    assert main(["plan", ".", "--state", "other.db", "--key-file", ".sabir/key"]) == 0
    assert main(["state", "rm", ".", "files/greeting"]) == 0
    assert main(["plan", "."]) == 3
    assert main(["state", "rm", ".", "files/nobody"]) == 2
    assert main(["state", "mv", ".", "files/etc"]) == 2


def test_keys_are_rotated(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cryptography.fernet import Fernet

    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    monkeypatch.setenv("SABIR_KEY", old)
    assert main(["deploy", ".", "--yes"]) == 0
    monkeypatch.setenv("SABIR_KEY", f"{new} {old}")
    assert main(["state", "rotate", "."]) == 0
    monkeypatch.setenv("SABIR_KEY", new)
    assert main(["plan", "."]) == 0
    monkeypatch.setenv("SABIR_KEY", old)
    assert main(["plan", "."]) == 1


@pytest.mark.parametrize(
    ("resource", "words"),
    [
        ("{kind: flie, fields: {path: a}}", "has no kind 'flie'"),
        ("{kind: package, fields: {name: nginx}}", "--here"),
        ("{kind: file, fields: {paht: a}}", "there is no field 'paht': did you mean 'path'?"),
        ("{kind: file, target: web, fields: {path: a}}", "there is no target 'web'"),
        ("{kind: process, fields: {name: a, run: sleep 1}}", "--trust scripts"),
    ],
)
def test_mistakes_are_said_before_anything_is_done(
    folder: Path, capsys: pytest.CaptureFixture[str], resource: str, words: str
) -> None:
    change(folder, "{kind: directory, fields: {path: etc}}", resource)
    assert main(["deploy", ".", "--yes"]) == 1
    error = capsys.readouterr().err
    assert words in error
    assert "sabir.yaml:8" in error
    assert not (folder / ".sabir/world").exists()


def test_looking_again_says_what_was_put_right(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deploy", ".", "--yes"]) == 0
    (folder / ".sabir/world/etc/motd").write_text("theirs\n")
    assert main(["status", "."]) == 3
    assert 'there is "theirs\\n"' in capsys.readouterr().out
    assert main(["deploy", ".", "--yes", "--repair"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.endswith(": put right") for line in lines if line.startswith("✓ check files/motd")] == [True]
    assert any(line.endswith(": as it should be") for line in lines)


def test_only_some(folder: Path) -> None:
    assert main(["deploy", ".", "--yes", "--target", "motd"]) == 0
    assert sorted(file.name for file in (folder / ".sabir/world/etc").iterdir()) == ["motd"]
    assert main(["deploy", ".", "--yes", "--target", "nobody"]) == 2


JOBS = """
name: commands
parts:
  jobs:
    language: resources
    model:
      resources:
        first: {kind: command, fields: {run: 'true'}}
        second: {kind: command, fields: {directory: FOLDER, undo: 'touch second-undone'}}
"""


def test_commands_without_a_target_are_refused_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "sabir.yaml").write_text(JOBS)
    assert main(["plan", ".", "--trust", "scripts"]) == 1
    shown = capsys.readouterr().err
    assert shown.count("DEP:E002") == 1
    assert "jobs/first and 1 more: a command cannot be kept below a folder" in shown


def test_what_is_on_the_whole_machine_is_not_looked_for_below_a_folder(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "sabir.yaml").write_text(JOBS.replace("FOLDER", str(folder)))
    assert main(["plan", ".", "--here", "--trust", "scripts"]) == 3
    assert "· jobs/second (command): recorded, run when it is taken away" in capsys.readouterr().out
    assert main(["deploy", ".", "--here", "--trust", "scripts", "--yes"]) == 0
    for words in (["plan"], ["status"], ["destroy", "--yes", "--allow-delete", "all"]):
        assert main([*words, ".", "--trust", "scripts"]) == 2
        assert "deployment 1 was made with --here" in capsys.readouterr().err
    assert main(["destroy", ".", "--here", "--trust", "scripts", "--yes", "--allow-delete", "all"]) == 0
    assert (folder / "second-undone").exists()
    assert main(["deploy", ".", "--here", "--trust", "scripts", "--yes"]) == 0


def test_what_is_below_a_folder_is_not_looked_for_on_the_machine(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["deploy", ".", "--yes"]) == 0
    assert main(["deploy", ".", "--yes", "--here"]) == 2
    assert "deployment 1 was made without --here" in capsys.readouterr().err


def test_what_must_not_be_destroyed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["deploy", ".", "--yes"])
    with (folder / "sabir.yaml").open("a") as file:
        file.write("lifecycle: {files/motd: {prevent_destroy: true}, files/etc: {ignore_changes: mode}}\n")
    assert main(["destroy", ".", "--yes", "--allow-delete", "all"]) == 1
    assert "files/motd must not be destroyed" in capsys.readouterr().err
    change(folder, "{path: etc}", "{path: etc, mode: '0700'}")
    assert main(["plan", "."]) == 0


WAVES = """
name: waves
targets: {m: {driver: local, root: world}}
parts:
  first:
    language: resources
    model:
      resources:
        job: {kind: command, target: m, fields: {run: 'echo port=81 > $SABIR_OUTPUTS'}, results: [port]}
        inside: {kind: file, target: m, fields: {path: inside, content: {eval: '::first::job::port'}}}
  second:
    language: resources
    model:
      resources:
        outside: {kind: file, target: m, fields: {path: outside, content: {eval: '::first::job::port'}}}
"""


def test_values_that_come_back_go_to_all_parts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "sabir.yaml").write_text(WAVES)
    (folder / "world").mkdir()
    assert main(["plan", ".", "--trust", "scripts"]) == 3
    assert capsys.readouterr().out.count("known when the steps before it are done") == 2
    assert main(["deploy", ".", "--yes", "--trust", "scripts"]) == 0
    assert (folder / "world/inside").read_text() == "81"
    assert (folder / "world/outside").read_text() == "81"
    assert main(["plan", ".", "--trust", "scripts"]) == 0


def test_what_is_deployed_inherits_no_limits(tmp_path: Path) -> None:
    """Limits hold for evaluating; a command that runs on and on must not die of them."""
    run = "ulimit -t > limit; ulimit -v >> limit"
    resources = (
        f"a: {{kind: command, target: machine, fields: {{run: [sh, -c, '{run}'], directory: {tmp_path}}}}}"
    )
    (tmp_path / "sabir.yaml").write_text(
        "targets: {machine: {driver: local, root: /}}\n"
        f"parts:\n  p:\n    language: resources\n    model:\n      resources:\n        {resources}\n"
    )
    assert main(["deploy", str(tmp_path), "--yes", "--trust", "scripts"]) == 0
    assert (tmp_path / "limit").read_text().split() == ["unlimited", "unlimited"]


RUNNING = """
name: demo
targets: {box: {driver: local, root: FOLDER}}
parts:
  files:
    language: resources
    model:
      resources:
        kept: {kind: directory, target: box, fields: {path: kept}}
"""
COMMANDS = """\
        plain: {kind: command, target: box, fields: {run: "true"}}
        undone: {kind: command, target: box, fields: {run: "true", undo: touch UNDONE}}
        server: {kind: process, target: box, fields: {name: server, run: sleep 60}}
"""


def test_what_is_recorded_gives_no_leave(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "box").mkdir()
    description = RUNNING.replace("FOLDER", str(folder / "box"))
    (folder / "sabir.yaml").write_text(description + COMMANDS)
    assert main(["deploy", ".", "--yes", "--trust", "scripts"]) == 0
    (folder / "sabir.yaml").write_text(description)
    capsys.readouterr()
    destroy = ["destroy", ".", "--yes", "--allow-delete", "all"]
    for words in (destroy, ["deploy", *destroy[1:]]):
        assert main(words) == 1
        told = capsys.readouterr().err
        assert "undone is a command: taking it away does what is recorded for it" in told
        assert "server is a process: taking it away" in told
        assert "give --trust scripts" in told
        assert "plain" not in told
    assert main(["plan", ".", "--destroy"]) == 3
    assert "--trust scripts" in capsys.readouterr().err
    assert not (folder / "box/UNDONE").exists()
    assert main([*destroy, "--trust", "scripts"]) == 0
    assert (folder / "box/UNDONE").exists()


@pytest.mark.parametrize("command", ["destroy", "status", "history"])
def test_a_file_that_cannot_be_read_is_no_other_environment(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its name is in the file: under another one nothing is remembered, and "nothing to do" would be a lie."""
    assert main(["deploy", ".", "--yes", "-q"]) == 0
    whole = (folder / "sabir.yaml").read_text()
    (folder / "sabir.yaml").write_text(whole + "parts: [\n")
    assert main([command, "."]) == 1
    assert "not readable as YAML" in capsys.readouterr().err
    name = whole.partition("name: ")[2].partition("\n")[0] or folder.name
    assert main(["history", ".", "--environment", name]) == 0


def test_a_status_of_what_cannot_be_evaluated_is_not_fine(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["deploy", ".", "--yes", "-q"]) == 0
    change(folder, "kind: file", "kind: fiel")
    assert main(["status", "."]) == 1
    assert "fiel" in capsys.readouterr().err
