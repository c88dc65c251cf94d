"""The pages about checking: their commands run, their code works when pasted, the API page is what the code says."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs.api import PAGE, api_page
from sabir.checks import Application, CheckOptions
from sabir.checks.report import Report
from sabir.checks.settings import read_settings
from sabir.cli.main import main
from sabir.operations.check import check_paths
from sabir.source.packages import MemoryPackage
from tests.docs.pages import DOCS, ROOT, blocks
from tests.support.plugin_path import install

CHECK = (DOCS / "reference/check.md").read_text(encoding="utf-8")
PLUGINS = (DOCS / "reference/plugins.md").read_text(encoding="utf-8")


@pytest.mark.rows("V-186")
@pytest.mark.parametrize("block", blocks(CHECK, "console"), ids=lambda block: block.split("\n", 1)[0])
def test_commands(block: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    command, _, shown = block.partition("\n")
    main(shlex.split(command.removeprefix("$ "))[1:])
    assert capsys.readouterr().out == shown


@pytest.mark.rows("V-186")
def test_the_python_example(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    (code,) = blocks(CHECK, "python")
    exec(code, {})  # noqa: S102  our own page
    assert "Classes/Greeter.yaml:16:12 MPL:E042" in capsys.readouterr().out


def test_the_settings_example(tmp_path: Path) -> None:
    (text,) = blocks(CHECK, "toml")
    (tmp_path / "pyproject.toml").write_text(text)
    settings = read_settings(tmp_path / "pyproject.toml")
    assert {*settings.check} == {name.replace("_", "-") for name in CheckOptions.__struct_fields__} - {
        "session",
        "inputs",
        "overrides",
    }
    assert (settings.format, settings.jobs) == ("concise", 2)


@pytest.mark.rows("V-187")
def test_the_api_page_is_made_from_the_code() -> None:
    assert PAGE.read_text(encoding="utf-8") == api_page(), "run python -m docs.api"


@pytest.mark.rows("V-188")
def test_the_sample_plug_in_works_when_pasted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    validator, formatter = blocks(PLUGINS, "python")
    (tmp_path / "house.py").write_text(validator)
    table = tomllib.loads(blocks(PLUGINS, "toml")[0])["project"]["entry-points"]["sabir.validators"]
    lines = "\n".join(f"{name} = {target}" for name, target in table.items())
    install(monkeypatch, tmp_path, f"[sabir.validators]\n{lines}\n", name="house")
    package = MemoryPackage({"a" * 60: "", "short": ""})
    assert [finding.code for finding in Application().run(package)] == ["HOUSE:W001"]
    names: dict[str, Any] = {}
    exec(formatter, names)  # noqa: S102  our own page
    assert names["CountFormatter"]().format(Report()) == "0 errors, 0 warnings\n"


def test_the_hooks_are_real_commands() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert {hook["id"] for hook in hooks} == {"sabir-check", "mpl-check"}
    assert all(hook["entry"].split()[0] in scripts and hook["language"] == "python" for hook in hooks)


def test_the_shipped_example_is_clean() -> None:
    assert check_paths([ROOT / "examples/murano/hello"]).exit_status() == 0
