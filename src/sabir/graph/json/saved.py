"""Instances of a saved graph, decoded on first use.

Most commands that load a graph use few of its instances. The fields that identify an instance are read at once; its
content stays in the line of the file until an attribute is read. Every line was validated when the graph was loaded,
so decoding it later cannot fail.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import force_setattr

from sabir.graph.edges import PLAIN_EDGES, edge_kinds
from sabir.graph.graph import Instance
from sabir.graph.json.values import decode_value, has_words, origin_of, origins_of
from sabir.graph.origin import Origin
from sabir.graph.record import Record, RecordLayout
from sabir.graph.values import Value

_NULL: Final = msgspec.Raw(b"null")
_EMPTY: Final = msgspec.Raw(b"{}")
_NESTED: Final = frozenset({dict, list})
_LATE: Final = frozenset({"attributes", "relations", "requires", "origin", "origins"})


class _Content(msgspec.Struct, gc=False):
    attributes: dict[str, Any] = {}
    relations: dict[str, tuple[str, ...]] = {}
    requires: tuple[str, ...] = ()
    origin: msgspec.Raw = _NULL
    origins: msgspec.Raw = _EMPTY


_decode = msgspec.json.Decoder(_Content).decode


class _Layouts(dict[tuple[str, ...], RecordLayout]):
    def __missing__(self, keys: tuple[str, ...]) -> RecordLayout:
        self[keys] = layout = RecordLayout(keys)
        return layout


class _OneOrigin(dict[bytes, Origin | None]):
    def __missing__(self, text: bytes) -> Origin | None:
        data = msgspec.json.decode(text)
        self[text] = origin = None if data is None else origin_of(data, "origin")
        return origin


class _Origins(dict[bytes, Record[Origin]]):
    def __missing__(self, text: bytes) -> Record[Origin]:
        self[text] = record = origins_of(msgspec.json.decode(text), "origins")
        return record


class InternTable:
    """Objects that the instances of one graph share: strings, layouts, and origins by their saved text."""

    __slots__ = ("layout", "origin", "origins", "word")

    def __init__(self) -> None:
        self.word = dict[str, str]().setdefault
        self.layout = _Layouts()
        self.origin = _OneOrigin()
        self.origins = _Origins()


class SavedInstance(Instance, frozen=True, eq=False, kw_only=True):
    """An instance whose content is still encoded in its line; the fields of the content stay unset until then."""

    line: msgspec.Raw | None
    shared: InternTable

    def __getattr__(self, name: str) -> Any:
        """Decode the content when an unset field is read; Python calls this only for missing attributes."""
        if name not in _LATE or self.line is None:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self
            )
        self.read()
        return getattr(self, name)

    def __repr__(self) -> str:
        return f"SavedInstance(id={self.id!r}, type={self.type!r}, name={self.name!r})"

    def read(self) -> None:
        """Decode the content and release the line."""
        if self.line is None:
            return
        content, shared = _decode(self.line), self.shared
        attributes, relations = content.attributes, content.relations
        requires, word = content.requires, shared.word
        values: Iterable[Value] = attributes.values()
        if not _NESTED.isdisjoint(map(type, values)) and has_words(bytes(self.line)):
            values = map(decode_value, values)
        targets = [tuple(map(word, ids, ids)) for ids in relations.values()]
        force_setattr(self, "attributes", Record(shared.layout[tuple(attributes)], tuple(values)))
        force_setattr(self, "relations", Record(shared.layout[tuple(relations)], tuple(targets)))
        force_setattr(self, "requires", tuple(map(word, requires, requires)) if requires else ())
        force_setattr(self, "origin", shared.origin[bytes(content.origin)])
        force_setattr(self, "origins", shared.origins[bytes(content.origins)])
        force_setattr(self, "line", None)


def build_saved_instance(head: Any, line: msgspec.Raw, shared: InternTable) -> SavedInstance:
    """Create an instance from its identifying fields; call `clear_content` before its content is read."""
    word, owner, status, kinds = shared.word, head.owner, head.status, head.kinds
    return SavedInstance(
        id=head.id,
        type=word(head.type, head.type),
        language=word(head.language, head.language),
        name=head.name,
        owner=None if owner is None else word(owner, owner),
        status=None if status is None else word(status, status),
        kinds=edge_kinds(kinds.owner, tuple(kinds.relations.items())) if kinds else PLAIN_EDGES,
        library=head.library,
        line=line,
        shared=shared,
    )


def clear_content(instances: Sequence[SavedInstance]) -> None:
    """Unset the content fields of all instances, field by field, which is three times as fast.

    An unset field makes Python call `__getattr__`; once it is set, reading it has no extra cost. A frozen struct
    allows to unset a field only through its descriptor.
    """
    for name in _LATE:
        deque(map(getattr(Instance, name).__delete__, instances), maxlen=0)
