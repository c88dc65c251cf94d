"""Slips in YAML: said in the words of people, at the line where the slip is."""

from __future__ import annotations

import pytest

from sabir.source.yaml import compose
from sabir.text import Source

SLIPS = {
    "tab": ("a:\n\tb: 1\n", 2, "a tab in the indentation"),
    "tab in a text": ("a: x\n\ty: 1\n", 2, "a tab in the indentation"),
    "too little": ("a:\n    b: 1\n  c: 2\n", 3, "indented by 2"),
    "too much": ("a:\n  b: 1\n    c: 2\n", 3, "indented more than the one before"),
    "no item": ("a:\n  - b: 1\n   c: 2\n", 3, "does not begin with '-'"),
    "no colon": ("a:\n  b 1\n  c: 2\n", 2, "'b 1' has no colon"),
    "no colon above": ("a\n  b: 1\n", 1, "'a' has no colon"),
    "no blank after colon": ("a:1\nb: 2\n", 1, "'a:1' has no blank after ':'"),
    "no blank after dash": ("a:\n  -b\n  -c: 1\n", 2, "'-b' has no blank after '-'"),
    "open quote": ("a: 'x\nb: 2\nc: 3\n", 1, "the quote ' that opens here is never closed"),
    "open quote, closed by another": ("a: 'x\nb: 2\nc: 'y'\n", 1, "the quote ' that opens here is never closed"),
    "open bracket": ("a: [1, 2\nb: 2\n", 1, "the [ that opens here is never closed"),
    "open brace": ("a: {b: 1\nc: 2\n", 1, "the { that opens here is never closed"),
    "no comma": ("a: {x: 1 y: 2}\n", 1, "a comma is missing"),
    "bracket too many": ("a: [1]]\n", 1, "] closes nothing"),
    "behind a quote": ("a: 'x' y\n", 1, "'y' stands behind a value that has ended"),
    "two colons": ("a: b: c\n", 1, "a second ': ' in one line"),
    "at sign": ("a: @x\n", 1, "cannot begin with '@'"),
    "glob": ("a: *.yaml\n", 1, "cannot begin with '*'"),
    "escape": ('a: "\\d"\n', 1, "means nothing in double quotes"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "line", "words"), SLIPS.values(), ids=SLIPS)
def test_slip(text: str, line: int, words: str) -> None:
    (finding,) = compose(Source("f.yaml", text)).findings
    assert (finding.code, finding.location.line) == ("E002", line)
    assert words in finding.message
    assert finding.hint
