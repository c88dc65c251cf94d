"""Step outputs during a deployment, with a change log, so that readers process only what changed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from sabir.graph.values import Value


class Mark(Struct, frozen=True, eq=False):
    """How far a reader has followed the changes."""

    log: list[str]
    position: int


class TrackedValues(Mapping[str, Value]):
    """Values by the text of an attribute's address, with the changes since a mark."""

    @abstractmethod
    def changes_since(self, mark: Mark | None) -> tuple[Iterable[str] | None, Mark | None]:
        """Return the names that were set or forgotten since a mark, and a new mark. None as names: all may
        have changed."""


class ObservedValues(TrackedValues):
    """Step outputs that grow during a deployment."""

    def __init__(self, values: Mapping[str, Value] | None = None) -> None:
        self._values: dict[str, Value] = dict(values or {})
        self._log: list[str] = []

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def note(self, name: str, value: Value) -> None:
        """Set a value and log the change."""
        self._values[name] = value
        self._log.append(name)

    def forget(self, name: str) -> None:
        """Remove a value and log the change, if it exists."""
        if self._values.pop(name, self) is not self:
            self._log.append(name)

    def changes_since(self, mark: Mark | None) -> tuple[Iterable[str] | None, Mark | None]:
        now = Mark(self._log, len(self._log))
        if mark is None or mark.log is not self._log:
            return None, now
        return dict.fromkeys(self._log[mark.position :]), now
