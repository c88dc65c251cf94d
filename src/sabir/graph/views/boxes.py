"""The boxes of a picture: which words stand in them, and how much room those take."""

from __future__ import annotations

from math import sqrt
from typing import Final
from unicodedata import east_asian_width

from sabir.graph.layout import Size
from sabir.graph.views.words import clipped, one_line

__all__ = ["between_columns", "shown_name", "shown_type", "text_width", "words_size"]

_WIDEST: Final = 420.0
"""What a box without parts may take in width; a longer name is cut."""
# Widths for a wide font such as DejaVu Sans, in which much is shown; narrower fonts leave a little air.
_NAME: Final = 8.1
_TYPE: Final = 6.1
_SIDES: Final = 20.0


def shown_name(name: str, width: float) -> str:
    """As much of a name as a box of this width has room for."""
    return _fitted(one_line(name), width - _SIDES, _NAME)


def shown_type(type_: str, width: float) -> str:
    return _fitted(one_line(type_), width - _SIDES, _TYPE)


def _fitted(text: str, width: float, each: float) -> str:
    if text_width(text, each) <= width + each / 2:
        return text
    return clipped(text, max(int(width / each), 4))


def words_size(name: str, type_: str) -> Size:
    wide = max(text_width(one_line(name), _NAME), text_width(one_line(type_), _TYPE), 50.0)
    return min(wide + _SIDES, _WIDEST), 38.0


def text_width(text: str, each: float) -> float:
    wide = 0 if text.isascii() else sum(east_asian_width(char) in "WF" for char in text)
    return (len(text) + wide) * each


def between_columns(links: int) -> float:
    """The more links, the more room they need between the columns to be told apart."""
    return 60.0 + min(sqrt(links) * 3, 90.0)
