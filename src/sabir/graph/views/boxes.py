"""The boxes of a picture: which words stand in them, and how much room those take."""

from __future__ import annotations

from math import sqrt
from typing import Final
from unicodedata import east_asian_width

from sabir.graph.layout import Size
from sabir.graph.views.words import clipped, one_line

__all__ = ["between_columns", "shown_name", "shown_type", "text_width", "words_size"]

_LONGEST_NAME: Final = 30
_LONGEST_TYPE: Final = 36


def shown_name(name: str) -> str:
    return clipped(one_line(name), _LONGEST_NAME)


def shown_type(type_: str) -> str:
    return clipped(one_line(type_), _LONGEST_TYPE)


# Widths for a wide font such as DejaVu Sans, in which much is shown; narrower fonts leave a little air.
def words_size(name: str, type_: str) -> Size:
    wide = max(text_width(shown_name(name), 8.1), text_width(shown_type(type_), 6.1), 50.0)
    return wide + 20, 38.0


def text_width(text: str, each: float) -> float:
    wide = 0 if text.isascii() else sum(east_asian_width(char) in "WF" for char in text)
    return (len(text) + wide) * each


def between_columns(links: int) -> float:
    """The more links, the more room they need between the columns to be told apart."""
    return 60.0 + min(sqrt(links) * 3, 90.0)
