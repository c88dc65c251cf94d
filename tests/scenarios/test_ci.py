"""Hooks, action and templates run what is there."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from sabir.cli.main import main
from tests.docs.pages import ROOT

BIN = Path(sys.executable).parent
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
@pytest.mark.parametrize(("example", "status"), [("hello", 0), ("broken", 1)])
def test_a_hook_as_pre_commit_calls_it(
    hook: dict[str, Any], example: str, status: int, tmp_path: Path
) -> None:
    """In the root of a repository, with `entry` and `args` and no file names."""
    shutil.copytree(ROOT / "examples/murano" / example, tmp_path / "apps" / example)
    args: list[str] = hook.get("args", [])
    program, *words = [*shlex.split(hook["entry"]), *args]
    done = subprocess.run([str(BIN / program), *words], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == status, done.stderr
    assert hook["pass_filenames"] is False


def commands(text: str) -> list[list[str]]:
    lines = [line.partition("|")[0] for line in re.findall(r"(?:run: |- )(sabir .*)", text)]
    return [[word for word in shlex.split(line) if "$" not in word or "=" in word] for line in lines]


@pytest.mark.parametrize("file", ["action.yml", "ci/gitlab.yml"])
def test_a_template_calls_sabir_with_words_it_knows(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / file).read_text()
    assert isinstance(yaml.safe_load(text), dict)
    shutil.copytree(ROOT / "examples/murano/hello", tmp_path / "hello")
    monkeypatch.chdir(tmp_path)
    found = commands(text)
    assert found
    for words in found:
        if "check" in words:
            assert main([*words[1:-1], "."] if words[-1] == "--" else [*words[1:], "."]) == 0, (
                capsys.readouterr().err
            )


def test_the_container_file_copies_what_there_is() -> None:
    text = (ROOT / "Containerfile").read_text()
    assert 'ENTRYPOINT ["sabir"]' in text
    assert "USER sabir" in text
    extras = re.search(r"/source\[(.*?)\]", text)
    assert extras is not None
    project = (ROOT / "pyproject.toml").read_text()
    assert all(re.search(rf"^{extra} = ", project, re.MULTILINE) for extra in extras[1].split(","))
