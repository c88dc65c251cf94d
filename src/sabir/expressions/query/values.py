"""Values as expressions see them: plain data, marked data, things that know more than one face, and "no match"."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum, IntEnum
from typing import Any, Final, final

from sabir.graph.values import UNKNOWN, Sensitive, Unknown, find_unknown_names, reveal_value
from sabir.text import REDACTED


@final
class Missing(Enum):
    """No match. A value of its own, so that null can be a match and nothing has to be raised."""

    MISSING = "missing"

    def __bool__(self) -> bool:
        return False


MISSING: Final = Missing.MISSING


class InstanceStatus(IntEnum):
    """How an instance fares (the values of Unfurl's status)."""

    unknown = 0
    ok = 1
    degraded = 2
    error = 3
    pending = 4
    absent = 5


class NodeState(IntEnum):
    """Where an instance is in its life (TOSCA's node states)."""

    initial = 1
    creating = 2
    created = 3
    configuring = 4
    configured = 5
    starting = 6
    started = 7
    stopping = 8
    stopped = 9
    deleting = 10
    deleted = 11
    error = 12


class External:
    """A value that stands for something outside, as a file: a result by itself, and keys to select from it."""

    __slots__ = ()

    @abstractmethod
    def get(self, key: str) -> object:
        """The value under a key, or MISSING."""

    @abstractmethod
    def result(self) -> object:
        """What it is when nothing was selected from it."""


PENDING: Final = object()


def cache_value(ready: dict[Any, Any], key: Any, compute: Callable[[], Any]) -> Any:
    """Compute a value and keep it. Meanwhile `PENDING` stands for it, or a list of which an item may read the others."""
    ready[key] = PENDING
    try:
        value = compute()
        if type(value) is LazyList:
            ready[key] = value
            value = value.compute_all()
    except BaseException:
        del ready[key]
        raise
    ready[key] = value
    return value


class LazyMap(Mapping[str, Any]):
    """A mapping that holds expressions: an item is computed when it is first asked for, then kept."""

    __slots__ = ("_circle", "_items", "_ready")

    def __init__(
        self,
        items: Mapping[Any, Any | Callable[[], Any]],
        ready: dict[Any, Any],
        circle: Callable[[Any], Any] = lambda _key: None,
    ) -> None:
        self._items: Mapping[Any, Callable[[], Any]] = items
        self._ready = ready
        self._circle = circle
        """What an item is that needs itself."""

    def __getitem__(self, key: Any) -> Any:
        value = self._ready.get(key, MISSING)
        if value is MISSING:
            value = cache_value(self._ready, key, self._items[key])
        return self._circle(key) if value is PENDING else value

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"LazyMap({list(self._items)!r})"


class LazyList(list[Any]):
    """A list that holds expressions, while it is computed: an item may read the others.

    Whoever keeps a value keeps this one first and what `computed` gives afterwards.
    """

    __slots__ = ("_circle", "_thunks")

    def __init__(
        self, items: Iterable[Any], thunks: dict[int, Callable[[], Any]], circle: Callable[[int], Any]
    ) -> None:
        super().__init__(items)
        self._thunks = thunks
        self._circle = circle

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.compute_all()[index]
        position = index + len(self) if index < 0 else index
        thunk = self._thunks.pop(position, None)
        if thunk is not None:
            self[position] = PENDING
            try:
                self[position] = value = thunk()
                if type(value) is LazyList:
                    self[position] = value.compute_all()
            except BaseException:
                self._thunks[position] = thunk
                raise
        value = list.__getitem__(self, position)
        return self._circle(position) if value is PENDING else value

    def __iter__(self) -> Iterator[Any]:
        return (self[position] for position in range(len(self)))

    def compute_all(self) -> list[Any]:
        return [self[position] for position in range(len(self))]


def single_value(matches: list[Any]) -> Any:
    """Single mode: no match is null, one match is itself, several are the list of them."""
    if len(matches) == 1:
        return matches[0]
    return matches or None


def plain_value(value: Any) -> Any:
    """The value with everything in it computed: lazy maps become dicts, files their paths. Marks stay."""
    kind = type(value)
    if kind is str or kind is int or value is None or kind is bool or kind is float:
        return value
    if kind is dict:
        return {key: plain_value(item) for key, item in value.items()}
    if kind is list or kind is tuple or kind is LazyList:
        return [plain_value(item) for item in value]
    if kind is Sensitive:
        return mark_sensitive(plain_value(value.value))
    if isinstance(value, External):
        return plain_value(value.result())
    if isinstance(value, Mapping):
        return {key: plain_value(item) for key, item in value.items()}
    return value


def mark_sensitive(value: Any) -> Sensitive:
    """The value marked as sensitive, once."""
    return value if isinstance(value, Sensitive) else Sensitive(value)


def is_sensitive(value: Any) -> bool:
    """Whether the value or any part of it is marked."""
    if isinstance(value, Sensitive):
        return True
    if isinstance(value, Mapping):
        return any(is_sensitive(item) for item in value.values())
    if isinstance(value, list | tuple):
        return any(is_sensitive(item) for item in value)
    return False


def holds_unknown(value: Any) -> bool:
    """Whether the value, or an item of a list of values, is not known yet."""
    if isinstance(value, Sensitive):
        return holds_unknown(value.value)
    if isinstance(value, list | tuple):
        return any(holds_unknown(item) for item in value)
    return isinstance(value, Unknown)


def build_unknown(value: Any) -> Unknown:
    """What is computed from values that are not known yet, with the names of these for people."""
    names = dict.fromkeys(name.lstrip("/").replace("|", ".") for name in find_unknown_names(value))
    return Unknown(why=f"it rests on {', '.join(names)}") if names else UNKNOWN


def reveal_deep(value: Any) -> Any:
    """The value without any mark in it, for those who compute with it."""
    if not is_sensitive(value):
        return value
    value = reveal_value(value)
    if isinstance(value, Mapping):
        return {key: reveal_deep(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [reveal_deep(item) for item in value]
    return value


def redact_value(value: Any) -> Any:
    """The value as it may be written down: every marked part is `<<REDACTED>>`."""
    if isinstance(value, Sensitive):
        return REDACTED
    if isinstance(value, Mapping):
        return {key: redact_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [redact_value(item) for item in value]
    return value
