"""Indexes: instances by their identifying values, and who waits for one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.interrupts import WaitForKey
from sabir.languages.inmanta.evaluate.values import Instance
from sabir.languages.inmanta.model.entities import IndexDef

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.engine import Activity, Engine

__all__ = ["Indexes", "hashable"]


def hashable(value: Any) -> Any:
    """A value as part of a key."""
    if isinstance(value, list):
        return ("list", *(hashable(item) for item in value))
    if isinstance(value, dict):
        return ("dict", *sorted((key, hashable(item)) for key, item in value.items()))
    # Two values that are not known yet need not be the same.
    return ("unknown", id(value)) if type(value) is Unknown else value


class Indexes:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._instances: dict[IndexDef, dict[Any, Instance]] = {}
        self._waiters: dict[IndexDef, dict[Any, list[Activity]]] = {}

    def get(self, index: IndexDef, key: Any) -> Instance | None:
        return self._instances.setdefault(index, {}).get(key)

    def need(self, index: IndexDef, key: Any) -> Instance:
        """The instance of a key; waits for it when there is none yet."""
        instance = self._instances.setdefault(index, {}).get(key)
        if instance is None:
            raise WaitForKey(index, self._waiters.setdefault(index, {}), key)
        return instance

    def add(self, index: IndexDef, key: Any, instance: Instance) -> None:
        self._instances.setdefault(index, {})[key] = instance
        waiters = self._waiters.get(index)
        if waiters:
            waiting = waiters.pop(key, None)
            if waiting:
                self.engine.wake(waiting)
