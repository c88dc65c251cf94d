"""The recorded world: every effect is written down in its order, and another world answers it."""

from __future__ import annotations

import copy
from typing import Any

from msgspec.structs import replace

from sabir.languages.muranopl.worlds.effects import Effect, Report, World

__all__ = ["RecordedWorld"]


class RecordedWorld:
    """`events` are the effects that change something, and the lines that the program told, in order."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.events: list[Effect | Report] = []

    @property
    def is_slow(self) -> bool:
        return self._world.is_slow

    def perform(self, effect: Effect) -> Any:
        if not effect.kind.only_looks:
            # Templates grow on after they are pushed; what is written down must not.
            self.events.append(replace(effect, arguments=copy.deepcopy(dict(effect.arguments))))
        return self._world.perform(effect)

    def report(self, report: Report) -> None:
        self.events.append(report)
        self._world.report(report)
