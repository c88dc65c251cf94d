"""Attributes: values that code attaches to objects with `setAttr`, kept between runs beside the model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sabir.languages.muranopl.model.classes import MuranoClass
    from sabir.languages.muranopl.model.objects import MuranoObject

__all__ = ["AttributeStore"]


class AttributeStore:
    """By object, class that owns the attribute, and name."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str, str], Any] = {}

    def keep_in(self, values: dict[tuple[str, str, str], Any]) -> None:
        """Keep them in another dictionary: one that is watched."""
        self._values = values

    def get(self, object_: MuranoObject, owner: MuranoClass, name: str) -> Any:
        return self._values.get((object_.id, owner.name, name))

    def set(self, object_: MuranoObject, owner: MuranoClass, name: str, value: Any) -> None:
        key = (object_.id, owner.name, name)
        if value is None:
            self._values.pop(key, None)
        else:
            self._values[key] = value

    def forget(self, object_id: str) -> None:
        for key in [key for key in self._values if key[0] == object_id]:
            del self._values[key]

    def load(self, rows: Iterable[Any]) -> None:
        for row in rows:
            if isinstance(row, list | tuple) and len(row) == 4:
                self._values[str(row[0]), str(row[1]), str(row[2])] = row[3]

    def dump(self) -> list[list[Any]]:
        """Rows of object id, class, name and value."""
        return [[*key, value] for key, value in self._values.items()]
