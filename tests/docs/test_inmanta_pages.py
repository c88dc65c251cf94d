"""The models on the Inmanta pages: each evaluates to what its comments say."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from sabir.diagnostics.finding import Severity
from tests.docs.pages import DOCS
from tests.languages.inmanta.models import evaluate

_BLOCK = re.compile(r"^```inmanta[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_VALUE = re.compile(r"^# (\w+) is (.+)$", re.MULTILINE)
_REPORTED = re.compile(r"^# reported: (.+)$", re.MULTILINE)


def _models() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for page in sorted(Path(DOCS, "inmanta").glob("*.md")):
        for number, match in enumerate(_BLOCK.finditer(page.read_text(encoding="utf-8")), 1):
            found.append((f"{page.stem}-{number}", match[1]))
    return found


@pytest.mark.parametrize("text", [text for _, text in _models()], ids=[name for name, _ in _models()])
def test_model(text: str) -> None:
    model = evaluate(text)
    expected = _REPORTED.search(text)
    errors = sorted(one.code for one in model.findings if one.severity is Severity.ERROR)
    assert errors == (expected[1].split() if expected else [])
    for name, value in _VALUE.findall(text):
        assert model.variables()[name] == ast.literal_eval(value), name
