from __future__ import annotations

from pathlib import Path

import pytest

from sabir.operations.editor.index import NameIndex
from sabir.operations.editor.project import EditorProject, EditorProjects
from sabir.session import PROFILES, Session

CLASS = "Namespaces:\n  =: org.example\n  std: io.murano\nName: {name}\nExtends: {base}:Application\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "Classes").mkdir()
    (tmp_path / "manifest.yaml").write_text(
        "Format: MuranoPL/1.0\nType: Application\nFullName: org.example.Web\nName: Web\n"
        "Classes:\n  org.example.Web: Web.yaml\n"
    )
    (tmp_path / "Classes" / "Web.yaml").write_text(CLASS.format(name="Web", base="std"))
    return tmp_path


def _project(folder: Path) -> EditorProject:
    project = EditorProjects(Session(limits=PROFILES["strict"])).of(folder / "Classes" / "Web.yaml")
    assert project is not None
    return project


def _codes(project: EditorProject) -> set[str]:
    return {finding.code for finding in project.findings_of("Classes/Web.yaml")}


def test_a_file_belongs_to_the_package_around_it(folder: Path) -> None:
    project = _project(folder)
    assert project.root == folder
    assert project.language.name == "muranopl"
    assert project.name_of(folder / "Classes" / "Web.yaml") == "Classes/Web.yaml"
    assert project.name_of(folder / "Classes" / "Gone.yaml") is None


def test_what_is_typed_is_checked_and_not_what_is_on_the_disk(folder: Path) -> None:
    project = _project(folder)
    assert "MPL:E110" not in _codes(project)
    project.edit("Classes/Web.yaml", CLASS.format(name="Web", base="sdt"))
    assert "MPL:E110" in _codes(project)
    project.reload_file("Classes/Web.yaml")
    assert "MPL:E110" not in _codes(project)


def test_a_check_in_pieces_finds_what_a_check_finds(folder: Path) -> None:
    project = _project(folder)
    project.edit("Classes/Web.yaml", CLASS.format(name="Web", base="sdt"))
    pieces = project.check()
    while True:
        try:
            next(pieces)
        except StopIteration as ended:
            findings = ended.value
            break
    assert "MPL:E110" in {finding.code for finding in findings}


def test_files_that_did_not_change_are_not_read_again(folder: Path) -> None:
    project = _project(folder)
    manifest = project.file("manifest.yaml")
    assert manifest is not None
    _ = manifest.yaml
    (folder / "Classes" / "New.yaml").write_text(CLASS.format(name="New", base="std"))
    project.reload_listing()
    assert project.file("manifest.yaml") is manifest
    assert project.name_of(folder / "Classes" / "New.yaml") == "Classes/New.yaml"


def test_broken_settings_do_not_stop_the_checks(folder: Path) -> None:
    (folder / "sabir.toml").write_text("selekt = 'E'\n")
    project = _project(folder)
    _codes(project)
    assert project.settings_problem is not None
    assert "selekt" in project.settings_problem


def test_a_broken_text_defines_what_it_defined_before(folder: Path) -> None:
    project = _project(folder)
    index = NameIndex(project)
    assert [symbol.name for symbol in index.names("Classes/Web.yaml").symbols] == ["Web"]
    project.edit("Classes/Web.yaml", CLASS.format(name="Web", base="std") + "Methods: [\n")
    assert [symbol.name for symbol in index.names("Classes/Web.yaml").symbols] == ["Web"]


def test_definitions_follow_what_is_typed(folder: Path) -> None:
    project = _project(folder)
    index = NameIndex(project)
    assert [each.file.name for each in index.definitions(("class org.example.Web",))] == ["Classes/Web.yaml"]
    project.edit("Classes/Web.yaml", CLASS.format(name="Shop", base="std"))
    assert index.definitions(("class org.example.Web",)) == []
    assert len(index.definitions(("class org.example.Shop",))) == 1


def test_a_policy_file_is_read_while_it_is_typed(tmp_path: Path) -> None:
    (tmp_path / "sabir.yaml").write_text(
        "name: shop\nrules: own.yaml\nparts:\n  a: {language: resources, model: {}}\n"
    )
    (tmp_path / "own.yaml").write_text("rules: []\n")
    (tmp_path / "other.yaml").write_text("rules: 1\n")
    project = EditorProjects(Session(limits=PROFILES["strict"])).of(tmp_path / "sabir.yaml")
    assert project is not None
    assert project.policy_findings("own.yaml") == ()
    assert project.policy_findings("other.yaml") is None
    project.edit("own.yaml", "rules:\n- code: OWN:E001\n  mesage: x\n")
    findings = project.policy_findings("own.yaml")
    assert findings is not None
    assert {finding.code for finding in findings} == {"E910"}
