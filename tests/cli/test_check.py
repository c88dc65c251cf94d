from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from sabir.checks.report import PackageReport, Report
from sabir.cli.check_run import format_summary
from sabir.cli.main import main
from sabir.diagnostics.finding import Finding, Fix
from sabir.text import EMPTY_SPAN, Place, Source
from tests.checks.toy import BAD, toy, toy_package

__all__ = ["toy"]

pytestmark = pytest.mark.usefixtures("toy", "here")
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    toy_package(tmp_path / "shop")
    toy_package(tmp_path / "clean", "port: 80\n")
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*words: str) -> tuple[int, str, str]:
        status = main(["check", *words])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


@pytest.mark.rows("V-002", "V-004", "V-139", "V-182")
def test_findings_with_their_places(run: Run) -> None:
    status, out, err = run("shop")
    assert status == 1
    assert out.splitlines()[:4] == [
        "shop/toy.yaml:1:1: TOY:E001 unknown key 'prt'",
        "  1 | prt: 80  # a slip",
        "    | ^^^",
        "   = did you mean 'port'?",
    ]
    assert err == "2 errors and 1 warning in 1 package; 1 can be fixed with --fix\n"


@pytest.mark.rows("V-006", "V-007", "V-133", "V-134", "V-135", "V-136", "V-141")
@pytest.mark.parametrize(
    ("words", "codes", "status"),
    [
        (["clean"], [], 0),
        (["shop"], ["TOY:E001", "TOY:W002", "E006"], 1),
        (["shop", "--select", "W"], ["TOY:W002"], 0),
        (["shop", "--select=W", "--strict"], ["TOY:W002"], 1),
        (["shop", "--ignore", "E001,E006"], ["TOY:W002"], 0),
        (["shop", "--ignore", "E001", "--ignore", "E006"], ["TOY:W002"], 0),
        (["shop", "--scope", "keys"], ["TOY:E001", "TOY:W002"], 1),
        (["shop", "--scope=TOY", "--select=E001"], ["TOY:E001"], 1),
        (
            ["shop", "--select", "W002", "--extend-select", "TOY:W003"],
            ["TOY:W002", "TOY:W003", "TOY:W003"],
            0,
        ),
        (["shop", "--language", "toy"], ["TOY:E001", "TOY:W002", "E006"], 1),
        (["shop", "clean", "shop"], ["TOY:E001", "TOY:W002", "E006"] * 2, 1),
        (["shop", "clean", "shop", "--jobs", "2"], ["TOY:E001", "TOY:W002", "E006"] * 2, 1),
    ],
    ids=str,
)
def test_options(words: list[str], codes: list[str], status: int, run: Run) -> None:
    found, out, _ = run(*words, "--quiet")
    assert [line.split(": ")[1].split()[0] for line in out.splitlines()] == codes
    assert found == status


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--fix", "-"], "--fix cannot write into a pipe"),
        (["shop", "--search-path", "nowhere"], "no such path 'nowhere'"),
        (["shop", "--input", "nowhere.yaml"], "write it as NAME=VALUE, or name a file"),
        (["shop", "--input", "text.txt"], "the file must hold a mapping"),
        (["nowhere"], "no such path 'nowhere'"),
        (["binary"], "'binary' is neither a folder nor an archive (zip, tar) nor a text file"),
        (["text.txt"], "text.txt is in none of the languages known here"),
        (["shop", "--language", "tyo"], "no language 'tyo': did you mean 'toy'?"),
        (["shop", "--format", "jsn"], "no format 'jsn': did you mean 'json'?"),
        (["shop", "--select", "!!"], "'!!' is no code"),
        (["shop", "--select", "E999"], "nothing reports 'E999'"),
        (
            ["shop", "--ignore", "TOY:E002"],
            "nothing reports 'TOY:E002': did you mean 'TOY:E001' or 'TOY:W002'?",
        ),
        (["shop", "--scope", "kyes"], "no validator 'kyes': did you mean 'keys'?"),
        (["shop", "--config", "none.toml"], "no settings file 'none.toml'"),
        (["shop", "--config", "shop"], "no settings file 'shop'"),
        (["shop", "--baseline", "none.json"], "no baseline 'none.json': --update-baseline makes it"),
        (["shop", "--baseline", "text.txt"], "is no JSON"),
        (["shop", "--baseline", "shop"], "the baseline 'shop' cannot be read"),
        (["shop", "--update-baseline"], "--update-baseline needs --baseline FILE"),
        (["shop", "-o", "report"], "write it as FORMAT=FILE"),
        (["shop", "-o", "json=no/such/folder/x"], "cannot write 'no/such/folder/x'"),
        (["shop", "-o", "json=shop"], "cannot write 'shop': it is a folder"),
        (["--explain", "E0"], "no code 'E0'"),
        (["--explain", "E007X"], "is no code"),
        (["--list-codes", "--format", "sarif"], "--list-codes can be written as text or json"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_one_line_and_exit_2(words: list[str], message: str, run: Run, here: Path) -> None:
    (here / "binary").write_bytes(b"\x7fELF\0\0\0")
    (here / "text.txt").write_text("hello\n")
    status, _, err = run(*words)
    assert status == 2
    assert message in err
    assert err.count("\n") == 1


def test_one_bad_path_does_not_hide_the_others(run: Run) -> None:
    status, out, err = run("nowhere", "shop", "--quiet")
    assert status == 2
    assert "TOY:E001" in out
    assert "no such path 'nowhere'" in err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable(run: Run, here: Path) -> None:
    (here / "secret.yaml").write_text("a: 1\n")
    (here / "secret.yaml").chmod(0)
    status, _, err = run("secret.yaml")
    assert (status, "'secret.yaml' is not readable" in err) == (2, True)


def test_the_summary_follows_the_findings_in_one_pipe(here: Path) -> None:
    (here / "main.cf").write_text("x = y\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        [sys.executable, "-m", "sabir.cli", "check", "main.cf"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    lines = done.stdout.splitlines()
    assert lines[0].startswith("main.cf:1:5: ")
    assert lines[-1].startswith("1 error")


@pytest.mark.rows("V-132", "V-166")
def test_an_archive_gives_the_findings_of_its_folder(run: Run, here: Path) -> None:
    with zipfile.ZipFile(here / "shop.zip", "w") as archive:
        archive.writestr("toy.yaml", BAD)
    reports = [json.loads(run(path, "--format", "json")[1])["findings"] for path in ("shop", "shop.zip")]
    assert [[one["file"], one["code"], one["line"]] for one in reports[0]] == [
        [one["file"], one["code"], one["line"]] for one in reports[1]
    ]


@pytest.mark.rows("V-172")
def test_a_single_file(run: Run) -> None:
    status, out, _ = run("shop/toy.yaml", "--quiet")
    assert status == 1
    assert out.startswith("shop/toy.yaml:1:1: TOY:E001")


@pytest.mark.rows("V-183", "V-184")
def test_several_reports_in_one_run(run: Run, here: Path) -> None:
    words = [
        "-o",
        "json=r.json",
        "--output",
        "r.yaml",
        "-o",
        "r.sarif",
        "-o",
        "junit=r.xml",
        "-o",
        "gitlab=q",
    ]
    status, out, _ = run("shop", "--format", "github", *words)
    assert status == 1
    assert out.startswith("::error title=sabir TOY%3AE001,file=shop/toy.yaml,line=1,col=1::")
    assert json.loads((here / "r.json").read_text())["summary"]["errors"] == 2
    assert (here / "r.yaml").read_text().startswith("format: sabir.report/1")
    assert json.loads((here / "r.sarif").read_text())["version"] == "2.1.0"
    assert (here / "r.xml").read_text().startswith("<?xml")
    assert len(json.loads((here / "q").read_text())) == 3
    assert [name for name in os.listdir(here) if name.startswith(".")] == []


def test_statistics(run: Run) -> None:
    assert (
        run("shop", "shop", "--statistics", "-q")[1].splitlines()[0]
        == "2  E006      key given twice in one mapping"
    )


@pytest.mark.parametrize(
    ("words", "no_color", "expected"),
    [
        ([], "", False),  # no terminal here
        (["--color", "always"], "", True),
        (["--color", "always"], "1", True),
        (["--color", "never"], "", False),
    ],
)
def test_colour(
    words: list[str], no_color: str, expected: bool, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    assert ("\x1b[" in run("shop", *words)[1]) == expected


def test_colour_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    from sabir.cli.terminal import wants_color

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    assert wants_color(stream=Terminal())
    assert not wants_color(stream=io.StringIO())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert wants_color(stream=io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_color(stream=io.StringIO())
    monkeypatch.delenv("FORCE_COLOR")
    assert not wants_color(stream=Terminal())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_color(stream=Terminal())


@pytest.mark.rows("V-037")
def test_codes_are_listed_and_explained(run: Run) -> None:
    status, out, _ = run("--list-codes")
    assert status == 0
    assert "TOY:W003 pedantic (off by default)" in [" ".join(line.split()) for line in out.splitlines()]
    for line in out.splitlines():
        code = line.split()[0]
        status, text, _ = run("--explain", code)
        assert status == 0
        assert text.startswith(f"{code}: ")
        assert "\nWrong:\n" in text
        assert "\nRight:\n" in text
    listed = json.loads(run("--list-codes", "--select", "TOY", "--format", "json")[1])
    assert [code["code"] for code in listed["codes"]] == ["TOY:E001", "TOY:W002", "TOY:W003"]
    assert run("--explain", "toy:e001")[1].startswith("TOY:E001: unknown key (error)")


@pytest.mark.rows("V-143")
def test_settings_of_a_file_and_the_command_line_wins(run: Run, here: Path) -> None:
    (here / "pyproject.toml").write_text('[tool.sabir]\nselect = ["E006"]\nformat = "concise"\n')
    assert run("shop")[1] == "shop/toy.yaml:4:1: E006 " + run("shop")[1].partition("E006 ")[2]
    assert "TOY:W002" in run("shop", "--select", "W")[1]
    assert "TOY:E001" in run("shop", "--no-config")[1]
    (here / "mine.ini").write_text("[sabir]\nselect = TOY:E001\nstrict = yes\n")
    assert "E006" not in run("shop", "--config", "mine.ini")[1]
    (here / "pyproject.toml").write_text("[tool.sabir]\nselec = []\n")
    status, _, err = run("shop")
    assert (status, "no setting 'selec': did you mean 'select'?" in err) == (2, True)


def test_suppressions(run: Run, here: Path) -> None:
    toy_package(here / "excused", "prt: 1  # sabir: ignore[E001]\n")
    assert run("excused") == (0, "", "nothing found in 1 package; 1 suppressed by comments\n")
    assert run("excused", "--no-suppressions")[0] == 1
    assert "W902" in run("excused", "--require-reason")[1]


def test_baseline(run: Run, here: Path) -> None:
    assert run("shop", "--baseline", "known.json", "--update-baseline")[0] == 0
    assert run("shop", "--baseline", "known.json") == (
        0,
        "",
        "nothing found in 1 package; 3 hidden by the baseline\n",
    )
    # Old findings that move stay hidden; a new one, and a second one of a known kind, are shown.
    toy_package(here / "shop", "# moved\n\n" + BAD + "nme: x\nname: db\n")
    status, out, _err = run("shop", "--baseline", "known.json", "-q")
    assert [line.split(": ")[0] for line in out.splitlines()] == ["shop/toy.yaml:7:1", "shop/toy.yaml:8:1"]
    assert status == 1


def test_fixes(run: Run, here: Path) -> None:
    status, diff, _ = run("shop", "--diff")
    assert status == 1
    assert "-port: '80'\n+port: 80\n" in diff
    assert (here / "shop/toy.yaml").read_text() == BAD
    status, out, err = run("shop", "--fix")
    assert "W002" not in out
    assert "fixed 1 in 1 file" in err
    assert (here / "shop/toy.yaml").read_text() == BAD.replace("'80'", "80")
    assert run("shop", "--diff") == (0, "", "")


def test_a_fault_in_a_check_is_a_finding(run: Run, here: Path) -> None:
    toy_package(here / "crash", "crash: 1\nname: a\nname: b\n")
    status, out, _ = run("crash", "-q")
    assert status == 1
    assert "E000 check ToyValidator failed: RuntimeError: the toy broke" in out
    assert "E006" in out


@pytest.mark.parametrize(
    ("safe", "unsafe", "words"),
    [
        (1, 0, "; 1 can be fixed with --fix"),
        (1, 2, "; 1 can be fixed with --fix; 2 more with --fix --unsafe-fixes"),
        (0, 2, "; 2 can be fixed with --fix --unsafe-fixes"),
        (0, 0, ""),
    ],
)
def test_the_summary_says_what_can_be_fixed(safe: int, unsafe: int, words: str) -> None:
    fixes: list[Fix | None] = [Fix(title="do", edits=(), safe=at < safe) for at in range(safe + unsafe)]
    place = Place(Source("toy.yaml", "prt: 80\n"), EMPTY_SPAN)
    found = [Finding(code="TOY:E001", message="m", place=place, fix=fix) for fix in fixes or [None]]
    report = Report(packages=(PackageReport(path="p", findings=tuple(found)),))
    assert format_summary(report).partition(" package")[2] == words
