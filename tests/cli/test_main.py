"""The frame of the command line: start, help, completion, and what happens when something goes wrong."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from sabir import __version__
from sabir.cli.boundary import explain_failure
from sabir.cli.main import COMMANDS, main
from sabir.diagnostics import suggest
from sabir.diagnostics.finding import Finding
from sabir.errors import FindingError, InputError, PluginError


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(words)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version") == (0, f"sabir {__version__}\n", "")


@pytest.mark.parametrize("words", [["--help"], ["-h"], []])
def test_help_lists_every_command(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, *words)
    assert status == (0 if words else 2)
    for name, entry in COMMANDS.items():
        assert name in out + err
        assert entry.summary.split()[0] in out + err
    assert "Exit status" in out + err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_there_with_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, name, "--help")
    assert status == 0
    assert out.startswith(f"Usage: sabir {name}")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chek"], "sabir: no such command 'chek': did you mean 'check'?"),
        (["zzz"], "sabir: no such command 'zzz': sabir --help lists them"),
        (["--nope"], "sabir: no such option '--nope': sabir --help lists them"),
        (["--versoin"], "sabir: no such option '--versoin': did you mean '--version'?"),
        (["completion", "tcsh"], "sabir completion: bash|zsh|fish: 'tcsh' is not one of bash, zsh, fish"),
        (
            ["completion", "bsah"],
            "sabir completion: bash|zsh|fish: 'bsah' is not one of bash, zsh, fish: did you mean 'bash'?",
        ),
        (["check", "--jobs", "many", "x"], "sabir check: --jobs: 'many' is not a whole number of at least 0"),
        (["check", "--color", "red", "x"], "sabir check: --color: 'red' is not one of auto, always, never"),
        (
            ["why"],
            "sabir why: INSTANCE[.ATTRIBUTE] is missing: sabir why [OPTIONS] [PATH] INSTANCE[.ATTRIBUTE]",
        ),
        (
            ["why", "."],
            "sabir why: INSTANCE[.ATTRIBUTE] is missing: sabir why [OPTIONS] [PATH] INSTANCE[.ATTRIBUTE]",
        ),
        (
            ["query", "a", "b", "c"],
            "sabir query: 'c' is a word too many: sabir query [OPTIONS] [PATH] EXPRESSION",
        ),
        (["impact"], "sabir impact: FILE:LINE is missing: sabir impact [OPTIONS] [PATH] [FILE:LINE]"),
        (["impact", "--format", "markdown", "a:1"], "sabir impact: --format markdown is for --since"),
    ],
)
def test_wrong_usage_is_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1


FINDING = Finding.about_file("E006", "a key twice", "a.yaml", hint="take one")


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (InputError("no such path 'x'"), 2, "sabir: no such path 'x'\n"),
        (PluginError("two\nlines"), 2, "sabir: two lines\n"),
        (FindingError([FINDING]), 1, "a.yaml: E006 a key twice\n  = take one\n"),
        (KeyboardInterrupt(), 130, "sabir: stopped\n"),
        (click.Abort(), 130, "sabir: stopped\n"),
        (PermissionError(13, "Permission denied", "f.txt"), 2, "sabir: f.txt: Permission denied\n"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_failures(error: BaseException, status: int, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain_failure(error) == status
    assert capsys.readouterr().err == text


def test_a_fault_of_ours_is_owned_up_to(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SABIR_DEBUG", raising=False)
    with pytest.raises(AttributeError) as raised:
        suggest("web", [object()])  # type: ignore[list-item]
    fault = raised.value
    assert explain_failure(fault) == 70
    shown = capsys.readouterr().err
    assert "AttributeError in sabir.diagnostics.suggestions, line" in shown
    assert "Traceback" not in shown
    # What it says itself may hold a value, so it is for who asks.
    assert str(fault) not in shown
    monkeypatch.setenv("SABIR_DEBUG", "1")
    explain_failure(fault)
    assert f"AttributeError: {fault}" in capsys.readouterr().err


def test_a_closed_pipe_is_no_failure_worth_a_word() -> None:
    script = "from sabir.cli.main import main; import sys; sys.exit(main(['check', '--list-codes']))"
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr as stream:
        assert stream.read() == ""
    assert process.wait() == 141
