"""Examples of rules as data: the format, and that each file has exactly the examples of its rules."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import sabir
from sabir.diagnostics.examples import load_bases, load_examples
from sabir.diagnostics.rules import Example, collect_rules

ROOT = Path(sabir.__file__).parent
FILES = sorted(ROOT.rglob("examples.yaml"))
RULES = [rule for rule in collect_rules("sabir") if isinstance(rule.examples, str)]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """A package with one file of examples; the parameter is its text."""
    name = f"package_{abs(hash(request.param))}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").touch()
    (tmp_path / name / "examples.yaml").write_text(request.param)
    monkeypatch.syspath_prepend(tmp_path)
    return name


BASE = "bases: {small: {a.yaml: 'one two one', b.yaml: b}}\nrules:\n  E001:\n    base: small\n"


@pytest.mark.parametrize(
    ("write", "bad"),
    [
        ("rules: {E001: {bad: {a.yaml: text}, good: {}}}", {"a.yaml": "text"}),
        ("rules: {E001: {bad: {a.yaml: !!binary Y2Fm6Q==}}}", {"a.yaml": "caf\udce9"}),
        ("rules: {E001: {bad: {a.yaml: {repeat: ab, times: 3}}}}", {"a.yaml": "ababab"}),
        (BASE + "    bad: {a.yaml: {replace: one, with: 1}}", None),
        (BASE + "    bad: {a.yaml: {replace: one, with: '1'}}", {"a.yaml": "1 two one", "b.yaml": "b"}),
        (BASE + "    bad: {a.yaml: null, c.yaml: c}", {"b.yaml": "b", "c.yaml": "c"}),
        (BASE + "    bad: {a.yaml: {replace: three, with: '3'}}", None),
    ],
    indirect=["write"],
    ids=["text", "bytes", "repeated", "not-a-string", "replaced", "removed", "not-in-the-base"],
)
def test_files_of_an_example(write: str, bad: Example | None) -> None:
    if bad is None:
        with pytest.raises(ValueError, match=r"^a\.yaml: expected a file or a change of the base, found"):
            load_examples(write, "E001")
    else:
        assert load_examples(write, "E001").bad == bad


@pytest.mark.parametrize("write", [BASE + "    bad: {b.yaml: c}"], indirect=True)
def test_the_base_is_the_good_example_unless_there_is_another(write: str) -> None:
    assert load_examples(write, "E001").good == load_bases(write)["small"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.parent.relative_to(ROOT)))
def test_each_file_has_the_examples_of_its_rules_and_no_others(file: Path) -> None:
    package = ".".join(("sabir", *file.parent.relative_to(ROOT).parts))
    content = yaml.safe_load(file.read_bytes())
    assert sorted(content["rules"]) == sorted(rule.code for rule in RULES if rule.examples == package)
    used = {entry["base"] for entry in content["rules"].values() if "base" in entry}
    assert used == {*content.get("bases", ())}


def test_every_rule_has_its_examples_in_a_file() -> None:
    assert len(RULES) == len(collect_rules("sabir"))
