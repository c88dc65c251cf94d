"""Cases of our own, in the format of the conformance cases, for what the recorded ones do not show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.adapters.muranopl import run
from tests.conformance.runner.case import Case
from tests.conformance.runner.muranopl import load
from tests.conformance.runner.muranopl_compare import judge

CASES = load(Path(__file__).parent / "cases")


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.id, marks=pytest.mark.rows(*case.rows)) for case in CASES]
)
def test_case(case: Case) -> None:
    verdict = judge(case, run)
    assert verdict.passed, "\n".join((case.why, *verdict.differences, repr(verdict.actual)))
