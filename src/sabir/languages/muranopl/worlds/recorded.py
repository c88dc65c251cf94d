"""The recorded world: every effect is written down in its order, and another world answers it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from sabir.languages.muranopl.worlds.effects import Branch, Effect, Report, World

__all__ = ["RecordedWorld"]


class RecordedWorld:
    """`events` are the effects that change something, and the lines that the program told, in order."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.events: list[Effect | Report] = []

    def perform(self, effect: Effect) -> Any:
        self._note(effect)
        return self._world.perform(effect)

    def begin(self, effect: Effect) -> Callable[[], Any]:
        self._note(effect)
        return self._world.begin(effect)

    def _note(self, effect: Effect) -> None:
        if not effect.kind.only_looks:
            # Templates grow on after they are pushed; what is written down must not.
            self.events.append(replace(effect, arguments=copy.deepcopy(dict(effect.arguments))))

    def open_branches(self, parent: Branch, group: int, size: int) -> None:
        self._world.open_branches(parent, group, size)

    def report(self, report: Report) -> None:
        self.events.append(report)
        self._world.report(report)
