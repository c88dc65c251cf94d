"""Plug-ins of a model: running them is said, refusing them is a flag, checking never runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.cli.main import main
from tests.files import write_files

FILES = {
    "main.cf": "import acme\nx = acme::shout('hello')\n",
    "project.yml": "name: case\nmodulepath: [libs]\ndownloadpath: libs\nrepo: []\n",
    "libs/acme/module.yml": "name: acme\nversion: 0.1\nlicense: x\n",
    "libs/acme/model/_init.cf": "",
    "libs/acme/plugins/__init__.py": (
        "from inmanta.plugins import plugin\n"
        "import pathlib\n"
        "pathlib.Path(__file__).with_name('ran').touch()\n"
        "@plugin\n"
        "def shout(text: 'string') -> 'string':\n"
        "    return text.upper()\n"
    ),
}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_files(tmp_path, FILES)


def ran(model: Path) -> bool:
    return (model / "libs/acme/plugins/ran").exists()


def test_evaluation_runs_them_and_says_so(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", str(model), "--format", "text"]) == 0
    shown = capsys.readouterr()
    assert 'x = "HELLO"' in shown.out
    assert "the model runs Python: plug-ins of the module acme (--no-plugins refuses them)" in shown.err
    assert ran(model)


def test_no_plugins_refuses(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", str(model), "--no-plugins"]) == 1
    shown = capsys.readouterr()
    assert "INM:E023" in shown.err
    assert "main.cf:2" in shown.err
    assert not ran(model)


def test_checking_never_runs_them(model: Path) -> None:
    assert main(["check", str(model)]) == 0
    assert not ran(model)
