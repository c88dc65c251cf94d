"""The pages about TOSCA: the tutorial is walked through to a template that is deployed and taken away."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from docs.tosca_engines import refused, templates
from tests.docs.pages import DOCS
from tests.docs.test_deploy_pages import run
from tests.docs.test_tutorials import steps

_ENDS = {"plan": 3}
_FAILS = "sabir deploy guests.yaml --here --trust scripts --yes"


@pytest.mark.slow
def test_the_tutorial(tmp_path: Path) -> None:
    commands = 0
    for language, attributes, text in steps("tutorials/tosca-deploy.md"):
        title = re.search(r'title="(.+?)"', attributes)
        if title is not None:
            (tmp_path / title[1]).write_text(text, encoding="utf-8")
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:] if language == "console" else ():
            command, _, shown = part.partition("\n")
            status, output = run(command, tmp_path)
            expected = 1 if command == _FAILS else _ENDS.get(command.split()[1], 0) if " " in command else 0
            assert status == expected, f"{command}\n{output}"
            wanted, cut, _ = shown.partition("…\n")
            assert output.startswith(wanted) if cut else output == wanted, f"{command}\n{output}"
            commands += 1
    assert commands > 10


@pytest.mark.slow
def test_the_faults_that_the_page_says_are_told() -> None:
    rows = (DOCS / "tosca/engines.md").read_text(encoding="utf-8")
    for title, text in templates():
        answer = "refused" if refused([sys.executable, "-m", "sabir.cli", "check"], text) else "accepted"
        assert f"| {title} | {answer} |" in rows
