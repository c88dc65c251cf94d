"""Leave on the command line: nothing of a package runs without it, `sabir trust` remembers it until the code changes."""

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
        "pathlib.Path('{marker}').touch()\n"
        "@plugin\n"
        "def shout(text: 'string') -> 'string':\n"
        "    return text.upper()\n"
    ),
}
COMMANDS = [
    ["compile", "PATH"],
    ["query", "PATH", "::*"],
    ["why", "PATH", "x"],
    ["render", "PATH"],
    ["diff", "PATH", "PATH"],
    ["impact", "PATH", "main.cf:2"],
    ["check", "PATH"],
]


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    files = {name: text.replace("{marker}", str(tmp_path / "ran")) for name, text in FILES.items()}
    return write_files(tmp_path / "model", files)


def ran(model: Path) -> bool:
    return (model.parent / "ran").exists()


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_nothing_of_a_model_runs_without_leave(
    model: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    status = main([word.replace("PATH", str(model)) for word in words])
    assert not ran(model)
    shown = capsys.readouterr()
    if words[0] != "check":
        assert status == 1
        assert "INM:E023" in shown.err
        assert "main.cf:2" in shown.err
        assert "--trust python" in shown.err
        assert "sabir trust" in shown.err


def test_with_leave_they_run_and_it_is_said(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", str(model), "--format", "text", "--trust", "python"]) == 0
    shown = capsys.readouterr()
    assert 'x = "HELLO"' in shown.out
    assert "the model runs Python: plug-ins of the module acme" in shown.err
    assert ran(model)


def test_what_needs_no_plug_in_is_done(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (model / "main.cf").write_text("import acme\nx = 1\n")
    assert main(["compile", str(model), "--format", "text"]) == 0
    assert "x = 1" in capsys.readouterr().out
    assert not ran(model)


def test_leave_is_remembered_until_the_code_changes(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trust", str(model)]) == 0
    assert "may now use: python" in capsys.readouterr().err
    assert main(["compile", str(model)]) == 0
    (model / "main.cf").write_text("import acme\ny = acme::shout('hello')\n")
    assert main(["compile", str(model)]) == 0, "a model is no code"
    capsys.readouterr()
    code = model / "libs/acme/plugins/__init__.py"
    code.write_text(code.read_text() + "# changed\n")
    assert main(["compile", str(model)]) == 1
    shown = capsys.readouterr().err
    assert "its code has changed: libs/acme/plugins/__init__.py changed" in shown
    assert "INM:E023" in shown
    assert main(["trust", "--list"]) == 0
    assert "python (ended: libs/acme/plugins/__init__.py changed)" in capsys.readouterr().out
    assert main(["trust", str(model)]) == 0
    assert main(["compile", str(model)]) == 0


def test_new_code_ends_leave(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trust", str(model)]) == 0
    (model / "libs/acme/plugins/more.py").write_text("")
    assert main(["compile", str(model)]) == 1
    assert "libs/acme/plugins/more.py is new" in capsys.readouterr().err


def test_revoked(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trust", "--revoke", str(model)]) == 2
    assert main(["trust", str(model)]) == 0
    assert main(["trust", "--revoke", str(model)]) == 0
    assert main(["compile", str(model)]) == 1
    capsys.readouterr()
    assert main(["trust", "--list"]) == 0
    assert capsys.readouterr().out == ""


TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  outputs:
    port: {value: {get_env: [SABIR_PORT, 80]}}
"""


def test_single_variables_and_templates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SABIR_PORT", "8080")
    template = write_files(tmp_path / "t", {"service.yaml": TEMPLATE}) / "service.yaml"
    assert main(["compile", str(template)]) == 1
    assert "--trust env:SABIR_PORT" in capsys.readouterr().err
    assert main(["compile", str(template), "--trust", "env:SABIR_PORT"]) == 0
    assert '"8080"' in capsys.readouterr().out
    assert main(["trust", str(template), "env:SABIR_PORT"]) == 0
    assert main(["compile", str(template)]) == 0
    # Expressions can name any function, so a template is code.
    template.write_text(TEMPLATE + "    more: {value: 1}\n")
    assert main(["compile", str(template)]) == 1


@pytest.mark.parametrize("word", ["everything", "env:", "pyhton"])
def test_an_unknown_word(word: str, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", str(model), "--trust", word]) == 2
    assert capsys.readouterr().err


def test_a_damaged_file_of_leave_says_so(
    config: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(config, {"sabir/trust.json": "{"})
    assert main(["compile", str(model)]) == 2
    assert "cannot read what is trusted" in capsys.readouterr().err


def test_leave_is_for_the_operator_alone_to_read(config: Path, model: Path) -> None:
    assert main(["trust", str(model)]) == 0
    assert (config / "sabir").stat().st_mode & 0o077 == 0
