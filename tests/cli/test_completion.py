"""What shells propose; asked of real ones where they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sabir.cli.completion import SHELLS, complete_words
from sabir.cli.main import main
from sabir.cli.mpl_check import main as mpl_check
from tests.cli.drawing import draw


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--c", "--color --code"),
        ("--color ", "red green blue"),
        ("--color b", "blue"),
        ("-c b", "blue"),
        ("--color=b", "--color=blue"),
        ("--color red --co", "--code"),
        ("--label a --la", "--label"),
        ("--code a", "A:1 A:2"),
        ("--code A:1,b", "A:1,B:1"),
        ("--code=B:1,A", "--code=B:1,A:1 --code=B:1,A:2"),
        ("--unknown=", ""),
        ("--output ", "files"),
        ("--output=a", "files"),
        ("--rules ", "files"),
        ("x ", ""),
        ("-- --c", ""),
        ("--qu", "--quiet"),
        ("-q --qu", ""),
    ],
)
def test_proposals(line: str, expected: str) -> None:
    kind, *rows = complete_words(draw, "draw", "fish", line.split(" ")).splitlines()
    assert ("files" if kind == "files" else " ".join(row.partition("\t")[0] for row in rows)) == expected


@pytest.mark.parametrize(
    ("shell", "words", "expected"),
    [
        ("bash", ["sabir che", "che"], "words\ncheck\n"),
        ("bash", ["sabir ", ""], "words\ncheck\ncompile\n"),
        ("bash", ["sabir check --format=sar", "sar"], "words\nsarif\n"),
        ("bash", ["sabir check --format=", ""], "words\nconcise\ngithub\ngitlab\njson\n"),
        ("bash", ["sabir check --explain MPL:E042", "E042"], "words\nE042\n"),
        ("bash", ["sabir check --explain MPL:E042,MPL:E04", "E04"], "words\nE042\nE044\n"),
        ("bash", ["sabir compile 'my mod", "'my mod"], "files\n"),
        ("bash", ["sabir compile my\\ ", "my\\ "], "files\n"),
        ("bash", ["sabir compile --language in", "in"], "words\ninmanta\n"),
        ("zsh", ["check", "--explain", "MPL:E042"], "words\nMPL\\:E042\n"),
        ("zsh", ["check", "--sel"], "words\n--select:Report these only.\n"),
        ("zsh", ["check", "some/pa"], "files\n"),
        ("fish", ["check", "--sel"], "words\n--select\tReport these only.\n"),
        ("fish", ["completion", "b"], "words\nbash\n"),
        ("fish", ["--ver"], "words\n--version\tShow the version and exit.\n"),
    ],
)
def test_answers(
    shell: str,
    words: list[str],
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("_SABIR_COMPLETE", shell)
    assert main(words) == 0
    assert capsys.readouterr().out.startswith(expected)


def test_mpl_check_is_completed_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_SABIR_COMPLETE", "fish")
    assert mpl_check(["--scope=package,m"]) == 0
    assert capsys.readouterr().out == "words\n--scope=package,manifest\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"_SABIR_COMPLETE={shell}" in script
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"no {shell} here")
    (tmp_path / "script").write_text(script)
    subprocess.run([program, "-n", str(tmp_path / "script")], check=True)


ASKED = {
    "bash": (
        "source {script}; COMP_LINE='sabir check --sel'; COMP_POINT=${{#COMP_LINE}}; "
        "_sabir_complete sabir --sel check; echo ${{COMPREPLY[0]}}"
    ),
    "fish": "source {script}; complete -C 'sabir check --sel'",
}


@pytest.mark.parametrize("shell", ASKED)
def test_a_shell_asks(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    command = Path(sys.executable).with_name("sabir")
    if program is None or not command.exists():
        pytest.skip(f"no {shell} here, or sabir is not installed")
    script = tmp_path / "script"
    script.write_text(SHELLS[shell])
    environment = {
        **os.environ,
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
    }
    done = subprocess.run(
        [program, "-c", ASKED[shell].format(script=script)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert done.stdout.split()[0] == "--select"
