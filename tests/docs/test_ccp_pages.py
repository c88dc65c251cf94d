"""The CCP pages: the tutorial is walked through, the reference names every key and no other."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from sabir.cli.main import main
from sabir.languages.ccp import LANGUAGE
from sabir.languages.ccp.runner.settings import Patience
from sabir.languages.ccp.syntax import configuration_form, containers, sections
from sabir.languages.ccp.syntax.deployment import DSL_VERSION
from tests.docs.pages import DOCS

_PART = re.compile(
    r"^`(?P<file>[^`\n]+)`:\n\n```\w*\n(?P<text>.*?)^```|^```console\n(?P<console>.*?)^```", re.M | re.S
)


def _page(name: str) -> str:
    return (DOCS / "ccp" / name).read_text(encoding="utf-8")


def test_tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    monkeypatch.chdir(shop)
    for part in _PART.finditer(_page("tutorial.md")):
        if part["file"] is not None:
            target = shop / part["file"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(part["text"], encoding="utf-8")
            continue
        command, _, shown = part["console"].removeprefix("$ ").partition("\n")
        main(shlex.split(command)[1:])
        output = capfd.readouterr()
        if shown:
            assert (output.out or output.err) == shown
    assert (shop / "out" / "statefulset-db.yaml").exists()


def test_reference_names_every_key() -> None:
    text = _page("reference.md")
    keys = {*sections.TOP_KEYS, *sections.SERVICE_KEYS, *sections.FILE_KEYS}
    keys |= {*containers.CONTAINER_KEYS, *containers.VOLUME_KEYS, *containers.COMMAND_KEYS}
    keys |= {*configuration_form.SECTIONS}
    assert [key for key in sorted(keys) if f"`{key}`" not in text] == []
    assert all(
        renderer in _page("differences.md") for renderer in LANGUAGE.renderers() if renderer != "start-order"
    )


def test_runner_page_names_every_setting() -> None:
    text = _page("runner.md")
    assert [name for name in Patience._fields if f"`{name}`" not in text] == []


@pytest.mark.rows("C-096", "C-097", "C-098")
def test_release_rules_are_written_down() -> None:
    text = _page("differences.md")
    assert f"DSL {DSL_VERSION}" in text
    for part in ("MAJOR goes up when", "MINOR goes up when", "PATCH goes up when"):
        assert part in text
