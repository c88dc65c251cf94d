import json
from pathlib import Path

import pytest

from sabir.cli.main import main

CHAIN = """\
web.target = "http://10.0.0.1:80->10.0.0.2"
  main.toy:6:3  expression
      6 | target = $web.url -> $db.ip
    ← web.url = "http://10.0.0.1:80"
      main.toy:5:3  expression
          5 | url = http:// $web.ip :80
        ← web.ip = "10.0.0.1"
          main.toy:4:3  literal
              4 | ip = 10.0.0.1
    ← db.ip = "10.0.0.2"
      main.toy:2:3  literal
          2 | ip = 10.0.0.2
"""
LOOP = """\
web.loop = "?"
  main.toy:7:3  expression
      7 | loop = $web.loop
    ← web.loop = "?"
      (explained above)
"""


def why(model: Path, subject: str, *more: str) -> int:
    return main(["why", str(model), subject, *more])


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        pytest.param("web.target", CHAIN, id="chain"),
        pytest.param("web.loop", LOOP, id="circle"),
        pytest.param("web", "web\n  main.toy:3:1  constructor\n      3 | host web\n", id="instance"),
        pytest.param(
            "web.uses", "web.uses = [→ db]\n  main.toy:10:3  relation\n      10 | > db\n", id="relation"
        ),
        pytest.param(
            "web.password", "web.password = <<REDACTED>>\n  main.toy:8:3  literal\n", id="sensitive"
        ),
    ],
)
def test_text(model: Path, subject: str, expected: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert why(model, subject) == 0
    assert capfd.readouterr().out == expected


def test_json(model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert why(model, "web.url", "--format", "json") == 0
    data = json.loads(capfd.readouterr().out)
    assert data["format"] == "sabir.why/1"
    assert data["steps"][1] == {
        "number": 1,
        "parent": 0,
        "subject": "web.ip",
        "value": "10.0.0.1",
        "file": "main.toy",
        "line": 4,
        "column": 3,
        "how": "literal",
        "note": None,
        "source": "  ip = 10.0.0.1",
    }


def test_mermaid(model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert why(model, "web.url", "--format", "mermaid") == 0
    assert capfd.readouterr().out == (
        "flowchart LR\n"
        '  s0["web.url = #34;http://10.0.0.1:80#34;<br/>main.toy:5:3  expression"]\n'
        '  s1["web.ip = #34;10.0.0.1#34;<br/>main.toy:4:3  literal"]\n'
        "  s1 --> s0\n"
    )


def test_a_saved_graph_explains_without_the_lines(
    model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "graph.json"
    assert main(["compile", str(model), "-o", str(saved)]) == 0
    assert why(saved, "web.ip") == 0
    assert capfd.readouterr().out == 'web.ip = "10.0.0.1"\n  main.toy:4:3  literal\n'


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        ("wep", "no instance 'wep': did you mean 'web'?"),
        ("wep.ip", "no instance 'wep.ip': did you mean 'web'?"),
        ("elephant", "no instance 'elephant': there are db, web"),
        ("web.urk", "'web' has no attribute 'urk': did you mean 'url'?"),
        ("db.elephant", "'db' has no attribute 'elephant': it has ip"),
        ("outputs.x", "no output 'x': there are none"),
    ],
)
def test_unknown_subjects(model: Path, subject: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert why(model, subject) == 2
    assert capfd.readouterr().err == f"sabir: {message}\n"
