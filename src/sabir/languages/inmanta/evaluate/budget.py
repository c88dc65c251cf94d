"""The memory budget for the values of one model.

Doubling a string forty times takes one short line, so large values are counted. Small values are not:
they are bounded by the statements that create them.
"""

from __future__ import annotations

from typing import Final

from sabir.languages.inmanta.evaluate.writes import stop
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.text import Place

LIMIT: Final = inmanta_rule(
    "INM:E024",
    "the model asks for too much",
    "A bound that keeps an evaluation finite was reached: refinements that construct themselves without end, numbers "
    "or texts of absurd size.",
    when="evaluate",
)

LARGE_TEXT: Final = 100_000
LARGE_LIST: Final = 10_000
_LONGEST_TEXT: Final = 10_000_000
_LONGEST_LIST: Final = 1_000_000
_ALL_TEXTS: Final = 50_000_000
_ALL_ITEMS: Final = 5_000_000


class Budget:
    """Counts large values as they are created. Callers report only values above the size threshold."""

    __slots__ = ("_items", "_texts")

    def __init__(self) -> None:
        self._texts = 0
        self._items = 0

    def text(self, size: int, place: Place) -> None:
        if size > _LONGEST_TEXT:
            raise stop(LIMIT, f"a string of more than {_LONGEST_TEXT} characters", place)
        self._texts += size
        if self._texts > _ALL_TEXTS:
            message = f"the large strings of the model have more than {_ALL_TEXTS} characters together"
            raise stop(LIMIT, message, place)

    def items(self, size: int, place: Place) -> None:
        self.room(size, place)
        self._items += size
        if self._items > _ALL_ITEMS:
            message = f"the large lists of the model have more than {_ALL_ITEMS} items together"
            raise stop(LIMIT, message, place)

    def room(self, size: int, place: Place) -> None:
        """Raise if a growing list exceeds the budget before it is complete."""
        if size > _LONGEST_LIST:
            raise stop(LIMIT, f"a list of more than {_LONGEST_LIST} items", place)
