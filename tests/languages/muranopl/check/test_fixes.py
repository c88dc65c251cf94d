"""Mechanical repairs: what they write, which of them are safe, and that the finding is gone afterwards."""

from __future__ import annotations

import pytest

from sabir.check.fixes import fixed_texts
from sabir.diagnostics.codes import Code, Example
from sabir.languages.muranopl.check import package_codes
from sabir.languages.muranopl.check.codes.examples import LIBRARY, with_class, with_manifest
from tests.languages.muranopl.check.test_codes import OFF, findings


def mended(example: Example, *, unsafe: bool = True) -> Example:
    texts = fixed_texts(findings(example, also=OFF), unsafe=unsafe)
    return {**example, **{one.source.name: one.text for one in texts}}


@pytest.mark.parametrize(
    "code", [code for code in package_codes() if code.fixable], ids=lambda code: code.code
)
def test_a_fix_takes_its_finding_away(code: Code) -> None:
    before = sum(one.code == code.code for one in findings(code.bad))
    assert sum(one.code == code.code for one in findings(mended(code.bad))) < before


def test_a_misspelt_usage_is_an_unsafe_fix() -> None:
    bad = with_class("Usage: Out", "Usage: Ot")
    assert mended(bad, unsafe=False) == bad
    assert mended(bad) == LIBRARY


def test_a_number_as_a_name_is_put_in_quotes() -> None:
    bad = with_manifest("Name: Tools", "Name: 1.10")
    assert mended(bad, unsafe=False) == with_manifest("Name: Tools", 'Name: "1.10"')


def test_an_action_becomes_public() -> None:
    bad = with_class("  twice:\n", "  twice:\n    Usage: Action\n")
    assert mended(bad, unsafe=False) == with_class("  twice:\n", "  twice:\n    Scope: Public\n")


def test_an_unlisted_class_is_listed() -> None:
    new = {"Classes/sub/Old.yaml": "Namespaces: {=: com.example.old}\nName: Old\n"}
    good = mended({**LIBRARY, **new})
    assert good["manifest.yaml"] == LIBRARY["manifest.yaml"] + "  com.example.old.Old: sub/Old.yaml\n"
    assert findings(good) == []
