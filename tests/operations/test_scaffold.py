"""What `sabir new` writes is correct, and says what it says it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.cli.main import main
from sabir.operations.scaffold import KINDS


@pytest.mark.parametrize(
    "name", ["shop", "web-shop-2", "web", "host", "service", "for", "entity", "std", "url"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_new_project_passes_check_and_compile(
    kind: str,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", kind, name]) == 0
    files = capsys.readouterr().out.split()
    assert files
    assert all(Path(file).is_file() and "{{name" not in Path(file).read_text("latin-1") for file in files)
    assert main(["check", "--strict", name]) == 0, capsys.readouterr().out
    assert main(["compile", name, "--format", "text"]) == 0
    assert name in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["new", "inmnta", "x"], "did you mean 'inmanta'?"),
        (["new", "inmanta", "Web Shop"], "is no name for a project"),
        (["new", "inmanta", "../x"], "is no name for a project"),
        (["new", "ccp", "on"], "'on' means something else in YAML"),
        (["new", "inmanta", "x", "full"], "'full' is there already"),
        (["new", "inmanta"], "NAME is missing"),
    ],
)
def test_refusals(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    assert main(words) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["full"]


def test_a_new_environment_can_be_deployed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "environment", "web"]) == 0
    assert main(["plan", "web"]) == 3
    assert main(["deploy", "web", "--yes"]) == 0, capsys.readouterr().err
    written = tmp_path / "web/.sabir/world/srv/web.txt"
    assert written.read_text() == "web answers at http://10.0.0.10:8080\n"
    assert main(["plan", "web"]) == 0
