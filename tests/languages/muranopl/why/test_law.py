"""Small packages in which each line is changed in turn: what changes a value stands in its chain."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from tests.languages.muranopl.packages import files
from tests.languages.muranopl.why.law import (
    MISSING,
    chain_lines,
    changing_lines,
    evaluated,
    literal_lines,
    mutants,
    value_of,
)
from tests.languages.muranopl.why.packages import CASES, Case
from tests.languages.muranopl.why.programs import Program, programs


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


# A runtime sets the recursion limit that its depth of calls needs.
pytestmark = pytest.mark.filterwarnings("ignore:The recursion limit will not be reset")
SUBJECTS = ("root.x", "root.y", "root.z", "helper.v", "helper.w")


def _package(program: Program) -> dict[str, str]:
    found = files(program.classes, program.model)
    return {**found, "manifest.yaml": found["manifest.yaml"] + "  demo.Helper: Root.yaml\n"}


@settings(max_examples=20, deadline=None)
@given(programs())
def test_recording_changes_nothing(program: Program) -> None:
    package = _package(program)
    plain, recorded = evaluated(package, full=False), evaluated(package, full=True)
    assert (plain is None) is (recorded is None)
    for one in plain or ():
        assert recorded is not None
        assert recorded[one.id].attributes == one.attributes


@pytest.mark.slow
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_what_changes_a_value_of_any_program_is_in_its_chain(program: Program) -> None:
    package = _package(program)
    graph = evaluated(package, full=False)
    if graph is None:
        return
    told = {subject: chain_lines(package, subject) for subject in SUBJECTS}
    for mutant in mutants(package):
        other = evaluated(mutant.files, full=False)
        for subject in SUBJECTS:
            before, after = value_of(graph, subject), value_of(other, subject)
            if after not in (before, MISSING):
                assert mutant.line in told[subject], (subject, mutant.line)
