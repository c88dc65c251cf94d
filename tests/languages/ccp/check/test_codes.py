"""Every code's examples: the bad one is reported with the code, the good one is not."""

from __future__ import annotations

import pytest

from sabir.checks.application import Application
from sabir.diagnostics.rules import Rule
from sabir.languages.ccp import LANGUAGE
from sabir.source.packages import MemoryPackage
from tests.conformance.adapters.ccp import KINDS


def _codes(files: dict[str, str]) -> list[str]:
    package = MemoryPackage(files)
    assert LANGUAGE.recognises(package)
    return [finding.code for finding in Application().run(package, LANGUAGE.validators())]


@pytest.mark.parametrize("code", LANGUAGE.rules(), ids=lambda code: str(code.code))
def test_examples(code: Rule) -> None:
    assert code.code in _codes(dict(code.bad))
    assert code.code not in _codes(dict(code.good))


def test_every_rule_has_its_word_in_the_contract() -> None:
    assert {rule.code for rule in LANGUAGE.rules()} == set(KINDS)
