"""What a command imports before it does anything: modules are counted here, not seconds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.check import generate_packages

HEAVY = (
    "argparse",
    "asyncio",
    "concurrent",
    "dataclasses",
    "email",
    "http",
    "importlib.metadata",
    "jinja2",
    "logging",
    "multiprocessing",
    "rich",
    "semantic_version",
    "socket",
    "sqlite3",
    "stevedore",
    "subprocess",
    "tempfile",
)
"""Modules that take a millisecond or more, or lead to such; what click and msgspec need is paid for anyway."""


def imported(*words: str, command: str = "main") -> list[str]:
    """The modules that a command leaves loaded, in a process of its own."""
    script = (
        f"import sys; from sabir.cli.{command} import main; status = main({list(words)!r}); "
        "print(file=sys.stderr); print(status, *sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    status, *modules = done.stderr.splitlines()[-1].split()
    assert status == "0", done.stderr
    return modules


def baseline(script: str) -> list[str]:
    """The modules that a line of Python leaves loaded."""
    script += "; import sys; print(*sorted(name.partition('.')[0] for name in sys.modules))"
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()


def test_version_loads_nothing_of_ours_beside_the_frame() -> None:
    modules = imported("--version")
    ours = [name for name in modules if name.startswith("sabir")]
    assert ours == [
        "sabir",
        "sabir.cli",
        "sabir.cli.boundary",
        "sabir.cli.declare",
        "sabir.cli.main",
        "sabir.cli.terminal",
        "sabir.errors",
        "sabir.interpreter",
    ]
    others = {name.partition(".")[0] for name in modules} - {*baseline("import click")} - {"sabir"}
    assert others <= {"_locale", "atexit", "gc", "locale", "signal"}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    generate_packages(1, folder)
    return folder / "00000.zip"


def test_a_check_loads_what_it_runs(package: Path) -> None:
    modules = imported(str(package), command="mpl_check")
    assert not {*modules} & {*HEAVY}
    unwanted = ("sabir.graph", "sabir.languages.muranopl.evaluate", "sabir.diagnostics.examples")
    assert not [name for name in modules if name.startswith(unwanted)]


MODEL = 'entity Host:\n    string name\nend\nimplement Host using std::none\nHost(name="a")\n'
TEMPLATE = "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template: {node_templates: {}}\n"


@pytest.mark.parametrize(
    ("file", "text", "unwanted"),
    [
        (
            "main.cf",
            MODEL,
            (
                "sabir.languages.muranopl.check.classes",
                "sabir.languages.tosca.check",
                "sabir.expressions.yaql",
            ),
        ),
        ("service.yaml", TEMPLATE, ("sabir.languages.muranopl.evaluate", "sabir.languages.inmanta.check")),
    ],
    ids=["inmanta", "tosca"],
)
def test_other_languages(file: str, text: str, unwanted: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / file).write_text(text)
    modules = imported("check", str(tmp_path / file))
    assert not {*modules} & {*HEAVY, "zipfile", "shutil"}
    assert not [name for name in modules if name.startswith(unwanted)]


def test_an_evaluation_loads_what_it_runs(tmp_path: Path) -> None:
    (tmp_path / "main.cf").write_text(MODEL)
    modules = imported("query", str(tmp_path / "main.cf"), "::*::.name")
    assert not {*modules} & {*HEAVY}


@pytest.mark.parametrize("language", ["muranopl", "inmanta", "tosca"])
def test_the_rules_of_other_languages_are_not_loaded(language: str, package: Path, tmp_path: Path) -> None:
    (tmp_path / "main.cf").write_text(MODEL)
    (tmp_path / "service.yaml").write_text(TEMPLATE)
    paths = {"muranopl": package, "inmanta": tmp_path / "main.cf", "tosca": tmp_path / "service.yaml"}
    script = (
        f"import sys; from sabir.cli.main import main; main(['check', {str(paths[language])!r}]); "
        "from sabir.diagnostics.rules import Rule; "
        "print(*{name.split('.')[2] for name, module in [*sys.modules.items()] if name.startswith('sabir.languages.') "
        "and any(isinstance(value, Rule) for value in vars(module).values())})"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].split() == [language]
