"""The printed chain of each kind of step. `SABIR_GOLDEN=write pytest …` writes them anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.cli.views.why import text_view
from tests.languages.muranopl.packages import files
from tests.languages.muranopl.why.law import chain
from tests.languages.muranopl.why.packages import CASES, Case
from tests.support.golden import assert_golden

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_chain(case: Case) -> None:
    explanation = chain(files(case.classes, case.model, **case.more), case.subject)
    assert_golden("".join(text_view(explanation)), GOLDEN / f"{case.name.replace(' ', '-')}.txt")
