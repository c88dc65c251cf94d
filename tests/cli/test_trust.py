"""Leave on the command line: nothing of a package runs without it, `sabir trust` remembers it until the code changes."""

from __future__ import annotations

import importlib.util
import py_compile
import sys
from pathlib import Path

import pytest

from sabir.cli.main import main
from sabir.cli.session_options import command_session
from sabir.operations.trust import find_grant, grant_permission
from sabir.session import Trust
from tests.support.files import write_files

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


GENERATED = (
    ".sabir/state.db",
    ".sabir/world/deployed.py",
    ".git/HEAD",
    "libs/acme/plugins/__pycache__/x.cpython-311.pyc",
    ".mypy_cache/x.json",
    ".pytest_cache/x.py",
    ".ruff_cache/x",
    ".tox/py/x.py",
    ".venv/lib/x.py",
    "node_modules/x/index.js",
    "build/lib/x.py",
    "dist/x.sh",
)


@pytest.mark.parametrize("name", GENERATED)
@pytest.mark.parametrize("kind", ["model", "template"])
def test_generated_files_are_no_code(name: str, kind: str, model: Path, tmp_path: Path) -> None:
    project = model
    if kind == "template":
        project = write_files(tmp_path / "t", {"service.yaml": TEMPLATE, ".gitignore": f"/{name}\n"})
    session = command_session()
    grant_permission(project, Trust.of(["python"]), session)
    write_files(project, {name: "#!/bin/sh\n"})
    (project / name).chmod(0o755)
    granted = find_grant(project, session)
    assert granted is not None
    assert not granted.changes


@pytest.mark.slow
def test_a_deployment_does_not_end_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    resources = "sabir: resources/1\nresources:\n  a: {kind: file, fields: {path: a, content: x}}\n"
    files = {"sabir.yaml": "name: demo\nparts:\n  f: {path: resources.yaml}\n", "resources.yaml": resources}
    monkeypatch.chdir(write_files(tmp_path / "demo", files))
    assert main(["trust", ".", "scripts"]) == 0
    assert main(["deploy", ".", "--yes"]) == 0
    capsys.readouterr()
    assert main(["plan", "."]) == 0
    assert "not trusted any more" not in capsys.readouterr().err


MENTIONS = {
    "an expression": ("service.yaml", "{eval: {python: 'NAME/evil.py#f'}}"),
    "an escaped name": ("service.yaml", '{eval: {python: "HEX/evil.py#f"}}'),
    "an import": ("helper.py", "from NAME import evil"),
    "a script": ("run.sh", "exec NAME/evil.sh"),
    "a path of modules": ("project.yml", "modulepath: [libs, NAME]"),
}


@pytest.mark.parametrize("mention", MENTIONS)
@pytest.mark.parametrize("directory", [".sabir", ".git", "build", "node_modules", "__pycache__"])
def test_a_directory_that_is_mentioned_counts(mention: str, directory: str, tmp_path: Path) -> None:
    file, text = MENTIONS[mention]
    text = text.replace("NAME", directory).replace("HEX", f"\\x{ord(directory[0]):02x}{directory[1:]}")
    project = write_files(
        tmp_path / "t", {file: text, f"{directory}/evil.py": "", f"{directory}/evil.sh": ""}
    )
    session = command_session()
    grant_permission(project, Trust.of(["python"]), session)
    (project / directory / "evil.py").write_text("changed")
    granted = find_grant(project, session)
    assert granted is not None
    assert granted.changes.changed == (f"{directory}/evil.py",)


@pytest.mark.parametrize("position", [(4 << 20) - 3, 4 << 20, 5 << 20])
def test_a_mention_in_a_large_file_counts(position: int, model: Path) -> None:
    write_files(model, {"data.cf": " " * position + "build " + " " * 5000, "build/evil.py": ""})
    session = command_session()
    grant_permission(model, Trust.of(["python"]), session)
    (model / "build" / "evil.py").write_text("changed")
    granted = find_grant(model, session)
    assert granted is not None
    assert granted.changes.changed == ("build/evil.py",)


def test_a_new_mention_in_a_model_ends_leave(model: Path) -> None:
    """The text of a model is no code, but what it names is."""
    session = command_session()
    write_files(model, {"build/evil/plugins/__init__.py": "evil()"})
    grant_permission(model, Trust.of(["python"]), session)
    settings = model / "project.yml"
    settings.write_text(settings.read_text().replace("[libs]", "[libs, build]"))
    granted = find_grant(model, session)
    assert granted is not None
    assert granted.changes.added == ("build/evil/plugins/__init__.py",)


def test_a_link_into_a_generated_directory_counts(model: Path) -> None:
    session = command_session()
    write_files(model, {"node_modules/evil/evil.py": ""})
    (model / "tools").symlink_to(model / "node_modules" / "evil")
    grant_permission(model, Trust.of(["python"]), session)
    (model / "node_modules" / "evil" / "evil.py").write_text("changed")
    granted = find_grant(model, session)
    assert granted is not None
    assert granted.changes.changed == ("tools/evil.py",)


def test_one_generated_directory_that_loads_from_another(model: Path) -> None:
    session = command_session()
    files = {"libs/acme/plugins/a.py": "import build.b", "build/b.py": "import dist.c", "dist/c.py": ""}
    grant_permission(write_files(model, files), Trust.of(["python"]), session)
    (model / "dist" / "c.py").write_text("changed")
    granted = find_grant(model, session)
    assert granted is not None
    assert granted.changes.changed == ("dist/c.py",)


PYTHON_TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  outputs:
    x: {value: {eval: {python: poisoned_helper.f}}}
"""


def test_compiled_files_of_a_project_are_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A compiled file does not count as code, so only the source runs, whatever the compiled file holds."""
    files = {"service.yaml": PYTHON_TEMPLATE, "poisoned_helper.py": "def f(context):\n    return 'source'\n"}
    project = write_files(tmp_path / "t", files)
    monkeypatch.chdir(project)
    (tmp_path / "other.py").write_text("def f(context):\n    return 'poisoned'\n")
    source = str(project / "poisoned_helper.py")
    py_compile.compile(
        str(tmp_path / "other.py"),
        cfile=importlib.util.cache_from_source(source),
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
    monkeypatch.delitem(sys.modules, "poisoned_helper", raising=False)
    assert main(["compile", "service.yaml", "--trust", "python", "--format", "text"]) == 0
    shown = capsys.readouterr().out
    assert "source" in shown
    assert 'poisoned"' not in shown
