from __future__ import annotations

import pytest

from sabir.diagnostics import CheckerError, Finding, RelatedLocation, Severity
from sabir.diagnostics.finding import CheckError
from sabir.source.yaml import compose
from sabir.text import Place, Source, Span

SOURCE = Source("Classes/A.yaml", "Name: A\n\tUsage: Inn\n\n")


@pytest.mark.rows("V-160", "V-161", "V-164", "V-165", "V-167", "V-168", "V-169")
def test_the_attributes_of_spec_001() -> None:
    finding = CheckerError(
        code="MPL:E042", message="Usage cannot be 'Inn'", place=Place(SOURCE, Span(16, 19))
    )
    assert (finding.code, finding.message, finding.filename) == (
        "MPL:E042",
        "Usage cannot be 'Inn'",
        "Classes/A.yaml",
    )
    assert (finding.line, finding.column) == (1, 8)
    assert str(finding.location) == "Classes/A.yaml:2:9"
    assert finding.source == "\tUsage: Inn\n\t       ^"
    assert finding.severity is Severity.ERROR
    assert CheckError is CheckerError is Finding
    first = Finding(code="W001", message="x", place=Place(SOURCE, Span(0, 4)))
    assert (first.line, first.column, first.location.line) == (0, 0, 1)
    assert first.severity is Severity.WARNING


@pytest.mark.rows("V-167", "V-168", "V-169")
def test_position_and_snippet_are_optional() -> None:
    whole = Finding.about_file("E001", "missing", "manifest.yaml", hint="write it")
    assert (whole.line, whole.column, whole.source, str(whole.location)) == (
        None,
        None,
        None,
        "manifest.yaml",
    )
    blank = Finding(code="E001", message="x", place=Place(SOURCE, Span(20, 20)))
    assert (blank.line, blank.source) == (2, None)


@pytest.mark.rows("V-162")
def test_a_defect_of_the_text_is_a_finding_at_its_mark() -> None:
    source = Source("a.yaml", "one: 1\ntwo: 2\none: 3\n")
    (finding,) = compose(source).findings
    assert str(finding.location) == "a.yaml:3:1"
    assert finding.related == (RelatedLocation(place=Place(source, Span(0, 3)), message="first given here"),)


def test_reports_have_one_order() -> None:
    spans = [Span(9, 10), Span(0, 4), Span(0, 2)]
    findings = [
        Finding(code=f"E00{3 - index}", message="x", place=Place(SOURCE, span))
        for index, span in enumerate(spans)
    ]
    assert [finding.code for finding in sorted(findings, key=lambda one: one.sort_key)] == [
        "E001",
        "E002",
        "E003",
    ]
