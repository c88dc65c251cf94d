"""Dictionaries of values that tell the tracker who reads and who writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sabir.languages.muranopl.evaluate.tracking.records import Cell, Initial, Record

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.classes import MuranoClass
    from sabir.languages.muranopl.evaluate.objects import MuranoObject
    from sabir.languages.muranopl.evaluate.tracking.tracker import Tracker

__all__ = ["Cells", "TrackedAttributes", "TrackedPrivate", "TrackedProperties", "TrackedStatics"]


class Cells:
    """The step that made each value of a dictionary, and when. Holds no value, so it keeps no object alive."""

    __slots__ = ("owner", "records", "title")

    def __init__(self, owner: str | None, title: str) -> None:
        self.owner = owner
        """The id of the object, where the values are its properties."""
        self.title = title
        self.records: dict[object, tuple[Record, int]] = {}


class _Tracked(dict[Any, Any]):
    __slots__ = ("cells", "tracker")

    def __init__(self, tracker: Tracker, owner: str | None, title: str) -> None:
        super().__init__()
        self.tracker = tracker
        self.cells = Cells(owner, title)

    def name_of(self, key: Any) -> str:
        """The name under which code that did not run would have written it."""
        return str(key)

    def __getitem__(self, key: Any) -> Any:
        value = super().__getitem__(key)
        self.tracker.read(self, key)
        return value

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self.tracker.written(self, key, value)

    def first(self, key: Any) -> Record | None:
        """The step of a value that nobody wrote."""
        del key
        return None


def title_of(object_: MuranoObject, tracker: Tracker) -> str:
    """What people call an object; one that code made without a name is one of its class."""
    if object_.name is not None:
        return object_.name
    return object_.id if object_.id in tracker.runtime.origins else object_.cls.name.rpartition(".")[2]


class TrackedProperties(_Tracked):
    """The properties of an object. A first value has no record until somebody reads it."""

    __slots__ = ("cls", "raw", "reads")

    def __init__(
        self,
        tracker: Tracker,
        object_: MuranoObject,
        raw: Mapping[Any, Any],
        reads: Mapping[str, Sequence[Record]],
    ) -> None:
        super().__init__(tracker, object_.id, title_of(object_, tracker))
        self.cls = object_.cls
        self.raw = raw
        self.reads = reads
        """What was read for each property that `new` gave."""

    def first(self, key: Any) -> Record | None:
        from sabir.languages.muranopl.evaluate.constants import same_value

        declaration = self.cls.members.get(key)
        if declaration is None:
            return None
        is_given = declaration.is_read and key in self.raw
        is_converted = is_given and not same_value(self.get(key), self.raw[key])
        return Initial(
            declaration,
            Cell(self.cells, key),
            object_id=self.cells.owner,
            is_converted=is_converted,
            owner=None if is_given else self.tracker.maker(str(self.cells.owner), self.cells.title),
        )


class TrackedPrivate(_Tracked):
    """What classes wrote without declaring it, by class and name."""

    __slots__ = ()

    def name_of(self, key: Any) -> str:
        return str(key[1])


class TrackedStatics(_Tracked):
    """The static properties of a class; a default is evaluated when one is read first."""

    __slots__ = ("cls",)

    def __init__(self, tracker: Tracker, cls: MuranoClass) -> None:
        super().__init__(tracker, None, cls.name.rpartition(".")[2])
        self.cls = cls

    def __missing__(self, key: Any) -> Any:
        declaration = self.cls.own_properties[key]
        with self.tracker.apart() as reads:
            value = declaration.initialise_static()
        first = Initial(declaration, Cell(self.cells, key), object_id=None, sources=reads, is_converted=False)
        self.cells.records[key] = (first, self.tracker.tick())
        return value


class TrackedAttributes(_Tracked):
    """The attributes of all objects, by object, class and name."""

    __slots__ = ()

    def name_of(self, key: Any) -> str:
        del key
        return "setAttr()"

    def get(self, key: Any, default: Any = None) -> Any:
        self.tracker.read(self, key)
        return super().get(key, default)

    def __setitem__(self, key: Any, value: Any) -> None:
        dict.__setitem__(self, key, value)
        self.tracker.attached(self, key)

    def pop(self, key: Any, *default: Any) -> Any:
        self.tracker.attached(self, key)
        return super().pop(key, *default)
