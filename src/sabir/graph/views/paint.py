"""Colours of text views, by what a word is; without a terminal there are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

__all__ = ["PLAIN", "Paint"]


def _plain(text: str) -> str:
    return text


class Paint:
    """Gives every word back as it is; a terminal has one that paints."""

    name: Callable[[str], str] = staticmethod(_plain)
    type: Callable[[str], str] = staticmethod(_plain)
    place: Callable[[str], str] = staticmethod(_plain)
    good: Callable[[str], str] = staticmethod(_plain)
    bad: Callable[[str], str] = staticmethod(_plain)
    changed: Callable[[str], str] = staticmethod(_plain)
    aside: Callable[[str], str] = staticmethod(_plain)


PLAIN: Final = Paint()
