"""Patterns of node names: regular expressions that cannot run away."""

from __future__ import annotations

from typing import Any, Final

from sabir.expressions.patterns import PatternError, compile_pattern
from sabir.expressions.patterns.syntax import parsed

__all__ = ["pattern_problem"]

_MOST_REPEATS: Final = 3
_LONGEST: Final = 500


def pattern_problem(pattern: str) -> str | None:
    """What is wrong with a pattern, or None.

    A repetition without end may stand over one character or class only, and a few times: then matching a name takes
    a bounded number of steps. `(a+)+` would not.
    """
    if len(pattern) > _LONGEST:
        return f"longer than {_LONGEST} characters"
    try:
        tree, _ = parsed(pattern, compile_pattern(pattern).flags)
    except PatternError as error:
        return str(error)
    repeats = _Repeats()
    repeats.visit(tree)
    if repeats.unportable:
        return "possessive repetitions and atomic groups need Python 3.11, and the containers may have an older one"
    if repeats.nested or repeats.count > _MOST_REPEATS:
        return "too complicated: repeat single characters or classes only, and not more than three times"
    return None


class _Repeats:
    def __init__(self) -> None:
        self.count = 0
        self.nested = False
        self.unportable = False

    def visit(self, tree: Any) -> None:
        for operation, argument in tree:
            self.unportable |= str(operation) in ("POSSESSIVE_REPEAT", "ATOMIC_GROUP")
            if str(operation) in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
                _, most, body = argument
                simple = len(body) == 1 and str(body[0][0]) in (
                    "LITERAL",
                    "NOT_LITERAL",
                    "IN",
                    "ANY",
                    "CATEGORY",
                )
                self.count += most > 1
                self.nested |= not simple and most > 1
                self.visit(body)
            elif str(operation) in ("SUBPATTERN", "ATOMIC_GROUP", "ASSERT", "ASSERT_NOT"):
                self.visit(argument if str(operation) == "ATOMIC_GROUP" else argument[-1])
            elif str(operation) == "BRANCH":
                for branch in argument[1]:
                    self.visit(branch)
            elif str(operation) in ("GROUPREF", "GROUPREF_EXISTS"):
                self.nested = True
