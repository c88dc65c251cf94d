"""All objects of a run: derived ids, attributes, the store by id, and comparison with the last run.

An object without an id in the model gets a derived one, which is the same in every run and independent of
unrelated changes. An object that is the only value of a property is identified by its class, its owner and
that property. One of several in a list or mapping, and one that code creates, is identified by its name or
else by its content, never by its index. An object that code creates is also identified by the targets of the
running assignments: `$.second: new(Node)` is the second node, whatever is created before it. A name that
others in the list share does not count. Only objects that agree in all of this, and so cannot be told apart,
are numbered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakValueDictionary

from sabir.graph.address import digest_text
from sabir.languages.muranopl.model.definitions import ObjectDefinition
from sabir.languages.muranopl.model.objects import MuranoObject, unwrap_object

if TYPE_CHECKING:
    from sabir.languages.muranopl.model.classes import MuranoClass


class AttributeStore:
    """Values that code attaches to objects with `setAttr`, by object, owning class and name.

    They are stored next to the model between runs.
    """

    def __init__(self) -> None:
        self._values: dict[tuple[str, str, str], Any] = {}

    def keep_in(self, values: dict[tuple[str, str, str], Any]) -> None:
        """Store the attributes in another dictionary, such as one that a recorder watches."""
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
        """Return rows of object id, class, name and value."""
        return [[*key, value] for key, value in self._values.items()]


def same_value(value: Any, written: Any) -> bool:
    """Tell whether a value equals what the model holds; an object is compared by its id."""
    if isinstance(value, MuranoObject):
        if isinstance(written, Mapping):
            header = written.get("?")
            return isinstance(header, Mapping) and header.get("id") == value.id
        return bool(written == value.id)
    if isinstance(value, list) and isinstance(written, list):
        return len(value) == len(written) and all(map(same_value, value, written))
    if isinstance(value, Mapping) and isinstance(written, Mapping):
        return value.keys() == written.keys() and all(same_value(value[key], written[key]) for key in value)
    return bool(value == written)


Slot = tuple[str, Any]
"""The property for which objects are made at the moment, and its value in the model."""

MadeFor = tuple[Any, str] | None
"""Targets of assignments, each as (those around it, its text)."""

_MOST_VALUES: Final = 1_000
_ATOMS: Final = (str, int, float, bool, type(None))


class Identities:
    """Generates ids, each only once."""

    __slots__ = ("_counts", "_is_taken", "_names")

    def __init__(self, is_taken: Callable[[str], bool]) -> None:
        self._counts: dict[str, int] = {}
        self._is_taken = is_taken
        self._names: dict[int, tuple[Any, Counter[str]]] = {}
        """How often each name is in the value of a slot, by the value's `id`."""

    def of(
        self,
        definition: ObjectDefinition,
        owner: MuranoObject | None,
        slot: Slot | None,
        raw: Mapping[Any, Any],
        made_for: MadeFor = None,
    ) -> str:
        words = [definition.cls.name, "" if owner is None else owner.id]
        is_alone = False
        if slot is not None:
            words.append(slot[0])
            is_alone = slot[1] is raw
        if definition.name is not None:
            words += ("name", definition.name)
            is_alone = slot is None or is_alone or self._siblings(slot[1])[definition.name] < 2
        if not is_alone:
            words += _content_tokens(definition.properties)
            words += _describe_targets(made_for)
        return self.unique(_long_digest(words))

    def _siblings(self, value: Any) -> Counter[str]:
        held = self._names.get(id(value))
        if held is None:
            # The value is kept alive so that its `id` is not reused.
            held = self._names[id(value)] = (value, Counter(_names_in(value)))
        return held[1]

    def has_made(self, id_: str) -> bool:
        return id_ in self._counts

    def unique(self, id_: str) -> str:
        """Return the id, or a variant numbered by how often it was requested before."""
        candidate = id_
        while True:
            number = self._counts[id_] = self._counts.get(id_, 0) + 1
            if number > 1:
                candidate = _long_digest([id_, str(number)])
                self._counts.setdefault(candidate, 1)
            if not self._is_taken(candidate):
                return candidate


def _names_in(value: Any) -> Iterator[str]:
    """Return the names of definitions in a list or mapping of a model."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list | tuple):
            waiting.extend(item)
        elif isinstance(item, Mapping):
            header = item.get("?")
            if isinstance(header, Mapping):
                yield str(header.get("name"))
            else:
                waiting.extend(item.values())


def _describe_targets(made_for: MadeFor) -> Iterator[str]:
    while made_for is not None:
        made_for, target = made_for
        yield f"for {target}"


def _long_digest(words: list[str]) -> str:
    # As long as the ids that the original engine generates.
    return digest_text(*words, size=16)


def _content_tokens(properties: Mapping[Any, Any]) -> list[str]:
    """Return the content of an object as tokens, independent of the order of keys. The first thousand values
    suffice.
    """
    words: list[str] = []
    waiting: list[Any] = [properties]
    while waiting and len(words) < _MOST_VALUES:
        value = unwrap_object(waiting.pop())
        if isinstance(value, Mapping):
            words.append("{")
            for key, item in sorted(((str(key), item) for key, item in value.items()), key=_pair_key):
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


def _pair_key(pair: tuple[str, Any]) -> str:
    return pair[0]


class ObjectStore:
    """Objects by id.

    Objects of the model are held strongly, and so are created ones whose destruction is an event: they are
    destroyed when a collection finds them unreachable. All others live as long as code refers to them.
    """

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
        """Hold an object strongly because its destruction must be noticed."""
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
