"""Every code's examples: the bad one is reported with the code, the good one is not."""

from __future__ import annotations

import pytest

from sabir.checks.application import Application
from sabir.diagnostics.rules import Rule
from sabir.languages.ccp import LANGUAGE
from sabir.languages.ccp.check.codes import CODE_OF, all_codes
from sabir.languages.ccp.syntax.violation import Kind
from sabir.source.packages import MemoryPackage


def _codes(files: dict[str, str]) -> list[str]:
    package = MemoryPackage(files)
    assert LANGUAGE.recognises(package)
    return [finding.code for finding in Application().run(package, LANGUAGE.validators())]


@pytest.mark.parametrize("code", all_codes(), ids=lambda code: str(code.code))
def test_examples(code: Rule) -> None:
    assert code.code in _codes(dict(code.bad))
    assert code.code not in _codes(dict(code.good))


def test_every_kind_has_a_code() -> None:
    assert set(CODE_OF) == set(Kind)
    for kind, code in CODE_OF.items():
        assert code.startswith("CCP:W" if kind.is_warning else "CCP:E")
