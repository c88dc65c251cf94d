"""Modules: their forms, their namespaces, and the commit they come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.languages.inmanta import LANGUAGE
from sabir.languages.inmanta.evaluate.model import evaluate_package
from sabir.languages.inmanta.evaluate.values import property_of
from sabir.languages.inmanta.syntax.project import load_project
from sabir.languages.language import EvaluationRequest
from sabir.session import Session, Trust
from sabir.source.packages import MemoryPackage
from sabir.source.packages.load import load_package
from tests.support.files import write_files

TRUSTING = Session(trust=Trust(python=True))

MANIFEST = "name: net\nversion: 0.1\nlicense: x\n"
ENTITY = "entity Port:\n    int n\nend\nimplement Port using std::none\nPort(n=1)\n"


@pytest.mark.rows("I-009", "I-010", "I-012", "I-013", "I-014", "I-015")
def test_namespaces() -> None:
    files = {
        "main.cf": "import net\n",
        "libs/net/module.yml": MANIFEST,
        "libs/net/model/_init.cf": "",
        "libs/net/model/services.cf": "",
        "libs/net/model/policy/_init.cf": "",
        "libs/net/model/policy/other.cf": "",
        "libs/net/model/readme.txt": "",
    }
    project = load_project(MemoryPackage(files))
    expected = ["net", "net::policy", "net::policy::other", "net::services"]
    assert project.modules["net"].namespaces() == expected
    assert set(project.namespaces) == {"std", "__config__", "net"}


@pytest.mark.rows("I-004")
def test_a_module_may_be_a_git_repository_or_not(tmp_path: Path) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    write_files(
        tmp_path,
        {
            "main.cf": "import net\nimport plain\n",
            "libs/net/module.yml": MANIFEST,
            "libs/net/model/_init.cf": ENTITY,
            "libs/net/.git/HEAD": "ref: refs/heads/main\n",
            "libs/net/.git/refs/heads/main": commit + "\n",
            "libs/plain/module.yml": MANIFEST,
            "libs/plain/model/_init.cf": ENTITY,
        },
    )
    graph = LANGUAGE.evaluate(load_package(tmp_path), EvaluationRequest()).graph
    notes = {
        one.type: one.origin.note for one in graph if one.origin is not None and one.type.endswith("Port")
    }
    assert notes == {"net::Port": f"commit {commit[:12]}", "plain::Port": None}


@pytest.mark.parametrize(
    "files",
    [
        {"libs/net/module.yml": MANIFEST, "libs/net/model/_init.cf": ENTITY},
        {"libs/net/setup.cfg": "[metadata]\nname = inmanta-module-net\n", "libs/net/model/_init.cf": ENTITY},
        {"libs/inmanta_plugins/net/__init__.py": "", "libs/inmanta_plugins/net/model/_init.cf": ENTITY},
    ],
    ids=["module.yml", "python package", "installed"],
)
def test_forms_of_a_module(files: dict[str, str]) -> None:
    model = evaluate_package(MemoryPackage({"main.cf": "import net\n", **files}), session=Session())
    assert not model.findings
    assert [property_of(one, "n") for one in model.instances if one.entity.name == "net::Port"] == [1]


def test_a_python_packaged_module_brings_its_plugins() -> None:
    plugin = (
        'from inmanta.plugins import plugin\n\n@plugin\ndef twice(n: "int") -> "int":\n    return 2 * n\n'
    )
    files = {
        "main.cf": "import net\nx = net::twice(4)\n",
        "libs/net/setup.cfg": "[metadata]\nname = inmanta-module-net\n",
        "libs/net/model/_init.cf": "",
        "libs/net/inmanta_plugins/net/__init__.py": plugin,
    }
    assert evaluate_package(MemoryPackage(files), session=TRUSTING).variables()["x"] == 8


def test_a_module_on_the_search_path(tmp_path: Path) -> None:
    write_files(tmp_path, {"net/module.yml": MANIFEST, "net/model/_init.cf": "v = 5\n"})
    model = evaluate_package(
        MemoryPackage({"main.cf": "import net\nx = net::v\n"}), session=Session(), search_path=(tmp_path,)
    )
    assert model.variables()["x"] == 5


def test_a_module_alone_can_be_evaluated() -> None:
    files = {"module.yml": MANIFEST, "model/_init.cf": ENTITY}
    assert LANGUAGE.recognises(MemoryPackage(files))
    model = evaluate_package(MemoryPackage(files), session=Session())
    assert [one.entity.name for one in model.instances if "Port" in one.entity.name] == ["net::Port"]


def test_a_module_path_does_not_leave_the_project() -> None:
    files = {"main.cf": "import net\n", "project.yml": "modulepath: [../elsewhere, /etc]\n"}
    found = load_project(MemoryPackage(files)).findings
    assert [one.code for one in found] == ["INM:W003", "INM:W003", "INM:E002"]


def test_a_misspelt_module_has_a_near_name() -> None:
    files = {"main.cf": "import nett\n", "libs/net/module.yml": MANIFEST, "libs/net/model/_init.cf": ""}
    assert load_project(MemoryPackage(files)).findings[0].hint == "did you mean 'net'?"
