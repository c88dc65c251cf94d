"""The examples of the page about Python run as they stand there."""

from __future__ import annotations

import pytest

from tests.docs.pages import DOCS, ROOT, blocks

EXAMPLES = blocks((DOCS / "reference/python.md").read_text(encoding="utf-8"), "python")


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    exec(example, {"__name__": "example"})  # noqa: S102  our own page
    assert capsys.readouterr().out.strip()
