"""Packages: requirements, versions, search paths, archives."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.evaluate.preparation import prepare_run
from sabir.source.packages import MemoryPackage, load_package
from tests.languages.muranopl.packages import files


def library(folder: Path, version: str, answer: int) -> None:
    (folder / "Classes").mkdir(parents=True)
    (folder / "manifest.yaml").write_text(
        f"Format: '1.4'\nType: Library\nFullName: demo.lib\nVersion: {version}\nClasses:\n  demo.lib.Tool: Tool.yaml\n"
    )
    (folder / "Classes" / "Tool.yaml").write_text(
        f"Name: demo.lib.Tool\nMethods:\n  answer:\n    Usage: Static\n    Body:\n      Return: {answer}\n"
    )


ROOT = """\
Name: Root
Properties:
  got:
    Contract: $.int()
    Usage: Out
Methods:
  .init:
    Body:
      - $.got: lib:Tool.answer()
"""


def package(spec: str) -> MemoryPackage:
    made = files(ROOT)
    made["manifest.yaml"] += f"Require:\n  demo.lib: {spec}\n"
    made["Classes/Root.yaml"] = made["Classes/Root.yaml"].replace("std: io.murano", "lib: demo.lib")
    return MemoryPackage(made)


@pytest.mark.parametrize(("spec", "answer"), [("1", 19), ("'>=1,<1.5'", 10), ("2", 20), ("", 20)])
def test_the_newest_that_the_range_allows(tmp_path: Path, spec: str, answer: int) -> None:
    for version, number in (("1.0.0", 10), ("1.9.0", 19), ("2.0.1", 20)):
        library(tmp_path / version, version, number)
    prepared = prepare_run(package(spec), EvaluationRequest(search_path=(tmp_path,)))
    assert prepared.session is not None, prepared.findings
    assert prepared.session.dump()["got"] == answer


def test_a_missing_requirement_is_named(tmp_path: Path) -> None:
    library(tmp_path / "lib", "1.0.0", 1)
    (nothing,) = prepare_run(package("2"), EvaluationRequest()).findings
    assert nothing.message == "package demo requires demo.lib 2, which is nowhere to be found"
    (other,) = prepare_run(package("2"), EvaluationRequest(search_path=(tmp_path,))).findings
    assert other.message == "package demo requires demo.lib 2, of which there is only 1.0.0"


def test_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "demo.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files("Name: Root\n").items():
            archive.writestr(name, text)
    assert not prepare_run(load_package(path), EvaluationRequest()).failed


def test_resources_of_the_package() -> None:
    classes = """\
Name: Root
Properties:
  got:
    Contract: []
    Usage: Out
Methods:
  .init:
    Body:
      - $r: new('io.murano.system.Resources')
      - $.got: ([$r.string('a.txt'), $r.json('b.json'), $r.yaml('c.yaml').bind({x => 5})])
"""
    made = files(
        classes, **{"Resources/a.txt": "text", "Resources/b.json": "[1]", "Resources/c.yaml": "k: $x\n"}
    )
    session = prepare_run(MemoryPackage(made), EvaluationRequest()).session
    assert session is not None
    assert session.dump()["got"] == ["text", [1], {"k": 5}]


def test_a_missing_class_file() -> None:
    made = {name: text for name, text in files("Name: Root\n").items() if "Classes/" not in name}
    (found,) = prepare_run(MemoryPackage(made), EvaluationRequest()).findings
    assert (found.code, found.location.line) == ("MRUN:E006", 6)


@pytest.mark.parametrize(
    ("type_", "spec", "version"),
    [
        ("demo.lib.Tool/1.0.0", "1", "1.0.0"),
        ("demo.lib.Tool/1", "1", "1.9.0"),
        ("demo.lib.Tool/1.0.0", "'>=1'", "1.0.0"),
        ("demo.lib.Tool", "'>=0'", "2.0.1"),
        ("demo.lib.Tool/2", "1", None),
        ("demo.lib.Tool/3", "'>=0'", None),
    ],
)
def test_versions_in_a_model(tmp_path: Path, type_: str, spec: str, version: str | None) -> None:
    """An object may be of any version that the package of the contract allows; in a header, ranges mean the newest."""
    for one in ("1.0.0", "1.9.0", "2.0.1"):
        library(tmp_path / one, one, 0)
    made = files(
        "Name: Root\nProperties:\n  tool:\n    Contract: $.class(lib:Tool)\n",
        f"'?': {{id: root, type: demo.Root}}\ntool: {{'?': {{id: tool, type: {type_}}}}}\n",
    )
    made["manifest.yaml"] += f"Require:\n  demo.lib: {spec}\n"
    made["Classes/Root.yaml"] = made["Classes/Root.yaml"].replace("std: io.murano", "lib: demo.lib")
    prepared = prepare_run(MemoryPackage(made), EvaluationRequest(search_path=(tmp_path,)))
    if version is None:
        assert prepared.session is None
        return
    assert prepared.session is not None, prepared.findings
    assert str(prepared.session.find_object("tool").cls.package.manifest.version) == version
