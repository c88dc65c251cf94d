from __future__ import annotations

import io
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from sabir.errors import InputError
from sabir.source.packages import (
    DirectoryLoader,
    FileLoader,
    LoadedPackage,
    MemoryPackage,
    PackageLimits,
    PackageLoader,
    ZipLoader,
    load_package,
)
from tests.support.files import write_files

MANIFEST = "Format: MuranoPL/1.4\nFullName: a.b\n"
FILES = {"manifest.yaml": MANIFEST, "Classes/A.yaml": "Name: A\n", "Classes/sub/B.yaml": "Name: B\n"}


def directory(folder: Path) -> Path:
    return write_files(folder / "package", FILES)


def archive(folder: Path) -> Path:
    path = folder / "package.zip"
    with zipfile.ZipFile(path, "w") as writer:
        for name, text in FILES.items():
            writer.writestr(name, text)
    return path


def single(folder: Path) -> Path:
    path = folder / "manifest.yaml"
    path.write_text(MANIFEST)
    return path


MAKERS: dict[type[PackageLoader], Callable[[Path], Path]] = {
    DirectoryLoader: directory,
    ZipLoader: archive,
    FileLoader: single,
}


@pytest.mark.rows("V-170", "V-171", "V-172", "V-173", "V-174")
@pytest.mark.parametrize("made_for", MAKERS, ids=lambda loader: loader.__name__)
@pytest.mark.parametrize("loader", MAKERS, ids=lambda loader: loader.__name__)
def test_a_loader_takes_its_own_form_only(
    loader: type[PackageLoader], made_for: type[PackageLoader], tmp_path: Path
) -> None:
    path = MAKERS[made_for](tmp_path)
    package = loader.try_load(path)
    assert (package is not None) == (loader is made_for)
    assert issubclass(loader, PackageLoader)


def whole_packages(folder: Path) -> list[LoadedPackage]:
    return [load_package(directory(folder)), load_package(archive(folder)), MemoryPackage(FILES)]


@pytest.mark.rows("V-166", "V-175", "V-176", "V-177", "V-178", "V-179", "V-180", "V-181")
def test_every_form_gives_the_same_files(tmp_path: Path) -> None:
    for package in whole_packages(tmp_path):
        assert package.list() == sorted(FILES)
        assert package.list("Classes") == package.list("Classes/") == ["Classes/A.yaml", "Classes/sub/B.yaml"]
        assert [*package.search_for(r".*\.yaml$", "Classes/sub")] == ["Classes/sub/B.yaml"]
        assert package.exists("Classes/A.yaml")
        assert not package.exists("Classes")
        assert package.format() == ("MuranoPL", "1.4")
        file = package.get_file("Classes/A.yaml")
        assert file is not None
        assert file is package.get_file("./Classes//A.yaml")
        assert file.raw() == b"Name: A\n"
        assert file.parsed() == {"Name": "A"}
        assert package.get_file("nope") is None
        assert package.get_file("../package/manifest.yaml") is None
        assert package.findings == ()


@pytest.mark.rows("V-176")
@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        ("Name: x\n", ("MuranoPL", "1.0")),
        ("Format: 1.3\n", ("MuranoPL", "1.3")),
        ("Format: '1'\n", ("MuranoPL", "1")),
        ("Format: Heat.HOT/1.0\n", ("Heat.HOT", "1.0")),
        ("Format: Heat.HOT\n", ("Heat.HOT", "1.0")),
        ("- no mapping\n", ("MuranoPL", "1.0")),
        ("a: [\n", ("MuranoPL", "1.0")),
    ],
)
def test_format(manifest: str, expected: tuple[str, str]) -> None:
    assert MemoryPackage({"manifest.yaml": manifest}).format() == expected


@pytest.mark.rows("V-056")
def test_version_has_a_default() -> None:
    assert MemoryPackage({"manifest.yaml": "Version: 1.2.3\n"}).version == "1.2.3"
    assert MemoryPackage({"manifest.yaml": "Name: x\n"}).version == "0.0.0"


def test_a_file_is_read_when_asked_for(tmp_path: Path) -> None:
    root = directory(tmp_path)
    package = load_package(root)
    (root / "Classes/A.yaml").write_text("Name: Later\n")
    file = package.get_file("Classes/A.yaml")
    assert file is not None
    assert [*package.list_opened()] == []
    assert file.parsed() == {"Name": "Later"}
    assert [opened.name for opened in package.list_opened()] == ["Classes/A.yaml"]


