"""What may be wrong with a text as YAML, as findings."""

from __future__ import annotations

import pytest
import yaml
from yaml.reader import ReaderError

from sabir.source.yaml.defects import NOT_YAML, UNBOUNDED, YamlError, not_readable, syntax_finding
from sabir.text import Source, Span


def test_a_defect_is_the_finding_of_its_rule_at_its_place() -> None:
    source = Source("a.yaml", "self: &self\n  again: *self\n")
    finding = YamlError(UNBOUNDED, "alias *self contains itself", Span(21, 26)).finding(source)
    assert (finding.code, finding.filename) == (UNBOUNDED.code, "a.yaml")
    assert finding.message == "alias *self contains itself"
    assert source.line_column(finding.place.span.start) == (2, 10)


def test_what_is_not_readable_says_so() -> None:
    defect = not_readable("a tab", Span(3, 4))
    assert (defect.rule, defect.span) == (NOT_YAML, Span(3, 4))
    assert str(defect) == defect.message == "not readable as YAML: a tab"


def mark(index: int) -> yaml.Mark:
    return yaml.Mark("a.yaml", index, 0, index, None, 0)


@pytest.mark.parametrize(
    ("error", "message", "span"),
    [
        (yaml.MarkedYAMLError(problem="expected ]", problem_mark=mark(2)), "expected ]", Span(2, 3)),
        (
            yaml.MarkedYAMLError("while reading a list", mark(1), "expected ]", mark(2)),
            "expected ] (while reading a list)",
            Span(2, 3),
        ),
        (yaml.MarkedYAMLError(problem="no place", context_mark=mark(1)), "no place", Span(1, 2)),
        (yaml.MarkedYAMLError(problem="the end", problem_mark=mark(99)), "the end", Span(5, 5)),
        # Counted in bytes: `é` and `ü` have two each.
        (ReaderError("a.yaml", 4, 7, "utf-8", "control character"), "control character", Span(2, 3)),
        (ValueError("some reason"), "some reason", Span(0, 1)),
    ],
)
def test_what_the_parser_says(error: Exception, message: str, span: Span) -> None:
    finding = syntax_finding(Source("a.yaml", "éü\x07 b"), error)
    assert finding.message == f"not readable as YAML: {message}"
    assert finding.place.span == span
