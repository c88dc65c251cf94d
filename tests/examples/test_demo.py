import os
import re
import subprocess
import sys

import pytest

from tests.docs.pages import ROOT


def test_the_demo_ends_well_wherever_it_is_started_and_is_what_the_readme_shows(tmp_path: object) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples/demo.py")],
        cwd=str(tmp_path),
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "did not end as they should" not in done.stdout
    assert len(done.stdout.splitlines()) <= 140  # a few screens
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    recorded = readme.partition("```text\n")[2].partition("\n```")[0]
    assert _without_seconds(recorded) == _without_seconds(done.stdout.strip("\n")), (
        "put the new output into README.md"
    )
    assert not (ROOT / "examples/shop/.sabir").exists(), "what was deployed is taken away again"


def _without_seconds(text: str) -> str:
    return re.sub(r"\(\d+\.\d s\)", "(… s)", text)


@pytest.mark.parametrize("words", ["pyright", "hypothesis", "etcd"])
def test_the_demo_installs_no_tools_of_developers(words: str) -> None:
    recipe = (
        (ROOT / "Makefile")
        .read_text(encoding="utf-8")
        .partition("build/demo/.ready:")[2]
        .partition("demo:")[0]
    )
    assert "requirements.lock" in recipe
    assert "--requirement" not in recipe
    assert words not in recipe
