"""Dictionaries of values that tell a recorder who reads and who writes them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from typing import Any

from sabir.provenance.steps import Step

__all__ = ["Cells", "WatchedDict"]


class Cells:
    """The step that wrote each cell of one owner last, and when. Holds no value, so it keeps no object alive."""

    __slots__ = ("owner", "title", "written")

    def __init__(self, owner: str | None, title: str) -> None:
        self.owner = owner
        """The id of the instance, where the cells are its attributes."""
        self.title = title
        self.written: dict[Any, tuple[Step, int]] = {}


class WatchedDict(dict[Any, Any]):
    """Values with their cells. What reading and writing mean is for the language to say."""

    __slots__ = ("cells",)

    def __init__(self, owner: str | None, title: str) -> None:
        super().__init__()
        self.cells = Cells(owner, title)

    def __getitem__(self, key: Any) -> Any:
        value = super().__getitem__(key)
        self.was_read(key)
        return value

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self.was_written(key, value)

    @abstractmethod
    def was_read(self, key: Any) -> None:
        """Somebody read a value."""

    @abstractmethod
    def was_written(self, key: Any, value: Any) -> None:
        """Somebody stored a value."""

    def target(self, key: Any) -> Hashable:
        """What code that did not run would have written: what `Withheld` knows it by."""
        return str(key)

    def first(self, _key: Any) -> Step | None:
        """The step of a value that nobody wrote."""
        return None
