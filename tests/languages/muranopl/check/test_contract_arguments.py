"""Arguments of contract functions: the check says what loading would refuse."""

from __future__ import annotations

import pytest

from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl import LANGUAGE
from sabir.operations.check import check_package
from sabir.source.packages import MemoryPackage
from tests.languages.muranopl.packages import files


@pytest.mark.parametrize(
    ("contract", "is_refused"),
    [
        ("$.int(5)", True),
        ("$.string(a)", True),
        ("$.bool(1).notNull()", True),
        ("$.class()", True),
        ("$.template()", True),
        ("$.int()", False),
        ("$.class(Root)", False),
        ("$.class(Root).owned()", False),
        ("$.int().check($ = null or $ > 5)", False),
    ],
)
def test_check_and_load_agree(contract: str, is_refused: bool) -> None:  # a column of the table
    package = MemoryPackage(files(f"Name: Root\nProperties:\n  a:\n    Contract: {contract}\n"))
    checked = [finding.code for _, finding in check_package(package).findings() if finding.code == "MPL:W048"]
    loaded = LANGUAGE.evaluate(package, EvaluationRequest()).findings
    assert (checked == ["MPL:W048"]) is is_refused
    assert bool(loaded) is is_refused
