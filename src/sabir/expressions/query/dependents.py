"""Who has read what: after a change just those kept values are forgotten that rest on it.

A kept value is told by the dictionary that keeps it and its key there. Everything that is read while it is computed is noted as its
source: other kept values, and what comes from outside, which has a name. A value may be noted for more than it rests on, never for
less; then it is computed once more than needed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

OUTSIDE: Final = "outside"
"""The source of what can change without anybody saying so: files, programs, the time of day."""
Result = TypeVar("Result")


class IdentityDict(dict[Any, Any]):
    """A dictionary that is told apart as an object, whatever is in it."""

    __slots__ = ()
    __hash__ = object.__hash__  # type: ignore[assignment]  # a dictionary has none

    def __eq__(self, other: object) -> bool:
        return self is other


class TrackedCache(IdentityDict):
    """Values that are kept; to ask for one is to read it."""

    __slots__ = ("_dependents",)

    def __init__(self, dependents: Dependents) -> None:
        super().__init__()
        self._dependents = dependents

    def get(self, key: Any, default: Any = None) -> Any:
        self._dependents.read((self, key))
        return super().get(key, default)


class Dependents:
    """By source: the kept values that rest on it."""

    def __init__(self) -> None:
        self._readers: dict[Hashable, dict[tuple[IdentityDict, Any], None]] = {}
        self._reader: tuple[IdentityDict, Any] | None = None

    @property
    def is_computing(self) -> bool:
        """Whether something is computed that will be kept."""
        return self._reader is not None

    def read(self, source: Hashable) -> None:
        """What is being computed rests on this."""
        if self._reader is not None:
            self._readers.setdefault(source, {})[self._reader] = None

    def forget_with(self, source: Hashable, store: IdentityDict, key: Any) -> None:
        """A kept value rests on this."""
        self._readers.setdefault(source, {})[store, key] = None

    @contextmanager
    def track_computation(self, store: IdentityDict, key: Any) -> Generator[None]:
        before, self._reader = self._reader, (store, key)
        try:
            yield
        finally:
            self._reader = before

    def later(self, compute: Callable[[], Result]) -> Callable[[], Result]:
        """For a part of what is being computed: what it reads when it is computed later counts for the whole."""
        whole = self._reader

        def run() -> Result:
            before, self._reader = self._reader, whole
            try:
                return compute()
            finally:
                self._reader = before

        return compute if whole is None else run

    def edges(self) -> Iterator[tuple[Hashable, tuple[IdentityDict, Any]]]:
        """Each source with each kept value that was computed from it."""
        return ((source, reader) for source, readers in self._readers.items() for reader in readers)

    def invalidate(self, sources: Iterable[Hashable]) -> None:
        """Forget what rests on these, and what rests on that in turn."""
        waiting = list(sources)
        while waiting:
            readers = self._readers.pop(waiting.pop(), ())
            for reader in readers:
                store, key = reader
                store.pop(key, None)
                waiting.append(reader)
