"""Where the check and the engine judge the same instruction differently, and why: the whole list.

The reader finds a defect once, and both report it, unless it is one of these. Rows are those of the requirements.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

__all__ = [
    "CALL_IN_TARGET",
    "CATCH_WITHOUT_DO",
    "DIFFERENCES",
    "REPEAT_SCALAR",
    "TRY_WITHOUT_CATCH",
    "Difference",
]


class Difference(Struct, frozen=True, kw_only=True):
    """`only`: who reports it; the other one takes it."""

    subject: str
    only: Literal["check", "load"]
    rows: tuple[str, ...]
    why: str


TRY_WITHOUT_CATCH: Final = Difference(
    subject="Try with neither Catch nor Finally",
    only="check",
    rows=("V-024", "M-183"),
    why="it handles nothing; the engine runs the block all the same",
)
CATCH_WITHOUT_DO: Final = Difference(
    subject="Catch without Do",
    only="check",
    rows=("V-024", "M-186"),
    why="it drops the exception without a word; the engine runs it as an empty block",
)
CALL_IN_TARGET: Final = Difference(
    subject="an assignment whose target calls something on the way",
    only="load",
    rows=("V-025", "M-162"),
    why="published packages write `type('a.B').property: value`; the engine assigns along properties and keys only",
)
REPEAT_SCALAR: Final = Difference(
    subject="Repeat with a text, or with a number that is no integer",
    only="load",
    rows=("V-024", "M-173"),
    why="the document shows Repeat without a value (S-14), so the check lets every scalar be",
)

DIFFERENCES: Final = (TRY_WITHOUT_CATCH, CATCH_WITHOUT_DO, CALL_IN_TARGET, REPEAT_SCALAR)
