"""The tutorials are walked through: their files are written, their commands run, and what they show comes out."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from sabir.cli.main import main
from tests.docs.pages import DOCS

PAGES = ("tutorials/tosca.md", "tutorials/environment.md", "inmanta/tutorial.md")
_FENCE = re.compile(r"^```(\w+)(?: ([^\n]*))?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def steps(page: str) -> list[tuple[str, str, str]]:
    """Language, attributes and text of every block."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [(match[1], match[2] or "", match[3]) for match in _FENCE.finditer(text)]


@pytest.mark.parametrize("page", PAGES)
def test_tutorial(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    commands = 0
    for language, attributes, text in steps(page):
        title = re.search(r'title="(.+?)"', attributes)
        if title is not None:
            file = tmp_path / title[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif language == "console":
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, shown = part.partition("\n")
                status = main(shlex.split(command, comments=True)[1:])
                out, err = capfd.readouterr()
                # A check that shows findings on the page finds some.
                assert status == int(command.startswith("sabir check") and bool(shown.strip())), err
                wanted, cut, _ = shown.partition("…\n")
                assert out.startswith(wanted) if cut else out == wanted, f"{command}\n{out}"
                commands += 1
    assert commands > 2
