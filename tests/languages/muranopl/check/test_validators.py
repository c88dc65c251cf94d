"""The validator classes of spec 001, and manifest rules that no shared case shows."""

from __future__ import annotations

import inspect
import tomllib
from pathlib import Path

import pytest

from sabir.checks.validator import BaseValidator
from sabir.diagnostics.rules import Example
from sabir.languages.muranopl.check import package_validators
from sabir.languages.muranopl.check.classes import ClassValidator
from sabir.languages.muranopl.check.manifest import ManifestValidator, PackageValidator
from sabir.languages.muranopl.check.ui import UiValidator
from sabir.source.packages import MemoryPackage
from tests.languages.muranopl.check.test_codes import NO_LOGO, findings
from tests.languages.muranopl.example_packages import LIBRARY, with_manifest

ROOT = Path(__file__).resolve().parents[4]
NAMES = {PackageValidator: "PKG", ManifestValidator: "MAN", ClassValidator: "MPL", UiValidator: "UI"}


@pytest.mark.rows("V-148", "V-149", "V-150", "V-151", "V-152", "V-153")
def test_the_validators_of_the_document() -> None:
    assert set(package_validators()) == set(NAMES)
    for validator, name in NAMES.items():
        assert issubclass(validator, BaseValidator)
        assert validator.short_name == name
        assert all(code.code.startswith(f"{name}:") for code in validator.rules())


@pytest.mark.rows("V-154", "V-155")
@pytest.mark.parametrize("validator", NAMES, ids=lambda validator: validator.__name__)
def test_a_validator_takes_the_package(validator: type[BaseValidator]) -> None:
    assert list(inspect.signature(validator).parameters) == ["loaded_package"]
    assert list(validator(MemoryPackage(LIBRARY)).run()) == []
    assert list(validator(MemoryPackage(LIBRARY)).run(files=["nothing.yaml"])) == []


MANIFESTS: dict[str, tuple[Example, list[str]]] = {
    "format-without-name": (with_manifest("Format: MuranoPL/1.4", "Format: 1.3"), []),
    "format-without-name-unknown": (with_manifest("Format: MuranoPL/1.4", "Format: 1.9"), ["MAN:W030"]),
    "type-missing": (with_manifest("Type: Library\n", ""), ["E020"]),
    "full-name-a-number": (with_manifest("FullName: com.example.tools", "FullName: 5"), ["MAN:E073"]),
    "author-a-list": (with_manifest("Tags:", "Author: [me]\nTags:"), ["E040"]),
    "author": (with_manifest("Tags:", "Author: me\nTags:"), []),
}


@pytest.mark.rows("V-046", "V-049", "V-053", "V-059")
@pytest.mark.parametrize("name", MANIFESTS)
def test_manifest(name: str) -> None:
    example, expected = MANIFESTS[name]
    assert [one.code for one in findings(example) if one.code != NO_LOGO] == expected


@pytest.mark.rows("V-185")
def test_every_module_of_the_checks_is_used_by_a_test() -> None:
    modules = {path.stem for path in (ROOT / "src/sabir/languages/muranopl/check").glob("*.py")}
    assert {"manifest", "classes", "ui", "validator"} <= modules
    assert (ROOT / "tests/conformance").is_dir()


@pytest.mark.rows("V-189")
def test_the_dependencies_of_the_document_are_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = " ".join(project["dependencies"]).lower()
    assert "pyyaml" in declared
    assert "stevedore" in declared
