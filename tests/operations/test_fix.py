"""Repairs on the disk: what --diff shows is what --fix writes."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from sabir.checks.options import CheckOptions
from sabir.operations.check import check_paths
from sabir.operations.fix import fix_diff, fix_paths
from tests.languages.muranopl.example_packages import LIBRARY

# The second slip can only be seen when the first is mended.
SLIPS = {
    "Classes/Counter.yaml": (("    Usage: Out\n", "    Usge: Ot\n"), ("Methods:", "Workflow:")),
    "manifest.yaml": (
        ("Name: Tools\n", "Name: 1.10\n"),
        ("Type: Library\n", "Type: Library\nType: Library\n"),
    ),
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, text in LIBRARY.items():
        path = tmp_path / "tools" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        for old, new in SLIPS.get(name, ()):
            text = text.replace(old, new)
        path.write_bytes(text.replace("\n", "\r\n").encode() if name == "manifest.yaml" else text.encode())
    return tmp_path / "tools"


def patched(package: Path, diff: str) -> dict[str, bytes]:
    """The files after the diff was applied by somebody else's tool."""
    subprocess.run(["patch", "-s", "-p1", "--binary", "-d", "/"], input=diff.encode(), check=True)
    return contents(package)


def contents(package: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(package)): path.read_bytes() for path in package.rglob("*") if path.is_file()
    }


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs the tool patch")
@pytest.mark.parametrize("unsafe", [False, True])
def test_the_diff_is_what_is_written(package: Path, unsafe: bool) -> None:
    before = contents(package)
    diff = fix_diff([package], CheckOptions(), unsafe=unsafe)
    assert contents(package) == before
    by_patch = patched(package, diff)
    for name, content in before.items():
        (package / name).write_bytes(content)
    done = fix_paths([package], CheckOptions(), unsafe=unsafe)
    assert contents(package) == by_patch
    assert done.applied == (5 if unsafe else 3)
    assert [*done.files] == sorted(done.files)
    assert fix_diff([package], CheckOptions(), unsafe=unsafe) == ""
    left = {finding.code for _, finding in check_paths([package]).report.findings()}
    assert left == (set() if unsafe else {"E021"})


def test_what_cannot_be_mended_is_let_be(package: Path, tmp_path: Path) -> None:
    archive = tmp_path / "tools.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name, content in contents(package).items():
            file.writestr(name, content)
    before = archive.read_bytes()
    assert fix_paths([archive, tmp_path / "nowhere"], CheckOptions(), unsafe=True).files == ()
    assert archive.read_bytes() == before


def test_a_file_alone(package: Path) -> None:
    path = package / "Classes/Counter.yaml"
    assert fix_paths([path], CheckOptions(), unsafe=True).files == (path,)
    assert path.read_text() == LIBRARY["Classes/Counter.yaml"]
