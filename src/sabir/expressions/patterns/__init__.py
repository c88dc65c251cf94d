"""Regular expressions of users: one engine for all doors, in which each of them comes to an end, on any thread."""

from sabir.expressions.patterns.engine import (
    Match,
    PatternRefusedError,
    ResultTooLongError,
    guard_pattern,
    matches_start,
    matches_whole,
    substitute_matches,
)
from sabir.expressions.patterns.syntax import PatternError, compile_pattern, is_cheap

__all__ = [
    "Match",
    "PatternError",
    "PatternRefusedError",
    "ResultTooLongError",
    "compile_pattern",
    "guard_pattern",
    "is_cheap",
    "matches_start",
    "matches_whole",
    "substitute_matches",
]
