"""`sabir impact` and `sabir diff` as people and machines see them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sabir.cli.main import main


def test_impact_text(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["impact", str(model), "main.toy:2"]) == 0
    shown = capsys.readouterr().out
    assert '    ip = "10.0.0.2"\n' in shown
    assert "    target = http://10.0.0.1:80->10.0.0.2   through db.ip\n" in shown.replace('"', "")
    assert shown.endswith("2 instances and 0 outputs depend on main.toy:2\n")


def test_impact_json(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["impact", str(model), "main.toy:2", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["format"] == "sabir.impact/1"
    assert {"instance": "web", "attribute": "target"}.items() <= data["affected"][-1].items()


def test_diff(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other"
    other.mkdir()
    text = (model / "main.toy").read_text().replace("10.0.0.2", "10.0.0.9")
    (other / "main.toy").write_text(text + "host mail\n")
    assert main(["diff", str(model), str(model), "--exit-code"]) == 0
    assert capsys.readouterr().out == "no difference\n"
    assert main(["diff", str(model), str(other), "--exit-code"]) == 1
    shown = capsys.readouterr().out
    assert "+ mail (host)\n" in shown
    assert "    ip: 10.0.0.2 → 10.0.0.9\n" in shown.replace('"', "")
    assert main(["diff", str(model), str(other), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["added"][0]["name"] == "mail"


def test_diff_with_a_saved_graph(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "graph.json"
    assert main(["compile", str(model), "-o", str(saved)]) == 0
    assert main(["diff", str(saved), str(model)]) == 0
    assert capsys.readouterr().out == "no difference\n"


@pytest.mark.parametrize(
    "words", [["impact"], ["impact", ".", "x"], ["diff", "."], ["diff", "gone", "gone"]], ids=" ".join
)
def test_wrong_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    shown = capsys.readouterr()
    assert len(shown.err.splitlines()) == 1
    assert shown.out == ""
