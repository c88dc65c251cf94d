"""Ids of objects that nobody gave one: the same in every run, whatever stands around the object.

Such an object is known by its class, its owner and the property that holds it alone. One of several in a list or a mapping, and
one that code makes, is known by its name or else by what it is made with, not by its number. Only of objects that agree in all of
this the second and later ones are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sabir.graph.address import digest
from sabir.languages.muranopl.model.definitions import Definition
from sabir.languages.muranopl.model.objects import MuranoObject, unwrapped

__all__ = ["Identities", "Slot"]

Slot = tuple[str, Any]
"""The property for which objects are made at the moment, and its value in the model."""

_MOST_VALUES: Final = 1_000
_ATOMS: Final = (str, int, float, bool, type(None))


class Identities:
    """Makes ids, none of them twice."""

    __slots__ = ("_counts", "_is_taken")

    def __init__(self, is_taken: Callable[[str], bool]) -> None:
        self._counts: dict[str, int] = {}
        self._is_taken = is_taken

    def of(
        self, definition: Definition, owner: MuranoObject | None, slot: Slot | None, raw: Mapping[Any, Any]
    ) -> str:
        words = [definition.cls.name, "" if owner is None else owner.id]
        if slot is not None:
            words.append(slot[0])
        if definition.name is not None:
            words += ("name", definition.name)
        elif slot is None or slot[1] is not raw:
            words += _content(definition.properties)
        return self.unique(_long_digest(words))

    def has_made(self, id_: str) -> bool:
        return id_ in self._counts

    def unique(self, id_: str) -> str:
        """The id, or one made from it and the number of those that were made from it before."""
        candidate = id_
        while True:
            number = self._counts[id_] = self._counts.get(id_, 0) + 1
            if number > 1:
                candidate = _long_digest([id_, str(number)])
                self._counts.setdefault(candidate, 1)
            if not self._is_taken(candidate):
                return candidate


def _long_digest(words: list[str]) -> str:
    # As long as the ids that the existing engine makes.
    return digest(*words, size=16)


def _content(properties: Mapping[Any, Any]) -> list[str]:
    """What an object is made with, as words. The order of keys tells nothing; the first thousand values tell enough."""
    words: list[str] = []
    waiting: list[Any] = [properties]
    while waiting and len(words) < _MOST_VALUES:
        value = unwrapped(waiting.pop())
        if isinstance(value, Mapping):
            words.append("{")
            for key, item in sorted(((str(key), item) for key, item in value.items()), key=_first):
                waiting += (item, key)
            words.append(str(len(value)))
        elif isinstance(value, list | tuple):
            words.append(f"[{len(value)}")
            waiting.extend(value[:_MOST_VALUES])
        elif isinstance(value, MuranoObject):
            words.append(value.id)
        else:
            words.append(repr(value) if isinstance(value, _ATOMS) else type(value).__name__)
    return words


def _first(pair: tuple[str, Any]) -> str:
    return pair[0]
