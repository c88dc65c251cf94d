"""The reference page: every example on it is true, and it shows every function of the standard library."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sabir.expressions.yaql import STANDARD, evaluate

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "yaql.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```yaql\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
EXAMPLES = [pair for block in BLOCKS for pair in re.findall(r"^(\S.*)\n    (.*)$", block, re.MULTILINE)]
PROGRAMS = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("text", "expected"), EXAMPLES, ids=[text for text, _ in EXAMPLES])
def test_example(text: str, expected: str) -> None:
    result = evaluate(text)
    wanted = json.loads(expected)
    if text.startswith(("set(", "characters(")) and isinstance(wanted, list):
        result, wanted = sorted(result), sorted(wanted)
    assert result == wanted


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_program(program: str) -> None:
    exec(compile(program, str(PAGE), "exec"), {"__name__": "example"})  # noqa: S102 - our own page


def test_every_function_is_shown() -> None:
    shown = {name for text, _ in EXAMPLES for name in re.findall(r"(\w+)\(", text)}
    names = STANDARD.names(methods=True) | STANDARD.names(methods=False)
    assert {name for name in names if name.isidentifier()} - shown == set()
