from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from sabir.checks.options import CheckOptions
from sabir.errors import InputError, UsageError
from sabir.operations.check import check_package, check_paths, check_upload
from sabir.operations.files import write_atomically
from sabir.operations.packages import find_language, load_languages
from sabir.operations.watch import Watch
from sabir.source.packages import MemoryPackage
from tests.checks.toy import BAD, ENTRY_POINT, LANGUAGE, toy_package
from tests.support.plugin_path import install

TOY = MemoryPackage({"toy.yaml": BAD})


@pytest.mark.usefixtures("toy")
class TestLanguages:
    def test_found_by_the_files(self) -> None:
        assert find_language(TOY) is LANGUAGE
        assert "toy" in load_languages().by_name

    def test_named(self) -> None:
        assert find_language(MemoryPackage({}), "TOY") is LANGUAGE

    def test_unknown(self) -> None:
        with pytest.raises(UsageError, match="no language 'tiy': did you mean 'toy'"):
            find_language(TOY, "tiy")
        with pytest.raises(UsageError, match=r"no language 'cobol': there are .*toy"):
            find_language(TOY, "cobol")

    def test_none_fits(self) -> None:
        with pytest.raises(InputError, match=r"none of the languages known here .*--language"):
            find_language(MemoryPackage({"x.txt": ""}))


def test_two_languages_fit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch, tmp_path, ENTRY_POINT + "twin = tests.checks.toy:LANGUAGE\n")
    with pytest.raises(InputError, match="could be toy or toy: say which with --language"):
        find_language(TOY)


def test_a_language_that_fails_to_load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch, tmp_path, ENTRY_POINT + "broken = no_such_thing:LANGUAGE\n")
    assert [failure.name for failure in load_languages().failures] == ["broken"]
    with pytest.raises(UsageError, match=r"plug-in 'broken' .* cannot be loaded"):
        find_language(TOY, "broken")


@pytest.mark.usefixtures("toy")
def test_the_report_is_the_same_in_parallel(tmp_path: Path) -> None:
    paths = [toy_package(tmp_path / str(number), BAD if number % 2 else "port: 1\n") for number in range(6)]
    paths.append(tmp_path / "nowhere")
    one, two = (check_paths(paths, jobs=jobs) for jobs in (1, 2))
    assert one.refused == two.refused
    assert [[finding.sort_key for _, finding in result.report.findings()] for result in (one, two)] == [
        [finding.sort_key for _, finding in one.report.findings()]
    ] * 2
    assert one.exit_status() == two.exit_status() == 2


@pytest.mark.usefixtures("toy")
@pytest.mark.rows("V-137", "V-138", "V-140")
@pytest.mark.parametrize(
    ("text", "strict", "status", "codes"),
    [
        ("port: 1\n", False, 200, []),
        ("port: '1'\n", False, 200, ["TOY:W002"]),
        ("port: '1'\n", True, 400, ["TOY:W002"]),
        ("prt: 1\n", False, 400, ["TOY:E001"]),
        ("a: [\n", False, 400, ["E002"]),
    ],
)
def test_upload(text: str, strict: bool, status: int, codes: list[str]) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("toy.yaml", text)
    answer = check_upload(buffer.getvalue(), CheckOptions(strict=strict))
    assert answer.status == status
    assert [finding["code"] for finding in answer.body["findings"]] == codes
    assert all({"code", "file", "line", "message"} <= {*finding} for finding in answer.body["findings"])
    assert answer.body["valid"] == (status == 200)
    assert answer.body["message"]


@pytest.mark.usefixtures("toy")
@pytest.mark.rows("V-137", "V-138")
@pytest.mark.parametrize("content", [b"", b"PK", b"no archive", b"PK\x03\x04" + b"\0" * 50])
def test_upload_of_something_else(content: bytes) -> None:
    answer = check_upload(content)
    assert (answer.status, answer.body["message"]) == (400, "the upload is no zip archive")


@pytest.mark.usefixtures("toy")
def test_an_archive_of_which_nothing_is_left_says_why(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr("../toy.yaml", BAD)
    result = check_paths([tmp_path / "evil.zip"])
    assert [finding.code for _, finding in result.report.findings()] == ["E008"]
    assert result.exit_status() == 1


@pytest.mark.usefixtures("toy")
def test_upload_without_a_language() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("x.bin", "")
    assert check_upload(buffer.getvalue()).status == 400


@pytest.mark.usefixtures("toy")
@pytest.mark.rows("V-003")
def test_a_package_that_is_loaded_already() -> None:
    assert check_package(TOY).exit_status() == 1


@pytest.mark.usefixtures("toy")
def test_watching_checks_again_what_changed(tmp_path: Path) -> None:
    first, second = toy_package(tmp_path / "a", "port: 1\n"), toy_package(tmp_path / "b", BAD)
    watch = Watch([first, second], CheckOptions())
    assert watch.refresh() == (first, second)
    assert watch.result().report.errors == 2
    assert watch.refresh() == ()
    toy_package(first, "prt: 12\n")
    assert watch.refresh() == (first,)
    assert watch.result().report.errors == 3
    (second / "toy.yaml").unlink()
    assert watch.refresh() == (second,)
    assert [path for path, _ in watch.result().refused] == [second]

    rounds: list[float] = []

    def pause(seconds: float) -> None:
        rounds.append(seconds)
        if len(rounds) == 2:
            toy_package(first, "port: 1\n")

    again = Watch([first], CheckOptions(), interval=0.25, sleep=pause).results()
    assert next(again).report.errors == 1
    assert next(again).report.errors == 0
    assert rounds == [0.25, 0.25]


def test_files_are_written_whole_and_keep_their_mode(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("old")
    file.chmod(0o640)
    link = tmp_path / "link.yaml"
    link.symlink_to(file)
    write_atomically(link, b"new")
    assert file.read_text() == "new"
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.yaml", "link.yaml"]
