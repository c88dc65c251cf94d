"""Cross-references into required packages that lie beside the checked one."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.languages.muranopl.check import package_validators
from sabir.source.packages import load_package
from tests.languages.muranopl.example_packages import LIBRARY
from tests.support.files import write_files

USER = {
    "manifest.yaml": """\
Format: MuranoPL/1.4
Type: Library
FullName: com.example.user
Require: {com.example.tools: 1}
Classes:
  com.example.user.User: User.yaml
""",
    "LICENSE": "x\n",
    "Classes/User.yaml": """\
Namespaces: {=: com.example.user, t: com.example.tools}
Name: User
Extends: t:Counter
Methods:
  go:
    Body:
      - Return: $.next(1)
""",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_files(tmp_path / "tools", LIBRARY)
    write_files(tmp_path / "user", USER)
    return tmp_path


def codes(folder: Path, old: str = "", new: str = "") -> list[str]:
    file = folder / "user/Classes/User.yaml"
    file.write_text(file.read_text().replace(old, new) if old else file.read_text())
    package = load_package(folder / "user")
    return [finding.code for validator in package_validators() for finding in validator(package).run()]


def test_members_of_a_required_class_are_known(folder: Path) -> None:
    assert codes(folder) == []


def test_an_unknown_method_is_found_through_a_required_parent(folder: Path) -> None:
    assert codes(folder, "$.next(1)", "$.nxet(1)") == ["MPL:E112"]


def test_wrong_arguments_of_a_required_method(folder: Path) -> None:
    assert codes(folder, "$.next(1)", "$.next(1, 2)") == ["MPL:E114"]


def test_a_class_of_the_own_namespace_cannot_hide_behind_requirements_that_are_at_hand(folder: Path) -> None:
    assert codes(folder, "Extends: t:Counter", "Extends: [t:Counter, Gone]")[:1] == ["MPL:E111"]


def test_nothing_is_claimed_when_the_requirement_is_not_at_hand(folder: Path) -> None:
    (folder / "tools/manifest.yaml").unlink()
    assert codes(folder, "$.next(1)", "$.nxet(1)") == []


def test_packages_may_require_each_other(folder: Path) -> None:
    manifest = folder / "tools/manifest.yaml"
    manifest.write_text(manifest.read_text() + "Require: {com.example.user: 1}\n")
    assert codes(folder) == []


def test_a_class_of_the_own_namespace_may_lie_in_a_package_beside(folder: Path) -> None:
    """Packages older than `Require` name no others; the engine of their time found classes by name."""
    manifest = folder / "user/manifest.yaml"
    manifest.write_text(manifest.read_text().replace("Require: {com.example.tools: 1}\n", ""))
    tools = folder / "tools/manifest.yaml"
    assert codes(folder, "Extends: t:Counter", "Extends: Base") == ["MPL:E111"]
    tools.write_text(tools.read_text() + "  com.example.user.Base: Base.yaml\n")
    assert codes(folder) == []
