"""Which packages a folder holds."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from sabir.operations.packages import discover_packages, packages_at
from tests.support.files import write_files

MANIFEST = "FullName: a.b\nClasses: {}\n"
TOSCA = "tosca_definitions_version: tosca_simple_yaml_1_3\n"
SERVICE = "dsl_version: 0.1.0\nservice:\n  name: web\n"
MIXED = {
    "apps/hello/manifest.yaml": MANIFEST,
    "apps/hello/Resources/t.yaml": TOSCA,
    "apps/old/Classes/A.yaml": "Name: A\n",
    "models/net/model/_init.cf": "",
    "models/main/main.cf": "",
    "models/main/libs/x/model/_init.cf": "",
    "components/web/service/web.yaml": SERVICE,
    "templates/db/t.yaml": TOSCA,
    "env/sabir.yaml": "parts: {}\n",
    "env/part/main.cf": "",
    ".hidden/main.cf": "",
    "node_modules/x/main.cf": "",
    "venv/pyvenv.cfg": "",
    "venv/main.cf": "",
    "docs/readme.yaml": "a: 1\n",
}


def found(folder: Path, *exclude: str) -> dict[str, tuple[str, ...]]:
    packages = discover_packages(folder, exclude=exclude)
    return {package.path.relative_to(folder).as_posix(): package.languages for package in packages}


def test_a_repository_is_walked(tmp_path: Path) -> None:
    write_files(tmp_path, MIXED)
    with zipfile.ZipFile(tmp_path / "apps" / "packed.zip", "w") as archive:
        archive.writestr("manifest.yaml", MANIFEST)
    (tmp_path / "apps" / "broken.zip").write_bytes(b"PK\x03\x04")
    assert found(tmp_path) == {
        "apps/packed.zip": ("muranopl",),
        "apps/hello": ("muranopl",),
        "apps/old": ("muranopl",),
        "components/web": ("ccp",),
        "env": ("environment",),
        "models/main": ("inmanta",),
        "models/net": ("inmanta",),
        "templates/db": ("tosca",),
    }


@pytest.mark.parametrize(
    ("exclude", "gone"),
    [
        (["apps"], {"apps/hello", "apps/old"}),
        (["apps/*"], {"apps/hello", "apps/old"}),
        (["old", "db/"], {"apps/old", "templates/db"}),
    ],
)
def test_exclude(tmp_path: Path, exclude: list[str], gone: set[str]) -> None:
    write_files(tmp_path, MIXED)
    assert {*found(tmp_path)} - {*found(tmp_path, *exclude)} == gone


@pytest.mark.parametrize(
    ("files", "packages"),
    [
        pytest.param({"main.cf": "", "a/main.cf": ""}, ["."], id="a package is one"),
        pytest.param({"a/main.cf": "", "b/main.cf": ""}, ["a", "b"], id="a folder of packages"),
        pytest.param(
            {"a/service/a.yaml": SERVICE, "b/service/b.yaml": SERVICE},
            ["."],
            id="components of one deployment",
        ),
        pytest.param({"a/t.yaml": TOSCA, "b/t.yaml": TOSCA}, ["."], id="templates belong together"),
        pytest.param({"a/t.yaml": TOSCA, "b/main.cf": ""}, ["a", "b"], id="two languages"),
        pytest.param({"readme.txt": ""}, ["."], id="nothing"),
    ],
)
def test_what_a_path_stands_for(tmp_path: Path, files: dict[str, str], packages: list[str]) -> None:
    write_files(tmp_path, files)
    assert [path.relative_to(tmp_path).as_posix() for path in packages_at(tmp_path)] == packages


def test_a_file_stands_for_itself(tmp_path: Path) -> None:
    assert packages_at(tmp_path / "nowhere") == [tmp_path / "nowhere"]
