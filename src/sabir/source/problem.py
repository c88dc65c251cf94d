"""What is wrong with a text or an archive as such. The check layer turns a problem into a finding of the same code."""

from __future__ import annotations

from msgspec import Struct

from sabir.diagnostics.finding import Finding, Related
from sabir.text import EMPTY_SPAN, Place, Source, Span

__all__ = ["Problem", "problem_finding"]


class Problem(Struct, frozen=True, kw_only=True):
    """One defect of form: `code` is a general code (E002 not YAML, E003 not UTF-8, E004 hostile …)."""

    code: str
    message: str
    source: Source
    span: Span = EMPTY_SPAN
    related: tuple[tuple[Span, str], ...] = ()


def problem_finding(problem: Problem) -> Finding:
    """A defect of a text's form as a finding."""
    source = problem.source
    return Finding(
        code=problem.code,
        message=problem.message,
        place=Place(source, problem.span),
        whole_file=not source.text,
        related=tuple(
            Related(place=Place(source, span), message=message) for span, message in problem.related
        ),
    )
