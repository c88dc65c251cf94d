"""Waiting statements by what they may write, and which open relation has to wait for which."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sabir.languages.inmanta.evaluate.interrupts import Wait, WaitForKey
from sabir.languages.inmanta.evaluate.values import Instance
from sabir.languages.inmanta.syntax import nodes

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.closing import Closing
    from sabir.languages.inmanta.evaluate.engine import Activity, Step

__all__ = ["Dependencies", "Key", "Writers", "assigned_slot"]

Key = tuple[Instance, int]
"""A property of an instance: the instance and its slot."""


class Writers:
    """Waiting statements by what they may write: a property, any property of a name, a variable."""

    def __init__(self) -> None:
        self.by_key: dict[Key, list[Activity]] = {}
        self.by_name: dict[str, list[Activity]] = {}
        self.by_variable: dict[tuple[int, int], list[Activity]] = {}

    def add(self, activity: Activity, promises: Iterable[Key | str]) -> None:
        for promise in promises:
            target: dict[Any, list[Activity]] = self.by_name if isinstance(promise, str) else self.by_key
            target.setdefault(promise, []).append(activity)
        slot = assigned_slot(activity.step)
        if slot is not None:
            self.by_variable.setdefault((id(activity.frame), slot), []).append(activity)

    def of_property(self, key: Key) -> list[Activity]:
        return self.by_key.get(key, []) + self.by_name.get(key[0].entity.by_slot[key[1]].name, [])

    def of_variable(self, wait: Wait) -> list[Activity]:
        return self.by_variable.get((id(wait.slots), wait.slot), [])


class Dependencies:
    """Which candidate has to wait for which: r needs s when a statement that may write r waits, in the end, for s."""

    def __init__(self, closing: Closing, candidates: list[Key]) -> None:
        self.closing = closing
        self.candidates = candidates
        self.wanted = set(candidates)
        self.parked = Writers()
        for activity in closing.engine.parked:
            self.parked.add(activity, activity.promises or ())

    def writers(self, key: Key) -> list[Activity]:
        activities = self.parked.of_property(key)
        for source in self.closing.sources_of(key):
            activities = activities + self.parked.by_key.get(source, [])
        return activities

    def needs(self, key: Key) -> set[Key]:
        needed: set[Key] = set()
        seen: set[int] = set()
        todo = self.writers(key)
        while todo:
            activity = todo.pop()
            if id(activity) in seen:
                continue
            seen.add(id(activity))
            wait = activity.wait
            # A lookup waits for an instance to be made, which names no relation that has to come first.
            if isinstance(wait, WaitForKey):
                continue
            if wait.owner is not None:
                cell = (wait.owner, wait.slot)
                if cell in self.wanted:
                    needed.add(cell)
                else:
                    todo += self.writers(cell)
            else:
                todo += self.parked.of_variable(wait)
        needed.discard(key)
        return needed

    def first(self) -> Key:
        """A candidate of a group that needs nothing outside itself, the most preferred one."""
        needs = {key: self.needs(key) for key in self.candidates}
        reach: dict[Key, set[Key]] = {}
        for key in self.candidates:
            seen: set[Key] = set()
            todo = [key]
            while todo:
                for other in needs.get(todo.pop(), ()):
                    if other not in seen:
                        seen.add(other)
                        todo.append(other)
            reach[key] = seen
        # What an earlier run closed too soon comes last, even when nothing else keeps it back.
        for key in self.candidates:
            if not self.closing.is_late(key) and all(key in reach.get(other, ()) for other in reach[key]):
                return key
        for key in self.candidates:
            if all(key in reach.get(other, ()) for other in reach[key]):
                return key
        return self.candidates[0]


def assigned_slot(step: Step) -> int | None:
    """The slot of the variable that a statement assigns, when it does."""
    node = step.node
    if isinstance(node, nodes.Assign) and isinstance(node.target, nodes.Name):
        return step.scope.names.get(node.target.name)
    return None
