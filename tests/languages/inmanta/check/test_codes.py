"""Every code: its bad example is reported with it, its good one is not."""

from __future__ import annotations

import pytest

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Example, Rule
from sabir.languages.inmanta import LANGUAGE, codes
from sabir.languages.inmanta.check.validator import InmantaValidator
from sabir.languages.language import EvaluationRequest, RenderRequest
from sabir.source.packages import MemoryPackage


def findings(code: Rule, example: Example) -> list[Finding]:
    package = MemoryPackage(example)
    if code.code == codes.RESOURCE:  # only an export can tell
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


def test_every_code_is_documented() -> None:
    named = {value for name, value in vars(codes).items() if name.isupper()}
    assert named == {code.code for code in LANGUAGE.rules()}
