"""Regular expressions of users: one engine for all doors, in which each of them comes to an end, on any thread."""

from sabir.expressions.patterns.engine import (
    Match,
    PatternRefused,
    ResultTooLong,
    bounded,
    matches_start,
    matches_whole,
    substitute,
)
from sabir.expressions.patterns.syntax import PatternError, compile_pattern, is_cheap

__all__ = [
    "Match",
    "PatternError",
    "PatternRefused",
    "ResultTooLong",
    "bounded",
    "compile_pattern",
    "is_cheap",
    "matches_start",
    "matches_whole",
    "substitute",
]
