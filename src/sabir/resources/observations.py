"""What steps gave back, while more and more comes: whoever follows it is told what changed, and need not look at the rest."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from sabir.graph.values import Value


class Mark(Struct, frozen=True, eq=False):
    """How far somebody has followed."""

    log: list[str]
    position: int


class TrackedValues(Mapping[str, Value]):
    """Values by the text of an attribute's address."""

    @abstractmethod
    def changes_since(self, mark: Mark | None) -> tuple[Iterable[str] | None, Mark | None]:
        """The names that were set or forgotten since then, and the mark of now. None: all may be others."""


class ObservedValues(TrackedValues):
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
        self._values[name] = value
        self._log.append(name)

    def forget(self, name: str) -> None:
        if self._values.pop(name, self) is not self:
            self._log.append(name)

    def changes_since(self, mark: Mark | None) -> tuple[Iterable[str] | None, Mark | None]:
        now = Mark(self._log, len(self._log))
        if mark is None or mark.log is not self._log:
            return None, now
        return dict.fromkeys(self._log[mark.position :]), now
