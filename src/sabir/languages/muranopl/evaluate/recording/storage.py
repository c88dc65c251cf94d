"""Dictionaries of values that report reads and writes to the recorder, and steps of first values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sabir.languages.muranopl.evaluate.objects import same_value
from sabir.languages.muranopl.model.properties import PropertyDeclaration
from sabir.provenance import ProvenanceStep, ValueSource, WatchedDict
from sabir.provenance.steps import NOWHERE

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.recording.recorder import RunRecorder
    from sabir.languages.muranopl.model.classes import MuranoClass
    from sabir.languages.muranopl.model.objects import MuranoObject


class FirstValue(ProvenanceStep, eq=False, kw_only=True):
    """The step of the first value of a property: from the model or a default, then converted by the contract.

    Its site is resolved when the chain is displayed, because most first values are never asked about.
    """

    declaration: PropertyDeclaration
    object_id: str | None
    is_converted: bool
    giver: ProvenanceStep | None = None
    """What gave it, when code did; None: the model, or nobody."""
    maker: ProvenanceStep | None = None
    """What made the object, when nobody gave the value: then its class decides."""

    def sources(self) -> Iterator[ValueSource]:
        yield from self.reads
        if self.giver is not None:
            yield self.giver
        if self.maker is not None:
            yield self.maker


ANY_ATTRIBUTE = "setAttr()"
"""What code writes that calls `setAttr`, whichever attribute it is."""


class WatchedValues(WatchedDict):
    """A dictionary that reports reads and writes of its values to a recorder."""

    __slots__ = ("recorder",)

    def __init__(self, recorder: RunRecorder, owner: str | None, title: str) -> None:
        super().__init__(owner, title)
        self.recorder = recorder

    def was_read(self, key: Any) -> None:
        self.recorder.read(self, key)

    def was_written(self, key: Any, value: Any) -> None:
        self.recorder.record_write(self, key, value)

    def declaration(self, _key: Any) -> PropertyDeclaration | None:
        """Return the declaration whose contract converted a stored value."""
        return None


def title_of(object_: MuranoObject, recorder: RunRecorder) -> str:
    """Return the name of an object for people; an object that code created without a name is titled by its
    class.
    """
    if object_.name is not None:
        return object_.name
    return object_.id if object_.id in recorder.runtime.origins else object_.cls.name.rpartition(".")[2]


class WatchedProperties(WatchedValues):
    """The properties of an object. The step of a first value is created when it is first read."""

    __slots__ = ("cls", "raw", "reads")

    def __init__(
        self,
        recorder: RunRecorder,
        object_: MuranoObject,
        raw: Mapping[Any, Any],
        reads: Mapping[str, Sequence[ValueSource]],
    ) -> None:
        super().__init__(recorder, object_.id, title_of(object_, recorder))
        self.cls = object_.cls
        self.raw = raw
        self.reads = reads
        """What was read for each property that `new` gave."""

    def declaration(self, key: Any) -> PropertyDeclaration | None:
        return self.cls.members.get(key)

    def first(self, key: Any) -> ProvenanceStep | None:
        declaration = self.cls.members.get(key)
        if declaration is None:
            return None
        is_given = declaration.is_read and key in self.raw
        return FirstValue(
            NOWHERE,
            cell=(self.cells, key),
            declaration=declaration,
            object_id=self.cells.owner,
            is_converted=is_given and not same_value(self.get(key), self.raw[key]),
            maker=None if is_given else self.recorder.maker(str(self.cells.owner), self.cells.title),
        )


class WatchedPrivate(WatchedValues):
    """Undeclared properties that classes wrote, by class and name."""

    __slots__ = ()

    def target(self, key: Any) -> str:
        return str(key[1])


class WatchedStatics(WatchedValues):
    """The static properties of a class; a default is evaluated at the first read."""

    __slots__ = ("cls",)

    def __init__(self, recorder: RunRecorder, cls: MuranoClass) -> None:
        super().__init__(recorder, None, cls.name.rpartition(".")[2])
        self.cls = cls

    def declaration(self, key: Any) -> PropertyDeclaration | None:
        return self.cls.members.get(key)

    def __missing__(self, key: Any) -> Any:
        declaration = self.cls.own_properties[key]
        with self.recorder.state.apart() as reads:
            value = declaration.initialise_static()
        first = FirstValue(
            NOWHERE,
            tuple(dict.fromkeys(reads)),
            cell=(self.cells, key),
            declaration=declaration,
            object_id=None,
            is_converted=False,
        )
        self.cells.written[key] = (first, self.recorder.tick())
        return value


class WatchedAttributes(WatchedValues):
    """The attributes of all objects, by object, class and name."""

    __slots__ = ()

    def target(self, key: Any) -> str:
        del key
        return ANY_ATTRIBUTE

    def get(self, key: Any, default: Any = None) -> Any:
        self.recorder.read(self, key)
        return super().get(key, default)

    def was_written(self, key: Any, value: Any) -> None:
        del value
        self.recorder.record_attribute(self, key)

    def pop(self, key: Any, *default: Any) -> Any:
        self.recorder.record_attribute(self, key)
        return super().pop(key, *default)
