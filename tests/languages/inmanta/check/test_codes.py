"""Every code: its bad example is reported with it, its good one is not."""

from __future__ import annotations

import pytest

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Example, Rule
from sabir.languages.inmanta import LANGUAGE
from sabir.languages.inmanta.check import InmantaValidator
from sabir.languages.language import EvaluationRequest, RenderRequest
from sabir.source.packages import MemoryPackage


def findings(code: Rule, example: Example) -> list[Finding]:
    package = MemoryPackage(example)
    if code.when == "render":
        return list(
            LANGUAGE.renderers()["inmanta-resources"](package, EvaluationRequest(), RenderRequest()).findings
        )
    if code.when == "evaluate":
        return list(LANGUAGE.evaluate(package, EvaluationRequest()).findings)
    return list(InmantaValidator(package).run())


@pytest.mark.parametrize("code", LANGUAGE.rules(), ids=lambda code: code.code)
def test_examples(code: Rule) -> None:
    bad = [finding for finding in findings(code, code.bad) if finding.code == code.code]
    assert bad
    assert all(finding.severity is code.severity and finding.message for finding in bad)
    assert not findings(code, code.good)
    if code.fixable:
        assert any(finding.fix for finding in bad)


def test_the_rules_of_all_rooms_are_found() -> None:
    codes = [rule.code for rule in LANGUAGE.rules()]
    errors = [f"INM:E{number:03}" for number in (*range(1, 8), *range(10, 26))]
    assert codes == [*errors, *(f"INM:W{number:03}" for number in range(1, 8))]
