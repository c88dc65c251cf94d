"""`impact` reads the chains of MuranoPL values backwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.operations.impact import ImpactRequest, impact_path
from tests.languages.muranopl.packages import files

CLASSES = """\
Name: Root
Properties:
  a:
    Contract: $.int()
    Default: 3
  x:
    Contract: $.int()
    Usage: Out
    Default: 1
  y:
    Contract: $.int()
    Usage: Out
Methods:
  twice:
    Arguments:
      - n:
          Contract: $.int()
    Body:
      - Return: $n * 2
  .init:
    Body:
      - If: $.a > 20
        Then:
          - $.x: 5
      - $l: $.twice($.a)
      - $.y: $l + 1
"""


@pytest.mark.parametrize(
    ("line", "affected"),
    [
        ("Default: 3", {"a", "x", "y"}),
        ("Default: 1", {"x"}),
        ("If: $.a > 20", {"x"}),
        ("$.x: 5", set[str]()),
        ("Return: $n * 2", {"y"}),
        ("$l: $.twice", {"y"}),
        ("$.y: $l", {"y"}),
    ],
)
def test_impact(tmp_path: Path, line: str, affected: set[str]) -> None:
    package = files(CLASSES)
    for name, text in package.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    lines = package["Classes/Root.yaml"].split("\n")
    number = next(at for at, text in enumerate(lines, 1) if line in text)
    impact = impact_path(ImpactRequest(path=tmp_path, line=f"Classes/Root.yaml:{number}"))
    assert {one.attribute for one in impact.affected} == affected
