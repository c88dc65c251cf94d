"""Every code of the package checks: its bad example is reported with it, its good one is clean."""

from __future__ import annotations

import pytest

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Example, Rule
from sabir.languages.muranopl.check import package_rules, package_validators
from sabir.source.packages import MemoryPackage

# An application needs a logo, and an example holds text only, which a PNG image is not.
NO_LOGO = "MAN:W074"


OFF = frozenset(code.code for code in package_rules() if code.off_by_default)


def findings(example: Example, *, also: frozenset[str] = frozenset()) -> list[Finding]:
    """What is found, without the codes that are off by default except those wanted."""
    package = MemoryPackage(example)
    found = [finding for validator in package_validators() for finding in validator(package).run()]
    return [finding for finding in found if finding.code not in OFF - also]


@pytest.mark.rows("V-030", "V-032", "V-033", "V-036")
@pytest.mark.parametrize("code", package_rules(), ids=lambda code: code.code)
def test_examples(code: Rule) -> None:
    bad = [finding for finding in findings(code.bad, also=OFF) if finding.code == code.code]
    assert bad
    assert all(finding.severity is code.severity and finding.message for finding in bad)
    assert {finding.code for finding in findings(code.good, also=frozenset({code.code}))} <= {NO_LOGO}


def test_a_fixable_code_offers_a_fix() -> None:
    for code in package_rules():
        fixes = [finding.fix for finding in findings(code.bad, also=OFF) if finding.code == code.code]
        assert any(fixes) == code.fixable, code.code


def test_validators_know_what_is_off_without_its_documentation() -> None:
    for validator in package_validators():
        assert validator.off_by_default() == {code.code for code in validator.rules() if code.off_by_default}
