"""Colors of languages in pictures, and styles of words in text views.

A language has a pale fill and a darker line of the same hue, readable on white with dark text. Text views have no
color unless a terminal passes its own `Paint`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from zlib import crc32

from msgspec import Struct


def _keep_plain(text: str) -> str:
    return text


class Paint:
    """The styles of a text view: returns every word unchanged; a terminal overrides it with colors."""

    name: Callable[[str], str] = staticmethod(_keep_plain)
    type: Callable[[str], str] = staticmethod(_keep_plain)
    place: Callable[[str], str] = staticmethod(_keep_plain)
    good: Callable[[str], str] = staticmethod(_keep_plain)
    bad: Callable[[str], str] = staticmethod(_keep_plain)
    changed: Callable[[str], str] = staticmethod(_keep_plain)
    aside: Callable[[str], str] = staticmethod(_keep_plain)


PLAIN: Final = Paint()


class ColorPair(Struct, frozen=True):
    """Fill and line color of a language's boxes, as CSS colors."""

    fill: str
    line: str


_KNOWN: Final = {
    "muranopl": ColorPair("#fdecc8", "#b7791f"),
    "inmanta": ColorPair("#d9ecff", "#2b6cb0"),
    "ccp": ColorPair("#d8f3dc", "#2f855a"),
    "tosca": ColorPair("#ece0fb", "#6b46c1"),
}
_OTHERS: Final = (
    ColorPair("#fde2e4", "#c53030"),
    ColorPair("#d5f5f6", "#047481"),
    ColorPair("#e8ead6", "#5f6b1f"),
    ColorPair("#e7e5e4", "#57534e"),
)


def language_colors(language: str) -> ColorPair:
    """Return the colors of a language, the same in every picture and every run."""
    return _KNOWN.get(language) or _OTHERS[crc32(language.encode("utf-8", "replace")) % len(_OTHERS)]