# What cannot be taken at all


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        (None, "nope", "no such path"),
        (b"\x7fELF\0\0", "program", "neither a folder nor an archive"),
        (b"PK\x03\x04 cut off", "cut.zip", "damaged zip archive"),
        (b"plain text", "text.zip", "is no zip archive"),
        (b"", "empty.csar", "is no zip archive"),
    ],
)
def test_refused(content: bytes | None, name: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=expected) as refusal:
        load_package(path)
    assert "\n" not in str(refusal.value)
    assert name in str(refusal.value)


def test_refused_for_other_reasons(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe.yaml")
    for path, expected in (
        (tmp_path / "link", "leads nowhere"),
        (tmp_path / "pipe.yaml", "neither"),
        (Path("a\0b"), "no such path"),
    ):
        with pytest.raises(InputError, match=expected):
            load_package(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = single(tmp_path)
    path.chmod(0)
    with pytest.raises(InputError, match="Permission denied"):
        load_package(path)


# Directories


def codes(package: LoadedPackage) -> list[tuple[str, str]]:
    return [(problem.code, problem.filename) for problem in package.findings]


def test_links_must_stay_inside(tmp_path: Path) -> None:
    root = directory(tmp_path)
    (tmp_path / "secret.yaml").write_text("password: x\n")
    (root / "out.yaml").symlink_to(tmp_path / "secret.yaml")
    (root / "inside.yaml").symlink_to("Classes/A.yaml")
    (root / "loop").symlink_to(".")
    (root / "dangling.yaml").symlink_to("nowhere.yaml")
    (root / "up").symlink_to("..")
    package = load_package(root)
    assert codes(package) == [("E008", "out.yaml"), ("E008", "up")]
    assert package.list() == sorted([*FILES, "inside.yaml"])
    inside = package.get_file("inside.yaml")
    assert inside is not None
    assert inside.raw() == b"Name: A\n"


def test_special_files_are_never_opened(tmp_path: Path) -> None:
    root = directory(tmp_path)
    os.mkfifo(root / "Classes/pipe.yaml")
    package = load_package(root)
    assert codes(package) == [("E901", "Classes/pipe.yaml")]
    assert not package.exists("Classes/pipe.yaml")


def test_a_file_that_became_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    root = directory(tmp_path)
    package = load_package(root)
    (root / "Classes/A.yaml").unlink()
    os.mkfifo(root / "Classes/A.yaml")
    file = package.get_file("Classes/A.yaml")
    assert file is not None
    assert file.raw() == b""
    assert file.defect is not None
    assert file.defect.code == "E901"


def test_what_tools_leave_behind_is_not_part_of_it(tmp_path: Path) -> None:
    root = directory(tmp_path)
    left = (".git/config", "__pycache__/a.pyc", "env/pyvenv.cfg", "env/lib/x.yaml")
    write_files(root, dict.fromkeys(left, ""))
    assert load_package(root).list() == sorted(FILES)


def test_limits_of_a_directory(tmp_path: Path) -> None:
    root = directory(tmp_path)
    (root / "a/b/c/d").mkdir(parents=True)
    deep = DirectoryLoader.try_load(root, PackageLimits(depth=3))
    assert deep is not None
    assert codes(deep) == [("E009", "a/b/c/d")]
    wide = DirectoryLoader.try_load(root, PackageLimits(entries=3))
    assert wide is not None
    assert [problem.code for problem in wide.findings] == ["E009"]
    small = DirectoryLoader.try_load(root, PackageLimits(file=4))
    assert small is not None
    manifest = small.get_file("manifest.yaml")
    assert manifest is not None
    assert manifest.defect is not None
    assert manifest.defect.code == "E009"


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"name: caf\xe9\n", "E003"), (b"name: a\0b\n", "E002"), (b"\xff\xfen\0", "E003")],
)
def test_bytes_that_are_no_text(content: bytes, code: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(content)
    file = load_package(tmp_path / "a.yaml").get_file("a.yaml")
    assert file is not None
    assert [problem.code for problem in file.yaml.findings] == [code]


# Archives


def zipped(write: Callable[[zipfile.ZipFile], None]) -> LoadedPackage:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as writer:
        write(writer)
    package = ZipLoader.from_bytes(buffer.getvalue())
    assert package is not None
    return package


def test_a_member_without_a_name() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as writer:
        writer.writestr(zipfile.ZipInfo(""), "a: 1\n")
    package = ZipLoader.from_bytes(buffer.getvalue())
    assert package is not None
    assert codes(package) == [("E008", "")]
    assert package.list() == []


@pytest.mark.parametrize(
    "name",
    [
        "../evil.yaml",
        "a/../../evil.yaml",
        "..\\evil.yaml",
        "/etc/passwd",
        "\\evil",
        "C:\\evil",
        "c:/evil",
        "a/..",
        ".",
    ],
)
def test_names_that_lead_out(name: str) -> None:
    package = zipped(lambda writer: writer.writestr(name, "a: 1\n"))
    assert codes(package) == [("E008", name)]
    assert package.list() == []


def test_links_in_archives() -> None:
    def write(writer: zipfile.ZipFile) -> None:
        link = zipfile.ZipInfo("link.yaml")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        writer.writestr(link, "/etc/passwd")
        writer.writestr("a.yaml", "a: 1\n")

    package = zipped(write)
    assert codes(package) == [("E008", "link.yaml")]
    assert package.list() == ["a.yaml"]


def test_duplicates_in_archives() -> None:
    def write(writer: zipfile.ZipFile) -> None:
        writer.writestr("a.yaml", "first: 1\n")
        with pytest.warns(UserWarning, match="Duplicate"):
            writer.writestr("a.yaml", "second: 1\n")
        writer.writestr("./a.yaml", "third: 1\n")

    package = zipped(write)
    assert codes(package) == [("E009", "a.yaml"), ("E009", "./a.yaml")]
    file = package.get_file("a.yaml")
    assert file is not None
    assert file.parsed() == {"first": 1}


def test_backslashes_of_other_systems_are_separators() -> None:
    package = zipped(lambda writer: writer.writestr("Classes\\A.yaml", "a: 1\n"))
    assert package.list() == ["Classes/A.yaml"]


def test_bombs() -> None:
    package = zipped(lambda writer: writer.writestr("a.yaml", b"a" * 20_000_000))
    assert codes(package) == [("E009", "a.yaml")]
    assert package.list() == []


def test_total_size_of_an_archive() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as writer:
        for number in range(4):
            writer.writestr(f"{number}.bin", os.urandom(1000))
    package = ZipLoader.from_bytes(buffer.getvalue(), PackageLimits(archive=2500))
    assert package is not None
    assert codes(package) == [("E009", "2.bin")]
    assert package.list() == ["0.bin", "1.bin"]


def test_too_many_members() -> None:
    def write(writer: zipfile.ZipFile) -> None:
        for number in range(300):
            writer.writestr(f"{number}.yaml", "")

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as writer:
        write(writer)
    for entries in (200, 2):  # a few too many, and so many that they are not even listed
        package = ZipLoader.from_bytes(buffer.getvalue(), PackageLimits(entries=entries))
        assert package is not None
        assert [problem.code for problem in package.findings] == ["E009"]


def test_damaged_and_encrypted_members() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as writer:
        writer.writestr("damaged.yaml", "name: damaged\n")
        writer.writestr("encrypted.yaml", "name: secret\n")
        writer.writestr("packed.yaml", "name: x\n", compress_type=zipfile.ZIP_BZIP2)
    raw = bytearray(buffer.getvalue())
    at = raw.index(b"name: damaged")
    raw[at : at + 4] = b"NAME"
    entry = raw.index(b"PK\x01\x02", raw.index(b"PK\x01\x02") + 1)
    raw[entry + 8] |= 1  # the flag of encryption, in the table of contents
    package = ZipLoader.from_bytes(bytes(raw))
    assert package is not None
    for name in package.list():
        file = package.get_file(name)
        assert file is not None
        assert file.raw() == b""
        assert file.defect is not None
        assert file.defect.code == "E901"


@pytest.mark.parametrize("cut", [5, 30, 60, 100])
def test_no_damage_is_a_traceback(cut: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as writer:
        writer.writestr("a.yaml", "name: x\n" * 10)
    whole = buffer.getvalue()
    for raw in (whole[:-cut], whole[cut:], whole[:20] + b"\xff" * cut + whole[20 + cut :]):
        package = ZipLoader.from_bytes(raw)
        for name in [] if package is None else package.list():
            file = package.get_file(name) if package else None
            assert file is None or isinstance(file.raw(), bytes)
