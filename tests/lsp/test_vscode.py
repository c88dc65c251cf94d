"""The extension for Visual Studio Code: what it brings is there, and its grammar knows the words of the language."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sabir.languages.inmanta.syntax.lexer import KEYWORDS

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"


def _json(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def test_every_file_that_it_names_is_there() -> None:
    contributes = _json("package.json")["contributes"]
    named = [entry["path"] for entry in contributes["grammars"]]
    named += [entry["configuration"] for entry in contributes["languages"]]
    assert [name for name in named if not (FOLDER / name).is_file()] == []


@pytest.mark.parametrize("file", sorted((FOLDER / "syntaxes").iterdir()), ids=lambda file: file.name)
def test_grammars_are_well_formed(file: Path) -> None:
    grammar = json.loads(file.read_text(encoding="utf-8"))
    for pattern in re.findall(
        r'"(?:match|begin|end)": "((?:[^"\\]|\\.)*)"', file.read_text(encoding="utf-8")
    ):
        # Oniguruma allows a look-behind of several lengths, Python does not.
        re.compile(json.loads(f'"{pattern}"').replace("(?<=^|\\s|- )", ""))
    assert grammar["scopeName"]


def test_the_grammar_of_inmanta_has_all_keywords() -> None:
    text = (FOLDER / "syntaxes" / "inmanta.tmLanguage.json").read_text(encoding="utf-8")
    assert {word for word in KEYWORDS if not re.search(rf"\b{word}\b", text)} == set()


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("node") is None or not (FOLDER / "node_modules").is_dir(),
    reason="the libraries of the extension are not here: npm ci --prefix editors/vscode",
)
def test_the_tests_of_the_extension_itself() -> None:
    """Its grammars with the editor's own engine, its start, and the real server with the editor's own library."""
    program = Path(sys.executable).with_name("sabir")
    done = subprocess.run(
        ["node", "--test", "test/"],
        cwd=FOLDER,
        env={**os.environ, "SABIR": str(program)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
