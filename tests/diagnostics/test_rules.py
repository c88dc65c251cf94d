from __future__ import annotations

from pathlib import Path

import pytest

from sabir.diagnostics import Rule, RuleRegistry, Severity, parse_code
from sabir.diagnostics.page import markdown_page, page_name, plain_explanation
from sabir.diagnostics.rules import Examples, collect_rules


def code(name: str, title: str = "x") -> Rule:
    return Rule(code=name, title=title, why="y", examples=Examples({"a.yaml": "1"}, {"a.yaml": "2"}))


@pytest.mark.rows("V-030", "V-032", "V-035", "V-036")
@pytest.mark.parametrize(
    ("text", "prefix", "kind", "number"),
    [("E007", "", "E", 7), ("MPL:E042", "MPL", "E", 42), ("W777", "", "W", 777), ("UI:W123", "UI", "W", 123)],
)
def test_parts(text: str, prefix: str, kind: str, number: int) -> None:
    assert parse_code(text) == (prefix, kind, number)
    assert code(text).severity is (Severity.ERROR if kind == "E" else Severity.WARNING)


@pytest.mark.rows("V-031", "V-034")
@pytest.mark.parametrize(
    "text", ["ab1:E001", "X12", "E12", "E1234", "e007", "mpl:E042", ":E001", "A:B:E001", "E00x", ""]
)
def test_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no code"):
        code(text)


def test_a_code_is_never_reused() -> None:
    registry = RuleRegistry()
    registry.register([code("E001", "first"), code("MPL:E001")])
    registry.register([code("E001", "first")])
    with pytest.raises(ValueError, match="E001 is registered twice, for 'first' and 'second'"):
        registry.register([code("E001", "second")])


def test_two_rules_of_a_package_with_one_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "two_rules.py").write_text(
        "from tests.diagnostics.test_rules import code\nONE, TWO = code('E001', 'first'), code('E001', 'second')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match="E001 is registered twice, for 'first' and 'second'"):
        collect_rules("two_rules")


def test_registry() -> None:
    registry = RuleRegistry()
    registry.register([code("MPL:W001"), code("E010"), code("MPL:E002"), code("UI:E002"), code("W002")])
    assert registry.names() == ("E010", "W002", "MPL:E002", "MPL:W001", "UI:E002")
    assert len(registry) == 5
    assert "E010" in registry
    found = {text: registry.get(text) for text in ("e010", "MPL:E002", "W001", "E002", "UI:W001")}
    assert {text: one.code if one else None for text, one in found.items()} == {
        "e010": "E010",
        "MPL:E002": "MPL:E002",
        "W001": "MPL:W001",
        "E002": None,
        "UI:W001": None,
    }


@pytest.mark.rows("V-037")
def test_one_text_for_terminal_and_page() -> None:
    documented = Rule(
        code="MPL:W001",
        title="no good",
        why="Because `x` is lost. Write it.",
        examples=Examples(
            bad={"Classes/A.yaml": "Name: caf\udce9\n"},
            good={"Classes/A.yaml": "Name: A\n", "run.py": "pass\n"},
        ),
        fixable=True,
        off_by_default=True,
        when="evaluate",
    )
    plain, page = plain_explanation(documented), markdown_page(documented)
    for text in (
        documented.title,
        documented.why,
        "--fix",
        "--extend-select MPL:W001",
        "Only an evaluation",
        "run.py",
    ):
        assert text in plain
        assert text in page
    assert plain.startswith("MPL:W001: no good (warning)\n")
    assert "caf\\xe9" in plain
    assert "```python\npass\n```" in page
    assert page_name("MPL:W001") == "MPL-W001"
