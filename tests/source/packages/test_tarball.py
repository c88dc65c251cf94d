"""Tarballs: what is in them, and what they cannot do."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from sabir.errors import InputError
from sabir.source.packages import LoadedPackage, load_package
from sabir.source.packages.limits import PackageLimits

LONG = "folder/" * 20 + "file.yaml"


def tarball(path: Path, files: dict[str, bytes], *, form: int = tarfile.PAX_FORMAT) -> Path:
    mode = "w:gz" if path.name.endswith("gz") else "w"
    with tarfile.open(path, mode, format=form) as packed:  # type: ignore[call-overload]  # the mode is one of two
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            packed.addfile(info, io.BytesIO(content))
    return path


def contents(package: LoadedPackage) -> dict[str, bytes]:
    files = {name: package.get_file(name) for name in package.list()}
    return {name: file.raw() for name, file in files.items() if file is not None}


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tgz"])
@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_files(name: str, form: int, tmp_path: Path) -> None:
    files = {"./t.yaml": b"a: 1\n", LONG: b"b: 2\n", "empty": b"", "large": b"x" * 100_000}
    package = load_package(tarball(tmp_path / name, files, form=form))
    assert contents(package) == {file.removeprefix("./"): content for file, content in files.items()}
    assert package.findings == ()


def test_members_that_are_left_out(tmp_path: Path) -> None:
    path = tarball(tmp_path / "a.tar", {"../out": b"", "/etc/passwd": b"", "t.yaml": b"1", "./t.yaml": b"2"})
    with tarfile.open(path, "a") as packed:
        for kind, name in ((tarfile.SYMTYPE, "link"), (tarfile.LNKTYPE, "hard"), (tarfile.CHRTYPE, "device")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            packed.addfile(info)
    package = load_package(path)
    assert contents(package) == {"t.yaml": b"1"}
    assert [finding.code for finding in package.findings] == ["E008", "E008", "E009", "E008", "E008", "E008"]


def test_limits(tmp_path: Path) -> None:
    path = tarball(tmp_path / "a.tar", {f"f{number}": b"x" * 100 for number in range(10)})
    few = load_package(path, PackageLimits(entries=3))
    assert (len(few.list()), [finding.code for finding in few.findings]) == (3, ["E009"])
    small = load_package(path, PackageLimits(archive=450))
    assert (len(small.list()), [finding.code for finding in small.findings]) == (4, ["E009"])
    large = load_package(path, PackageLimits(file=50)).get_file("f0")
    assert large is not None
    assert large.defect is not None
    assert large.defect.code == "E009"


def test_a_bomb(tmp_path: Path) -> None:
    path = tarball(tmp_path / "a.tgz", {"t.yaml": b"a: 1\n", "zeros": b"\0" * 20_000_000})
    package = load_package(path)
    assert [finding.code for finding in package.findings] == ["E009"]
    zeros = package.get_file("zeros")
    assert zeros is not None
    assert zeros.defect is not None


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(b"no tarball"),
        b"\x1f\x8b cut off",
        gzip.compress(b"\0" * 257 + b"ustar" + b"\0" * 250),
        b"a" * 257 + b"ustar" + b"\xff" * 250,
    ],
    ids=["another content", "cut off", "an empty header", "numbers that are none"],
)
def test_damaged(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.tgz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="damaged tarball"):
        load_package(path)
