"""`mpl-check` has exactly the interface of spec 001."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from sabir.cli.mpl_check import main
from tests.languages.muranopl.example_packages import LIBRARY, with_class, with_manifest
from tests.support.files import write_files


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A library with an unknown key in the manifest and a wrong usage in a class."""
    files = {
        **with_manifest("\nName:", "\nNmae:"),
        "Classes/Counter.yaml": with_class("Out", "Output")["Classes/Counter.yaml"],
    }
    return write_files(tmp_path / "package", files)


@pytest.mark.rows("V-002", "V-130", "V-131", "V-133", "V-134", "V-135", "V-136", "V-182")
@pytest.mark.parametrize(
    ("options", "codes", "status"),
    [
        ([], ["W010", "MPL:E042"], 1),
        (["--ignore=E042"], ["W010"], 0),
        (["--ignore=MPL:E042,W010"], [], 0),
        (["--select=W010"], ["W010"], 0),
        (["--select=W010", "--strict"], ["W010"], 1),
        (["--scope=manifest"], ["W010"], 0),
        (["--scope=MPL"], ["MPL:E042"], 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options(
    package: Path, options: list[str], codes: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*options, str(package)]) == status
    shown = capsys.readouterr().out
    assert [code for code in ("W010", "MPL:E042") if f" {code} " in shown] == codes


@pytest.mark.rows("V-132", "V-166")
def test_an_archive_gives_the_findings_of_its_folder(
    package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(package)])
    from_folder = capsys.readouterr().out.replace(str(package), "PACKAGE")
    archive = tmp_path / "package.zip"
    with zipfile.ZipFile(archive, "w") as target:
        for name in LIBRARY:
            target.write(package / name, name)
    main([str(archive)])
    assert capsys.readouterr().out.replace(str(archive), "PACKAGE") == from_folder


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "<PACKAGE | DIRECTORY>... is missing: mpl-check [options] <PACKAGE | DIRECTORY>..."),
        (["--selct=E001", "x"], "no such option '--selct': did you mean '--select'?"),
        (["no-such-path"], "no such path 'no-such-path'"),
        (["--select=E9999", "."], "E9999"),
    ],
    ids=["nothing", "option", "path", "code"],
)
def test_wrong_usage(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert len(shown.err.splitlines()) == 1
    assert shown.out == ""


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "mpl-check [options] <PACKAGE | DIRECTORY>" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("mpl-check ")
