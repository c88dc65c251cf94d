"""What sabir writes for itself is for its owner alone, whatever the umask is; what a project deploys keeps its modes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
ENVIRONMENT = "name: demo\nparts:\n  f: {path: resources.yaml}\n"
RESOURCES = """\
sabir: resources/1
resources:
  plain: {kind: file, fields: {path: plain, content: x}}
  secret: {kind: file, fields: {path: secret, content: {sensitive: hunter22}}}
  shared: {kind: file, fields: {path: shared, content: {sensitive: hunter22}, mode: "0640"}}
  folder: {kind: directory, fields: {path: folder}}
"""
RUNNING = """\
sabir: resources/1
resources:
  command: {kind: command, fields: {script: "echo out; touch '{HERE}/made'"}}
  process: {kind: process, fields: {name: web, run: [sleep, "600"], log: "{HERE}/log/web.log", pid_file: "{HERE}/run/web.pid"}}
"""
UMASKS = pytest.mark.parametrize("umask", [0o000, 0o022, 0o077], ids=oct)


def _sabir(folder: Path, *words: str, umask: int = 0) -> str:
    ended = subprocess.run(
        [sys.executable, "-m", "sabir", *words],
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config")},
        umask=umask,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode in (0, 3), ended.stderr
    return ended.stdout


def _mode(path: Path) -> int:
    return path.lstat().st_mode & 0o7777


def _wrong(folder: Path, besides: str = "world") -> dict[str, str]:
    """Files and directories of a directory, itself included, that others can use."""
    wrong: dict[str, str] = {}
    for path in (folder, *folder.rglob("*")):
        name = path.relative_to(folder)
        if name.parts[:1] == (besides,):
            continue
        if _mode(path) != (0o700 if path.is_dir() or path.name == "script" else 0o600):
            wrong[str(name)] = oct(_mode(path))
    return wrong


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "sabir.yaml").write_text(ENVIRONMENT)
    (folder / "resources.yaml").write_text(RESOURCES)
    return folder


@pytest.mark.slow
@UMASKS
def test_the_directory_of_the_state(umask: int, project: Path) -> None:
    _sabir(project, "deploy", ".", "--yes", umask=umask)
    (project / "resources.yaml").write_text(RESOURCES.replace("content: x", "content: y"))
    _sabir(project, "deploy", ".", "--yes", umask=umask)
    _sabir(project, "deploy", ".", "--yes", "--at", "1", umask=umask)
    own = project / ".sabir"
    assert {path.name for path in own.iterdir()} >= {"state.db", "key", "past", "world"}
    assert not _wrong(own)


@pytest.mark.slow
@UMASKS
def test_deployed_files(umask: int, project: Path) -> None:
    _sabir(project, "deploy", ".", "--yes", umask=umask)
    world = project / ".sabir" / "world"
    modes = {path.name: _mode(path) for path in world.iterdir() if path.name != ".sabir"}
    assert modes == {"plain": 0o644, "secret": 0o600, "shared": 0o640, "folder": 0o777 & ~umask}
    assert _mode(world) == 0o777 & ~umask


@pytest.mark.slow
def test_a_file_becomes_private_with_its_content(project: Path) -> None:
    _sabir(project, "deploy", ".", "--yes")
    world = project / ".sabir" / "world"
    (project / "resources.yaml").write_text(RESOURCES.replace("content: x", "content: {sensitive: hunter33}"))
    (world / "secret").chmod(0o644)
    _sabir(project, "deploy", ".", "--yes", "--repair")
    assert (_mode(world / "plain"), _mode(world / "secret")) == (0o600, 0o600)


@pytest.mark.slow
@UMASKS
def test_marks_and_logs(umask: int, project: Path) -> None:
    (project / "resources.yaml").write_text(RUNNING.replace("{HERE}", str(project)))
    _sabir(project, "deploy", ".", "--yes", "--here", "--trust", "scripts", umask=umask)
    try:
        assert not _wrong(project / ".sabir")
        assert [*(project / ".sabir" / "operations").glob("*/stdout")]
        assert _mode(project / "log" / "web.log") == 0o600
        assert _mode(project / "made") == 0o666 & ~umask, "a command has the umask of whoever deploys"
    finally:
        _sabir(project, "destroy", ".", "--yes", "--here", "--trust", "scripts", "--allow-delete", "all")


@pytest.mark.slow
def test_files_of_an_older_sabir_are_tightened(project: Path) -> None:
    _sabir(project, "deploy", ".", "--yes")
    own = project / ".sabir"
    for path in own.iterdir():
        path.chmod(0o755 if path.is_dir() else 0o644)
    own.chmod(0o755)
    _sabir(project, "deploy", ".", "--yes", "--repair")
    assert not _wrong(own)
    assert _mode(own / "world") == 0o755
    assert _mode(own / "world" / "plain") == 0o644


@pytest.mark.slow
def test_a_shared_directory_is_left_alone(project: Path, tmp_path: Path) -> None:
    shared = tmp_path / "states"
    shared.mkdir()
    shared.chmod(0o775)
    _sabir(project, "deploy", ".", "--yes", "--state", str(shared / "demo.db"))
    assert _mode(shared) == 0o775
    assert {_mode(file) for file in shared.iterdir()} == {0o600}


@pytest.mark.slow
def test_plan_files_and_permissions_that_were_granted(project: Path) -> None:
    _sabir(project, "plan", ".", "-o", "demo.plan")
    assert _mode(project / "demo.plan") == 0o600
    _sabir(project, "trust", ".", "python")
    assert not _wrong(project / "config")


@pytest.mark.slow
@pytest.mark.parametrize("single", [False, True])
def test_rendered_secrets(single: bool, tmp_path: Path) -> None:
    output = tmp_path / "out.yaml" if single else tmp_path / "out"
    name = str(output) if single else f"{output}/"
    _sabir(tmp_path, "render", str(EXAMPLES / "ccp" / "shop"), "--to", "kubernetes", "-o", name)
    files = [output] if single else [path for path in output.rglob("*") if path.is_file()]
    secret = [file for file in files if "kind: Secret" in file.read_text()]
    assert secret, "the example has secrets"
    assert {_mode(file) for file in secret} == {0o600}
    assert {_mode(file) for file in files if file not in secret} == (set() if single else {0o666})


@pytest.mark.slow
def test_the_data_of_the_service(tmp_path: Path) -> None:
    _sabir(tmp_path, "serve", "data", "--new-token", "me")
    assert not _wrong(tmp_path / "data")


@pytest.mark.slow
def test_a_graph_with_revealed_values(project: Path) -> None:
    _sabir(project, "compile", ".", "--format", "json", "-o", "hidden.json")
    _sabir(project, "compile", ".", "--format", "json", "--reveal", "-o", "revealed.json")
    assert "hunter22" in (project / "revealed.json").read_text()
    assert (_mode(project / "hidden.json"), _mode(project / "revealed.json")) == (0o666, 0o600)
