"""What all commands share: the folder one stands in, pipes, the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sabir.cli.main import main
from sabir.cli.prose import Prose, terminal_prose
from sabir.graph.views.colours import PLAIN
from tests.support.files import write_files

MODEL = "entity Host:\n    string name\nend\nindex Host(name)\nimplement Host using std::none\nh = Host(name='web')\n"
TOSCA = "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n  node_templates:\n    a: {type: tosca.nodes.Comput}\n"


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path, {"m/main.cf": MODEL})
    monkeypatch.chdir(tmp_path / "m")
    return tmp_path


def sabir(*words: str, stdin: str = "", **variables: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "sabir.cli", *words],
        input=stdin.encode(),
        env={**os.environ, **variables},
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["check"], ""),
        (["compile", "--format", "text"], "web : Host"),
        (["why", "web.name"], "web.name = "),
        (["query", "::web::name"], "web\n"),
        (["impact", "main.cf:6"], "depend on main.cf:6"),
    ],
    ids=lambda words: words[0] if isinstance(words, list) else "",
)
def test_without_a_path_it_is_this_folder(
    words: list[str], shown: str, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 0
    assert shown in capsys.readouterr().out


def test_a_folder_of_packages_is_checked_and_listed(
    model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(model, {"t/t.yaml": TOSCA})
    monkeypatch.chdir(model)
    assert main(["check"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "",
        "m  inmanta  fine",
        "t  tosca    1 error",
        "1 error in 2 packages",
    ]
    assert main(["check", "--exclude", "t"]) == 0
    assert main(["compile"]) == 2
    assert "is a folder of packages: name one, of m, t" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "stdin", "status", "shown"),
    [
        (["check", "-"], "x = = 1\nimport std\n", 1, "<stdin>.cf:1:5: INM:E001"),
        (["check", "-"], TOSCA, 1, "<stdin>.yaml:4:15: TOSCA:E006"),
        (["compile", "-", "--format", "text"], MODEL, 0, "web : Host"),
        (["check", "-"], "hello", 2, ""),
    ],
)
def test_a_pipe(words: list[str], stdin: str, status: int, shown: str) -> None:
    ended, out, err = sabir(*words, stdin=stdin)
    assert (ended, shown in out, "Traceback" in err) == (status, True, False)


def test_a_saved_graph_through_a_pipe(model: Path) -> None:
    graph = sabir("compile", ".", "-q")[1]
    assert sabir("query", "-", "::web::name", stdin=graph)[1] == "web\n"


def test_a_pipe_with_a_name(model: Path) -> None:
    script = f"{sys.executable} -m sabir.cli check <(cat main.cf)"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"nothing found in 1 package\n")


@pytest.mark.parametrize(
    ("variables", "arrow"),
    [({"LC_ALL": "C"}, "<-"), ({"LC_ALL": "C.UTF-8"}, "←"), ({"PYTHONIOENCODING": "ascii"}, "<-")],
)
def test_arrows_in_the_letters_of_the_terminal(variables: dict[str, str], arrow: str, tmp_path: Path) -> None:
    write_files(tmp_path, {"main.cf": MODEL + "a = h.name\nb = Host(name=a + '2')\n"})
    out = sabir("why", str(tmp_path), "web2.name", **{"LC_ALL": "", **variables})[1]
    assert arrow in out


def test_colour_where_it_is_asked_for(model: Path) -> None:
    assert "\x1b[1mweb\x1b[0m" in sabir("compile", "--format", "text", FORCE_COLOR="1")[1]
    assert "\x1b" not in sabir("compile", "--format", "text")[1]
    assert "\x1b" not in sabir("compile", "--format", "json", FORCE_COLOR="1")[1]


def test_errors_come_before_a_name_that_is_not_there(tmp_path: Path) -> None:
    write_files(tmp_path, {"main.cf": "x = = 1\n"})
    for words in (["why", "web.name"], ["impact", "main.cf:1"]):
        status, _, err = sabir(words[0], str(tmp_path), words[1])
        assert (status, "INM:E001" in err, "no instance" in err) == (1, True, False)


@pytest.mark.parametrize(
    ("line", "pieces"),
    [
        ("short\n", ["short"]),
        ("  a = one two three four\n", ["  a = one two", "      three", "      four"]),
        ("\x1b[1mone\x1b[0m two three fou\n", ["\x1b[1mone\x1b[0m two three", "    fou"]),
        ("x" * 30 + "\n", ["x" * 30]),
    ],
)
def test_wrapping(line: str, pieces: list[str]) -> None:
    prose = Prose(paint=PLAIN, width=14, ascii=False)
    assert prose.format_line(line).splitlines() == pieces


def test_a_pipe_is_not_wrapped() -> None:
    assert terminal_prose().width is None
