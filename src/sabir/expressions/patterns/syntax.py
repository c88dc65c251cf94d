"""How much a pattern may cost on a text, at most: the ways in which a backtracking engine may try it.

`re` must not run a possessive repetition of more than one character, whose cost is therefore infinite: up to Python 3.11.4
it returns wrong matches, and up to 3.13.0 at least it raises SystemError or ends the process for some (`((x)|y|z)*+`).

What is a pattern: Python's `re` says so, and its parser tells what it means.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from functools import lru_cache
from math import inf
from typing import Any, Final

from sabir.errors import ExpressionError

PatternTree = Iterable[tuple[Any, Any]]
"""What the parser of the standard library makes: names of operations, each with its argument."""

_LONGEST: Final = 5000


class PatternError(ExpressionError, ValueError):
    """A text is no regular expression; the message says why."""


def compile_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern that a text is; `PatternError` when it is none."""
    if len(text) > _LONGEST:
        raise PatternError(f"it is longer than {_LONGEST:,} characters")
    return _compile_cached(text, flags)


@lru_cache(maxsize=512)
def _compile_cached(text: str, flags: int) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(text, flags)
    except (re.error, OverflowError) as error:
        raise PatternError(str(error)) from None
    except RecursionError:
        raise PatternError("it is nested too deeply") from None


@lru_cache(maxsize=512)
def parse_pattern(text: str, flags: int) -> tuple[PatternTree, int]:
    """The parts of a pattern that is one, and its flags, those written in it included."""
    # The parser of the standard library has no public name since 3.11; a test names the versions of Python that have this one.
    parser: Any = re._parser  # type: ignore[attr-defined]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = parser.parse(text, flags)
    return tree, tree.state.flags


_CHEAP: Final = 20_000_000.0
"""Steps that surely take less than a second."""
_ONE_CHARACTER: Final = frozenset({"LITERAL", "NOT_LITERAL", "IN", "ANY"})


def is_cheap(pattern: re.Pattern[str], text: str) -> bool:
    """Whether `re` surely answers every question about a text within a second, and correctly."""
    size = len(text) + 1
    if size > _CHEAP:
        return False
    # A power of two at least as large: the same estimate serves all texts of about this length.
    return _estimate_steps(pattern.pattern, pattern.flags, 1 << size.bit_length()) <= _CHEAP


@lru_cache(maxsize=2048)
def _estimate_steps(text: str, flags: int, size: int) -> float:
    tree, _ = parse_pattern(text, flags)
    ways = _sequence_cost(tree, size)
    return ways if _is_constant(tree) else ways * size


def _is_constant(tree: PatternTree) -> bool:
    """Whether it has no choice at all: then a search looks at each place once."""
    return all(str(name) in ("LITERAL", "NOT_LITERAL", "IN", "ANY", "AT") for name, _ in tree)


def _sequence_cost(tree: PatternTree, size: int) -> float:
    ways = 1.0
    for name, argument in tree:
        ways *= _part_cost(str(name), argument, size)
        if ways > _CHEAP:
            return inf
    return ways


def _part_cost(name: str, argument: Any, size: int) -> float:
    match name:
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, body = argument
            is_one_character = len(body) == 1 and str(body[0][0]) in _ONE_CHARACTER
            if name == "POSSESSIVE_REPEAT" and not is_one_character:
                return inf
            return _repeat_cost(least, most, body, size)
        case "BRANCH":
            return sum(_sequence_cost(branch, size) for branch in argument[1])
        case "SUBPATTERN" | "ASSERT" | "ASSERT_NOT":
            return _sequence_cost(argument[-1], size)
        case "ATOMIC_GROUP":
            return _sequence_cost(argument, size)
        case "GROUPREF" | "GROUPREF_IGNORE":
            return float(size)  # comparing what a group took
        case "GROUPREF_EXISTS":
            _, yes, no = argument
            return _sequence_cost(yes, size) + (_sequence_cost(no, size) if no else 1.0)
        case _:
            return 1.0


def _repeat_cost(least: int, most: int, body: Any, size: int) -> float:
    """One way for each number of rounds, and of these each with every way of every round."""
    within = _sequence_cost(body, size)
    narrowest = max(body.getwidth()[0], 1)
    rounds = min(int(most), size // narrowest + 1)
    if within <= 1.0:
        return float(rounds - min(int(least), rounds) + 1) if least else float(rounds + 1)
    total = 1.0
    for _ in range(rounds):
        total = 1.0 + within * total
        if total > _CHEAP:
            return inf
    return total
