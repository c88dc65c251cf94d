"""Findings, rules and their documentation, suggestions."""

from sabir.diagnostics.finding import (
    CheckerError,
    Edit,
    Finding,
    Fix,
    Frame,
    RelatedLocation,
    Severity,
)
from sabir.diagnostics.rules import Example, Examples, Rule, RuleRegistry, parse_code
from sabir.diagnostics.suggestions import did_you_mean, suggest

__all__ = [
    "CheckerError",
    "Edit",
    "Example",
    "Examples",
    "Finding",
    "Fix",
    "Frame",
    "RelatedLocation",
    "Rule",
    "RuleRegistry",
    "Severity",
    "did_you_mean",
    "parse_code",
    "suggest",
]
