"""How much room the values of one model may take: doubling a text forty times is short to write.

Small values are not counted; they cost what the statements that make them cost.
"""

from __future__ import annotations

from typing import Final

from sabir.languages.inmanta import codes
from sabir.languages.inmanta.evaluate.writing import stop
from sabir.text import Place

__all__ = ["LARGE_LIST", "LARGE_TEXT", "Budget"]

LARGE_TEXT: Final = 100_000
LARGE_LIST: Final = 10_000
_LONGEST_TEXT: Final = 10_000_000
_LONGEST_LIST: Final = 1_000_000
_ALL_TEXTS: Final = 50_000_000
_ALL_ITEMS: Final = 5_000_000


class Budget:
    """Counts large values as they are made. Callers ask only for those above the bound of a large one."""

    __slots__ = ("_items", "_texts")

    def __init__(self) -> None:
        self._texts = 0
        self._items = 0

    def text(self, size: int, place: Place) -> None:
        if size > _LONGEST_TEXT:
            raise stop(codes.LIMIT, f"a string of more than {_LONGEST_TEXT} characters", place)
        self._texts += size
        if self._texts > _ALL_TEXTS:
            message = f"the large strings of the model have more than {_ALL_TEXTS} characters together"
            raise stop(codes.LIMIT, message, place)

    def items(self, size: int, place: Place) -> None:
        if size > _LONGEST_LIST:
            raise stop(codes.LIMIT, f"a list of more than {_LONGEST_LIST} items", place)
        self._items += size
        if self._items > _ALL_ITEMS:
            message = f"the large lists of the model have more than {_ALL_ITEMS} items together"
            raise stop(codes.LIMIT, message, place)

    def room(self, size: int, place: Place) -> None:
        """Refuse a list that grows before it is complete."""
        if size > _LONGEST_LIST:
            raise stop(codes.LIMIT, f"a list of more than {_LONGEST_LIST} items", place)
