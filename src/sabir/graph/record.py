"""Read-only mappings whose keys are shared by all records of one layout.

A million instances of a few types have few distinct sets of keys. A dict each would cost 184 bytes and more; a record
costs its values and a reference to the layout.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from functools import lru_cache
from typing import Final, TypeVar

T = TypeVar("T", covariant=True)


class RecordLayout:
    """An ordered set of keys with their positions, shared by all records with these keys."""

    __slots__ = ("index", "keys")

    def __init__(self, keys: tuple[str, ...]) -> None:
        self.keys = keys
        self.index = {key: position for position, key in enumerate(keys)}


_shared_layout = lru_cache(maxsize=4096)(RecordLayout)


class Record(Mapping[str, T]):
    """An immutable mapping: a shared layout and one value per key."""

    __slots__ = ("layout", "row")

    layout: RecordLayout
    row: tuple[T, ...]

    def __init__(self, layout: RecordLayout, row: tuple[T, ...]) -> None:
        self.layout = layout
        self.row = row

    @staticmethod
    def of(mapping: Mapping[str, T]) -> Record[T]:
        """Return a record of a mapping; mappings with the same keys in the same order share a layout."""
        return Record(_shared_layout(tuple(mapping)), tuple(mapping.values()))

    def __getitem__(self, key: str) -> T:
        return self.row[self.layout.index[key]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.layout.keys)

    def __len__(self) -> int:
        return len(self.row)

    def __contains__(self, key: object) -> bool:
        return key in self.layout.index

    def keys(self) -> KeysView[str]:
        return self.layout.index.keys()

    def values(self) -> ValuesView[T]:
        return dict(zip(self.layout.keys, self.row, strict=True)).values()

    def items(self) -> ItemsView[str, T]:
        return dict(zip(self.layout.keys, self.row, strict=True)).items()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Record) and other.layout is self.layout:
            return self.row == other.row
        return Mapping.__eq__(self, other)

    def __hash__(self) -> int:
        # Equal records may have their keys in a different order, and values need not be hashable.
        return hash(frozenset(self.layout.keys))

    def __repr__(self) -> str:
        return f"Record({dict(self)!r})"


EMPTY_RECORD: Final[Record[object]] = Record(RecordLayout(()), ())
