"""Variables of templates that note which settings are read.

A mapping notes the setting that is taken from it. A list counts as read when it is taken, with all its scalars: what Jinja2
and its filters do to a list cannot be watched. Mappings inside of it are watched on their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sabir.provenance import Computing

__all__ = ["MAPPING", "VARIABLES", "Path", "Setting", "WatchedSettings", "first_leaf"]

VARIABLES: Final = "variables"
MAPPING: Final = "mapping"
"""The owners of settings, each with the named instance of a service that has them; None is the deployment itself."""

Path = tuple[str | int, ...]
Setting = tuple[Any, Path]
"""A cell of the recorder: whose variables they are, and the way to the value among them."""


class WatchedSettings(dict[str, Any]):
    """A mapping of the configuration that tells what is read."""

    __slots__ = ("computing", "owner", "path")

    def __init__(self, computing: Computing, owner: object, path: Path, values: Mapping[str, Any]) -> None:
        self.computing = computing
        self.owner = owner
        self.path = path
        super().__init__({key: self._inside(value, (*path, key)) for key, value in values.items()})

    def _inside(self, value: Any, path: Path) -> Any:
        if isinstance(value, Mapping):
            return WatchedSettings(self.computing, self.owner, path, value)
        if isinstance(value, list):
            return [self._inside(item, (*path, position)) for position, item in enumerate(value)]
        return value

    def note(self, key: str) -> None:
        """A value is read: all of it, but for the mappings in it."""
        self._note(super().get(key), (*self.path, key))

    def _note(self, value: Any, path: Path) -> None:
        if isinstance(value, list) and value:
            for position, item in enumerate(value):
                if isinstance(item, dict):  # that there is one counts; what it holds is noted when it is read
                    self._seen((*path, position, *first_leaf(item)))
                else:
                    self._note(item, (*path, position))
        elif not isinstance(value, dict) or not dict.__len__(value):
            self._seen(path)

    def _seen(self, path: Path) -> None:
        self.computing.reads.append((self.owner, path))

    def note_keys(self) -> None:
        """That there are these keys, and no others."""
        for key in super().__iter__():
            self.note_key(key)

    def note_key(self, key: str) -> None:
        self._seen((*self.path, key, *first_leaf(super().get(key))))

    def unwatched(self, key: str) -> Any:
        return super().get(key)

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        self.note(key)
        return value

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if super().__contains__(key) else default

    def __contains__(self, key: object) -> bool:
        is_there = super().__contains__(key)
        if is_there:
            self.note_key(str(key))
        return is_there

    def __iter__(self) -> Iterator[str]:
        self.note_keys()
        return super().__iter__()

    def keys(self) -> Any:
        self.note_keys()
        return super().keys()

    def values(self) -> Any:
        self._note_all()
        return super().values()

    def items(self) -> Any:
        self._note_all()
        return super().items()

    def _note_all(self) -> None:
        self.note_keys()
        for key in super().__iter__():
            self.note(key)

    def __len__(self) -> int:
        self.note_keys()
        return super().__len__()

    def __bool__(self) -> bool:
        return len(self) > 0

    def __eq__(self, other: object) -> bool:
        self._note_deep()
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __repr__(self) -> str:
        self._note_deep()
        return super().__repr__()

    __str__ = __repr__

    def copy(self) -> dict[str, Any]:
        return dict(self.items())

    def _note_deep(self) -> None:
        self._note_all()
        for value in super().values():
            for inner in value if isinstance(value, list) else (value,):
                if isinstance(inner, WatchedSettings):
                    inner._note_deep()


def first_leaf(value: Any) -> Path:
    """The way to the first value that holds no others: the line that says that there is something."""
    if isinstance(value, dict) and (key := next(dict.__iter__(value), None)) is not None:
        return (key, *first_leaf(dict.get(value, key)))
    if isinstance(value, list) and value:
        return (0, *first_leaf(value[0]))
    return ()
