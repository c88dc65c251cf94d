"""What is a pattern: Python's `re` says so, and its parser tells what it means."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

__all__ = ["Parsed", "PatternError", "compile_pattern", "parsed"]

Parsed = Iterable[tuple[Any, Any]]
"""What the parser of the standard library makes: names of operations, each with its argument."""

_LONGEST: Final = 5000


class PatternError(ValueError):
    """A text is no regular expression; the message says why."""


def compile_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern that a text is; `PatternError` when it is none."""
    if len(text) > _LONGEST:
        raise PatternError(f"it is longer than {_LONGEST:,} characters")
    return _compiled(text, flags)


@lru_cache(maxsize=512)
def _compiled(text: str, flags: int) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(text, flags)
    except (re.error, OverflowError) as error:
        raise PatternError(str(error)) from None
    except RecursionError:
        raise PatternError("it is nested too deeply") from None


@lru_cache(maxsize=512)
def parsed(text: str, flags: int) -> tuple[Parsed, int]:
    """The parts of a pattern that is one, and its flags, those written in it included."""
    # The parser of the standard library has no public name since 3.11; a test names the versions of Python that have this one.
    parser: Any = re._parser  # type: ignore[attr-defined]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = parser.parse(text, flags)
    return tree, tree.state.flags
