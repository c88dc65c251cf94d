"""The pages about MuranoPL: every example is run."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from sabir.cli.main import main
from sabir.expressions.yaql import STANDARD
from sabir.languages.muranopl.evaluate.functions import library_for
from sabir.languages.muranopl.evaluate.serialisation import plain_result
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.syntax.statements import CONSTRUCTS
from tests.languages.muranopl.packages import load
from tests.support.files import write_files

DOCS = Path(__file__).resolve().parents[3] / "docs" / "muranopl"
REFERENCE = (DOCS / "reference.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(
    r"^```muranopl\n(.*?)^```\n\n```(json|text)\n(.*?)^```", REFERENCE, re.MULTILINE | re.DOTALL
)
HEAD = "Namespaces:\n  =: demo\n  std: io.murano\n"


@pytest.mark.parametrize(("classes", "kind", "expected"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_example_of_the_reference(classes: str, kind: str, expected: str) -> None:
    session = load(HEAD + classes, {"?": {"id": "root", "type": "demo.Root"}})
    root = session.runtime.root
    assert root is not None
    if kind == "json":
        assert plain_result(session.call(root, "run")) == json.loads(expected)
    else:
        with pytest.raises(MuranoError) as caught:
            session.call(root, "run")
        assert expected.strip() in str(caught.value)


def test_the_reference_names_everything() -> None:
    assert REFERENCE.count("```muranopl") == len(EXAMPLES)
    for name in CONSTRUCTS:
        assert f"`{name}:" in REFERENCE, name
    functions = library_for("1.4")
    added = (functions.names(methods=True) | functions.names(methods=False)) - (
        STANDARD.names(methods=True) | STANDARD.names(methods=False)
    )
    for name in added:
        if name.isidentifier():
            assert name in REFERENCE, name


def test_the_system_class_of_the_reference() -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```", REFERENCE, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(program, "reference.md", "exec"), names)  # noqa: S102  our own page
    classes = """\
Namespaces: {=: org.example}
Name: Clock
Methods:
  now:
    Arguments:
      - zone: {Contract: $.string()}
"""
    session = load(classes, {"?": {"id": "c", "type": "org.example.Clock"}}, system=[names["CLOCK"]])
    root = session.runtime.root
    assert root is not None
    assert session.call(root, "now", ["Rome"]) == "noon in Rome"


def test_the_tutorial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    write_files(
        tmp_path, dict(re.findall(r'^```yaml title="(\S+)"\n(.*?)^```', text, re.MULTILINE | re.DOTALL))
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    for command, shown in re.findall(
        r"^```console\n\$ sabir (.*?)\n(.*?)^```", text, re.MULTILINE | re.DOTALL
    ):
        main(shlex.split(command))
        out, err = capfd.readouterr()
        said = (out or err).replace(str(tmp_path) + os.sep, "…/")
        wanted = shown.rstrip("\n").removesuffix("\n…")
        assert said.rstrip("\n").startswith(wanted), f"sabir {command}\n{said}"
