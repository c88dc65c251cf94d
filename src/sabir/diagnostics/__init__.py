"""Findings, codes and their documentation, near names."""

from sabir.diagnostics.codes import Code, CodeRegistry, Example, parse_code
from sabir.diagnostics.finding import (
    CheckerError,
    Edit,
    Finding,
    Fix,
    Frame,
    Related,
    Severity,
    problem_finding,
)
from sabir.diagnostics.near import did_you_mean, near

__all__ = [
    "CheckerError",
    "Code",
    "CodeRegistry",
    "Edit",
    "Example",
    "Finding",
    "Fix",
    "Frame",
    "Related",
    "Severity",
    "did_you_mean",
    "near",
    "parse_code",
    "problem_finding",
]
