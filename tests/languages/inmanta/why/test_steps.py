"""The chains of Inmanta values as people see them: one golden file for each kind of step."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.cli.views.why import VIEWS
from tests.languages.inmanta.why.models import CASES
from tests.support.golden import assert_golden

GOLDEN = Path(__file__).with_name("golden")


@pytest.mark.parametrize("name", CASES)
def test_chain(name: str) -> None:
    case = CASES[name]
    shown = "".join(VIEWS["text"](case.explanation()))
    assert_golden(shown, GOLDEN / f"{name.replace(' ', '-').replace(',', '')}.txt")
