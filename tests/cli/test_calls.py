"""call, notify and facts, as somebody types them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from sabir.cli.main import main

ENVIRONMENT = """
name: demo
targets:
  m: {driver: local, root: .}
parts:
  app:
    language: resources
    model:
      resources:
        motd: {kind: file, target: m, fields: {path: motd, content: hello}}
        port: {kind: command, target: m, results: [number], fields: {run: 'echo p >> log; echo number=80 > $SABIR_OUTPUTS'}}
      operations:
        backup:
          of: motd
          about: copy the file
          arguments: {to: null, mode: fast}
          events: [nightly]
          run:
            copy:
              kind: command
              target: m
              requires: [motd]
              results: [size]
              fields:
                run: 'echo copy-$MODE >> log; cp motd "$TO"; echo size=5 > $SABIR_OUTPUTS'
                environment: {TO: {get_argument: to}, MODE: {get_argument: mode}}
            after: {kind: command, target: m, requires: [copy], fields: {run: 'test ! -e hold || sleep 60; echo after >> log'}}
        fail: {run: {it: {kind: command, target: m, fields: {run: 'exit 3'}}}}
"""
TRUST = ("--trust", "scripts")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "sabir.yaml").write_text(ENVIRONMENT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SABIR_KEY", raising=False)
    return tmp_path


def logged(folder: Path) -> list[str]:
    file = folder / "log"
    lines = file.read_text().split() if file.exists() else []
    file.write_text("")
    return lines


def test_a_call_is_journalled_and_changes_no_plan(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deploy", ".", "--yes", *TRUST]) == 0
    assert logged(folder) == ["p"]
    capsys.readouterr()
    assert main(["call", ".", "motd.backup", "--arg", "to=copied", "--yes", *TRUST]) == 0
    assert capsys.readouterr().out == "size: 5\n"
    assert (folder / "copied").read_text() == "hello"
    assert logged(folder) == ["copy-fast", "after"]
    assert main(["plan", ".", *TRUST]) == 0
    assert main(["history", ".", "--format", "json"]) == 0
    shown = capsys.readouterr().out
    deployments = json.loads(shown[shown.index("{") :])["deployments"]
    assert [(each["verb"], each["counts"]) for each in deployments] == [
        ("deploy", {"done": 2}),
        ("call", {"done": 2}),
    ]


def test_what_can_be_called(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["call", "--list", *TRUST]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "app/motd.backup(to, mode=fast)  on nightly  copy the file",
        "app.fail()",
    ]
    assert main(["call", ".", "--list", "--format", "json", *TRUST]) == 0
    backup = json.loads(capsys.readouterr().out)["operations"][0]
    assert backup["arguments"] == {"to": {"required": True}, "mode": {"default": "fast"}}


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["motd.backup"], 2, "app/motd.backup needs to: give --arg to=VALUE"),
        (["motd.backup", "--arg", "too=1"], 2, "has no argument 'too': did you mean 'to'?"),
        (["motd.bakcup"], 2, "there is no operation 'motd.bakcup'"),
        (["motd.backup", "--arg", "to=x"], 1, "requires app/motd, which is not deployed yet"),
        (["fail"], 1, "it ended with status 3"),
        ([], 2, "INSTANCE.OPERATION is missing"),
    ],
)
def test_what_cannot_be_called(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], status: int, message: str
) -> None:
    assert main(["call", ".", *words, "--yes", *TRUST]) == status
    assert message in capsys.readouterr().err


def test_nothing_runs_without_leave_or_consent(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["call", ".", "fail", "--yes"]) == 1
    assert "--trust scripts" in capsys.readouterr().err
    assert main(["call", ".", "fail", *TRUST]) == 2
    assert "pass --yes" in capsys.readouterr().err
    assert not (folder / "log").exists()


def test_an_event_calls_what_waits_for_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["deploy", ".", "--yes", *TRUST])
    logged(folder)
    assert main(["notify", ".", "nightly", "--arg", "to=kept", "--arg", "host=a", "--yes", *TRUST]) == 0
    assert logged(folder) == ["copy-fast", "after"]
    assert main(["notify", ".", "nigthly", "--yes", *TRUST]) == 0
    assert "did you mean 'nightly'?" in capsys.readouterr().err


def test_a_call_that_was_killed_is_gone_on_with(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["deploy", ".", "--yes", *TRUST])
    logged(folder)
    (folder / "hold").touch()
    call = ["call", ".", "motd.backup", "--arg", "to=copied", "--yes", *TRUST]
    process = subprocess.Popen([sys.executable, "-m", "sabir", *call], stderr=subprocess.DEVNULL)
    asked = "select count(*) from sabir_step where key like '%[after]%' and state = 'intent'"
    wait_for(lambda: begun(folder, asked))
    process.send_signal(signal.SIGKILL)
    process.wait()
    (folder / "hold").unlink()
    kill_sleepers(folder)
    main(["status", ".", *TRUST])
    capsys.readouterr()
    status = main(call)
    shown = capsys.readouterr().err
    if status == 1:  # whether the killed script had ended by itself nobody can tell
        assert "sabir resolve" in shown
        assert main(["resolve", ".", "app/backup[after]#backup()", "--redo"]) == 0
        assert main(call) == 0
        shown = capsys.readouterr().err
    assert "going on with call 2" in shown
    assert logged(folder) == ["copy-fast", "after"]
    assert main(call) == 0
    assert logged(folder) == ["copy-fast", "after"]


def wait_for(condition: object, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)


def begun(folder: Path, asked: str) -> bool:
    import sqlite3

    with closing(sqlite3.connect(folder / ".sabir/state.db")) as connection:
        return bool(connection.execute(asked).fetchone()[0])


def kill_sleepers(folder: Path) -> None:
    """End what the killed call had started in this folder, and nothing else."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if (entry / "cwd").readlink() == folder:
                    os.kill(int(entry.name), signal.SIGKILL)
            except OSError:
                continue


def test_facts_expire_and_are_observed_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["deploy", ".", "--yes", *TRUST])
    logged(folder)
    capsys.readouterr()
    assert main(["facts", "."]) == 0
    assert capsys.readouterr().out == "app/port.number: 80\n"
    assert main(["facts", ".", "app/port.number"]) == 0
    assert "observed at step 2 of deployment 1 (app/port)" in capsys.readouterr().out
    assert main(["facts", ".", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["facts"][0]["name"] == "app/port|number"
    assert main(["facts", ".", "app/prot"]) == 2
    assert main(["facts", ".", "--expire"]) == 2
    assert main(["facts", ".", "app/port", "--expire"]) == 0
    assert main(["plan", ".", *TRUST]) == 3
    assert "what it gave back has expired" in capsys.readouterr().out
    assert main(["deploy", ".", "--yes", *TRUST]) == 0
    assert logged(folder) == ["p"]
    assert main(["plan", ".", *TRUST]) == 0
    assert main(["destroy", ".", "--yes", "--allow-delete", "all", *TRUST]) == 0
    capsys.readouterr()
    main(["facts", "."])
    assert capsys.readouterr().out == ""
