"""A machine whose claim file is lost still belongs to the application that the state records."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.files import write_files

pytestmark = pytest.mark.slow

PACKAGE = {
    "app/manifest.yaml": """\
Format: MuranoPL/1.4
Type: Application
FullName: cases.One
Name: One
Description: One server
Author: tests
Tags: [case]
Classes: {cases.One: One.yaml}
""",
    "app/Classes/One.yaml": """\
Namespaces: {=: cases, std: io.murano, sys: io.murano.system}
Name: One
Extends: std:Application
Properties:
  server: {Contract: $.string().notNull()}
Methods:
  deploy:
    Body:
      - $server: dict(type => 'OS::Nova::Server', properties => dict(name => $.server))
      - $stack: new(sys:HeatStack, $this, name => $.server)
      - $stack.updateTemplate(dict(resources => dict($.server => $server)))
      - $stack.push()
  .destroy:
    Body:
      - $stack: new(sys:HeatStack, $this, name => $.server)
      - $stack.delete()
""",
}


class Project:
    """Applications with one server each, on machines that are directories of this one."""

    def __init__(self, folder: Path, *, environment: str = "demo", boxes: tuple[Path, ...]) -> None:
        self.folder = write_files(folder, PACKAGE)
        self.environment = environment
        self.boxes = boxes

    def deploy(self, *applications: str, words: tuple[str, ...] = ()) -> tuple[int, str]:
        for name in applications:
            model = {
                "?": {"type": "io.murano.Environment", "id": f"env-{name}"},
                "name": name,
                "applications": [{"?": {"type": "cases.One", "id": f"app-{name}"}, "server": name}],
            }
            (self.folder / f"{name}.yaml").write_text(yaml.safe_dump(model))
        hosts = [
            {"host": box.name, "through": ["env"], "root": str(box), "python": sys.executable}
            for box in self.boxes
        ]
        description: dict[str, Any] = {
            "name": self.environment,
            "parts": {name: {"path": "app", "model": f"{name}.yaml"} for name in applications},
            "targets": {"farm": {"driver": "machines", "hosts": hosts}},
        }
        (self.folder / "sabir.yaml").write_text(yaml.safe_dump(description))
        return self.sabir("deploy", "--yes", "--allow-delete", "all", *words)

    def sabir(self, verb: str, *words: str) -> tuple[int, str]:
        ended = subprocess.run(
            [sys.executable, "-m", "sabir", verb, str(self.folder), *words, "--trust", "scripts"],
            env={**os.environ, "SABIR_KEY": "A" * 43 + "="},
            capture_output=True,
            text=True,
            check=False,
        )
        return ended.returncode, ended.stdout + ended.stderr


def _boxes(folder: Path, *names: str) -> tuple[Path, ...]:
    boxes = tuple(folder / name for name in names)
    for box in boxes:
        box.mkdir()
    return boxes


def _claim(box: Path) -> Path:
    return box / ".sabir" / "claim"


def _owner(box: Path) -> str | None:
    return _claim(box).read_text() if _claim(box).exists() else None


def test_another_application_does_not_get_the_machine(tmp_path: Path) -> None:
    (box,) = boxes = _boxes(tmp_path, "box")
    project = Project(tmp_path / "project", boxes=boxes)
    assert project.deploy("first")[0] == 0
    assert _owner(box) == "demo/first/first"
    _claim(box).unlink()
    status, said = project.deploy("first", "second")
    assert status == 1, said
    assert "machine 'box' has no claim file" in said
    assert (
        "the state records it for application 'first/env-first' of environment 'demo' (server 'first')"
        in said
    )
    assert _owner(box) is None


def test_another_environment_of_the_state_does_not_get_the_machine(tmp_path: Path) -> None:
    (box,) = boxes = _boxes(tmp_path, "box")
    state = ("--state", str(tmp_path / "state.db"))
    assert Project(tmp_path / "a", environment="prod", boxes=boxes).deploy("web", words=state)[0] == 0
    _claim(box).unlink()
    status, said = Project(tmp_path / "b", environment="test", boxes=boxes).deploy("web", words=state)
    assert status == 1, said
    assert "machine 'box' has no claim file" in said
    assert "application 'web/env-web' of environment 'prod' (server 'web')" in said
    assert _owner(box) is None


def test_a_machine_that_is_really_free_is_used(tmp_path: Path) -> None:
    first, second = boxes = _boxes(tmp_path, "box1", "box2")
    project = Project(tmp_path / "project", boxes=boxes)
    assert project.deploy("first")[0] == 0
    _claim(first).unlink()
    status, said = project.deploy("first", "second")
    assert status == 0, said
    assert (_owner(first), _owner(second)) == (None, "demo/second/second")


def test_a_machine_that_was_given_back_is_free(tmp_path: Path) -> None:
    (box,) = boxes = _boxes(tmp_path, "box")
    project = Project(tmp_path / "project", boxes=boxes)
    assert project.deploy("first")[0] == 0
    status, said = project.sabir("destroy", "--yes", "--allow-delete", "all")
    assert (status, _owner(box)) == (0, None), said
    status, said = project.deploy("second")
    assert (status, _owner(box)) == (0, "demo/second/second"), said


def test_a_machine_of_a_forgotten_application_is_free(tmp_path: Path) -> None:
    (box,) = boxes = _boxes(tmp_path, "box")
    project = Project(tmp_path / "project", boxes=boxes)
    assert project.deploy("first")[0] == 0
    _claim(box).unlink()
    ended = subprocess.run(
        [sys.executable, "-m", "sabir", "state", "rm", str(project.folder), "first/env-first"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    status, said = project.deploy("second")
    assert (status, _owner(box)) == (0, "demo/second/second"), said
