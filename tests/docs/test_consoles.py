"""Console examples on the pages that work on shipped examples are run, and what they show comes out."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from sabir.cli.main import main
from tests.docs.pages import DOCS, ROOT, pages

_CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)

_READ = re.compile(r"examples/(graphs|shop)\b")


def consoles() -> Iterator[tuple[str, str, str]]:
    """Page, command and shown output, for commands that read a shipped graph or environment and show output."""
    for page in pages():
        for block in _CONSOLE.findall(page.read_text(encoding="utf-8")):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, shown = part.partition("\n")
                if command.startswith("sabir ") and _READ.search(command) and shown.strip():
                    yield str(page.relative_to(ROOT)), command, shown


@pytest.mark.parametrize(("page", "command", "shown"), list(consoles()))
def test_console(
    page: str, command: str, shown: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(shlex.split(command)[1:]) == 0
    out = capfd.readouterr().out
    wanted, cut, _ = shown.partition("…\n")
    assert out.startswith(wanted) if cut else out == wanted


def test_the_picture_is_what_sabir_draws(tmp_path: Path) -> None:
    drawn = tmp_path / "shop.svg"
    source = ROOT / "examples/graphs/shop.json"
    assert main(["compile", str(source), "--format", "svg", "-o", str(drawn)]) == 0
    assert drawn.read_bytes() == (DOCS / "images/shop.svg").read_bytes()
