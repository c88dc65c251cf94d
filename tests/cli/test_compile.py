import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sabir.cli.main import main
from tests.graph.views.html.pages import sections

TEXT = """\
db : host
  ip = "10.0.0.2"

web : host
  ip = "10.0.0.1"
"""


def run(*words: str | Path) -> int:
    return main([str(word) for word in words])


def test_json_by_default(model: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run("compile", model) == 0
    data = json.loads(capfdbinary.readouterr().out)
    assert data["format"] == "sabir.graph/1"
    assert [one["id"] for one in data["instances"]] == ["db", "web"]
    assert data["instances"][1]["origins"]["uses"] == {
        "file": "main.toy", "line": 10, "column": 3, "how": "relation"
    }  # fmt: skip


@pytest.mark.parametrize("form", ["json", "yaml", "text", "dot", "mermaid", "svg"])
def test_every_format_of_a_package_and_of_its_saved_graph(model: Path, tmp_path: Path, form: str) -> None:
    direct, saved, again = (tmp_path / name for name in ("direct", "saved.json", "again"))
    assert run("compile", model, "--format", form, "-o", direct) == 0
    assert run("compile", model, "-o", saved) == 0
    assert run("compile", saved, "--format", form, "-o", again) == 0
    assert direct.read_bytes() == again.read_bytes()
    assert b"hush" not in direct.read_bytes().replace(b"password ! hush", b"")
    if form == "svg":
        ElementTree.parse(direct)


def test_text_with_origins(model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("compile", model, "--format", "text", "--origins") == 0
    out = capfd.readouterr().out
    assert '  ip = "10.0.0.2"    # main.toy:2:3 literal\n' in out
    assert "  password = <<REDACTED>>    # main.toy:8:3 literal\n" in out


def test_sensitive_values_only_when_asked_for(model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("compile", model, "--reveal") == 0
    assert '{"$sensitive":true,"value":"hush"}' in capfd.readouterr().out


@pytest.mark.parametrize("words", [("--reveal", "--format", "svg"), ("--origins",)])
def test_options_that_make_no_sense_together(
    model: Path, words: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("compile", model, *words) == 2
    assert len(capfd.readouterr().err.splitlines()) == 1


def test_an_error_writes_nothing_but_the_findings(model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (model / "main.toy").write_text("host a\nwarn careful\nfail broken here\n")
    out = model / "out.json"
    out.write_text("old")
    assert run("compile", model, "-o", out) == 1
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err == (
        f"{model}/main.toy:2:1: TOY:W001 careful\n  2 | warn careful\n    | ^^^^^^^^^^^^\n   = mend it\n"
        f"{model}/main.toy:3:1: TOY:E001 broken here\n  3 | fail broken here\n    | ^^^^^^^^^^^^^^^^\n   = mend it\n"
    )
    assert out.read_text() == "old"
    assert run("compile", model, "--partial", "--format", "text", "-q") == 1
    captured = capfd.readouterr()
    assert captured.out == "a : host\n"
    assert "careful" not in captured.err


def test_warnings_alone_do_not_fail(model: Path) -> None:
    (model / "main.toy").write_text("host a\nwarn careful\n")
    assert run("compile", model, "-o", model / "out") == 0


def test_a_file_is_written_whole_with_the_mode_of_the_old_one(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "graph.json"
    out.write_text("old")
    out.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(out)
    assert run("compile", model, "-o", link) == 0
    assert link.is_symlink()
    assert json.loads(out.read_text())["format"] == "sabir.graph/1"
    assert out.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == ["graph.json", "link.json", "model"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing"], "no such path 'missing'"),
        (["{model}", "-o", "{model}"], "it is a folder"),
        (["{model}", "-o", "{model}/no/such/file"], "No such file or directory"),
        (["{model}", "--format", "xml"], "'xml' is not one of"),
        (["{model}", "--language", "tay"], "did you mean 'toy'?"),
        (["{model}/broken.json"], "broken.json:1:41: not a saved graph: "),
    ],
)
def test_bad_requests_get_one_line(
    model: Path, words: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (model / "broken.json").write_text('{"format":"sabir.graph/1","instances":[{]}')
    assert run("compile", *(word.format(model=model) for word in words)) == 2
    captured = capfd.readouterr()
    assert message in captured.err
    assert len(captured.err.splitlines()) == 1
    assert captured.out == ""


def test_a_page_has_lines_findings_and_the_whole_chain(model: Path, tmp_path: Path) -> None:
    with (model / "main.toy").open("a") as file:
        file.write("warn mind the step\n")
    out = tmp_path / "model.html"
    assert run("compile", model, "--format", "html", "-o", out) == 0
    data = sections(out.read_bytes())
    assert data["index"]["title"] == "model"
    assert [one["message"] for one in data["findings"]["shown"]] == ["mind the step"]
    block = data["block-0"]
    url = next(row for name, _, row in block["rows"][1][2] if name == "url")
    assert block["origins"][url][5:] == ["  url = http:// $web.ip :80", [[1, "ip"]]]
    assert b"hush" not in out.read_bytes()


def test_a_page_of_a_saved_graph(
    model: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    saved = tmp_path / "saved.json"
    assert run("compile", model, "-o", saved) == 0
    assert run("compile", saved, "--format", "html") == 0
    assert sections(capfdbinary.readouterr().out)["index"]["names"] == ["db", "web"]
