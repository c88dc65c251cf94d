"""All objects of a run by id."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakValueDictionary

from sabir.languages.muranopl.model.objects import MuranoObject

__all__ = ["ObjectStore"]


class ObjectStore:
    """Objects of the model are kept, and so are those that code makes if their end is an event: somebody decides that nobody holds
    them any more, and then they are destroyed. Others live as long as somebody holds them."""

    __slots__ = ("_created", "_model")

    def __init__(self) -> None:
        self._model: dict[str, MuranoObject] = {}
        self._created: WeakValueDictionary[str, MuranoObject] = WeakValueDictionary()

    def add(self, object_: MuranoObject, *, is_model: bool) -> None:
        if is_model or object_.cls.destructors:
            self._model[object_.id] = object_
        else:
            self._created[object_.id] = object_

    def keep(self, object_: MuranoObject) -> None:
        """Somebody wants to hear of the end of an object: it must not go unseen."""
        self._model[object_.id] = object_
        self._created.pop(object_.id, None)

    def get(self, id_: str) -> MuranoObject | None:
        return self._model.get(id_) or self._created.get(id_)

    def forget(self, object_: MuranoObject) -> None:
        self._model.pop(object_.id, None)
        self._created.pop(object_.id, None)

    def __iter__(self) -> Iterator[MuranoObject]:
        yield from list(self._model.values())
        yield from list(self._created.values())

    def __len__(self) -> int:
        return len(self._model) + len(self._created)
