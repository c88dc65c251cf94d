"""The chain behind a value of the shipped environment is true: changing a line that it names changes the value."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sabir.cli.main import main

SHOP = Path(__file__).parents[2] / "examples/shop"
URL = "mysql://10.20.2.20:3306/shop"

LINES = [
    ("database/service-template.yaml", 45, ":3306/shop", ":3306/store", "mysql://10.20.2.20:3306/store"),
    ("sabir.yaml", 14, "::network::database::ip", "::network::balancer::ip", "mysql://10.20.1.10:3306/shop"),
    ("network/main.cf", 29, '"10.20.', '"10.30.', "mysql://10.30.2.20:3306/shop"),
    ("network/main.cf", 36, "block=2", "block=9", "mysql://10.20.9.20:3306/shop"),
    ("network/main.cf", 39, "number=20", "number=21", "mysql://10.20.2.21:3306/shop"),
]


@pytest.mark.parametrize(
    ("file", "line", "old", "new", "url"), LINES, ids=[f"{row[0]}:{row[1]}" for row in LINES]
)
def test_a_line_of_the_chain(
    file: str, line: int, old: str, new: str, url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "shop"
    shutil.copytree(SHOP, copy)
    assert main(["why", str(copy), "database/mysql.url"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f'mysql.url = "{URL}"\n')
    assert f"{file}:{line}:" in shown
    lines = (copy / file).read_text(encoding="utf-8").splitlines(keepends=True)
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new)
    (copy / file).write_text("".join(lines), encoding="utf-8")
    assert main(["query", str(copy), "::database::mysql::url"]) == 0
    assert capsys.readouterr().out == f"{url}\n"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("front.block=7", "begin with the part"),
        ("nopart/front.block=7", "network/…"),
        ("network.path=x", "network/…"),
    ],
)
def test_an_override_for_no_part_is_refused(
    given: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compile", str(SHOP), "--set", given]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1


def test_an_override_of_a_saved_graph_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    saved = SHOP.parent / "graphs/shop.json"
    assert main(["compile", str(saved), "--set", "shop.url=x"]) == 2
    assert "give the package" in capsys.readouterr().err


def test_a_query_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", str(SHOP), "::database::mysql::url", "--why"]) == 0
    shown = capsys.readouterr()
    assert shown.out == f"{URL}\n"
    assert main(["why", str(SHOP), "database/mysql.url"]) == 0
    assert shown.err == capsys.readouterr().out
