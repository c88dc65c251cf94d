"""Small packages in which each line is changed in turn: what changes a value stands in its chain."""

from __future__ import annotations

import pytest

from tests.languages.muranopl.packages import files
from tests.languages.muranopl.why.law import chain_lines, changing_lines, literal_lines
from tests.languages.muranopl.why.packages import CASES, Case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_changes_a_value_is_in_its_chain(case: Case) -> None:
    package = files(case.classes, case.model, **case.more)
    told = chain_lines(package, case.subject)
    changing = changing_lines(package, case.subject)
    assert changing, "the package has no line that matters: it shows nothing"
    assert changing <= told
    if case.is_tight:  # and what is told changes the value, but for the headers of objects
        headers = {("model.yaml", at) for at, line in enumerate(case.model.split("\n"), 1) if "'?'" in line}
        assert (told & literal_lines(package, case.subject)) - headers <= changing
