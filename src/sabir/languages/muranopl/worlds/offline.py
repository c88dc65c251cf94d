"""The world of a run without a cloud, and the world that records effects.

Without a cloud, queries get invented results and changes are rejected. The recorded world lists every effect
in order and has another world perform it.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from sabir.languages.muranopl.worlds.effects import (
    Branch,
    EffectKind,
    EffectRequest,
    NotConnectedError,
    ProgramReport,
    World,
)
from sabir.languages.muranopl.worlds.simulated import SimulatedWorld


class RecordedWorld:
    """`events` are the effects that change something, and the lines that the program reported, in order."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.events: list[EffectRequest | ProgramReport] = []

    def perform(self, effect: EffectRequest) -> Any:
        self._note(effect)
        return self._world.perform(effect)

    def begin(self, effect: EffectRequest) -> Callable[[], Any]:
        self._note(effect)
        return self._world.begin(effect)

    def _note(self, effect: EffectRequest) -> None:
        if not effect.kind.only_looks:
            # Templates may be changed after a push; the recorded copy must not.
            self.events.append(replace(effect, arguments=copy.deepcopy(dict(effect.arguments))))

    def open_branches(self, parent: Branch, group: int, size: int) -> None:
        self._world.open_branches(parent, group, size)

    def report(self, report: ProgramReport) -> None:
        self.events.append(report)
        self._world.report(report)


_UNHEARD: Final = (EffectKind.TRACK, EffectKind.UNTRACK)
"""What is only said to others; nobody listens."""


class UnconnectedWorld:
    """The world for loading models without a cloud: constructors may query networks, but nothing can be changed."""

    def __init__(self) -> None:
        self._simulated = SimulatedWorld(random_numbers=random.SystemRandom())

    def perform(self, effect: EffectRequest) -> Any:
        if effect.kind in _UNHEARD:
            return None
        if not effect.kind.only_looks:
            raise NotConnectedError(effect.kind)
        return self._simulated.perform(effect)

    def begin(self, effect: EffectRequest) -> Callable[[], Any]:
        answer = self.perform(effect)
        return lambda: answer

    def open_branches(self, parent: Branch, group: int, size: int) -> None:
        """Do nothing: without a journal, branches need no separate sequences."""

    def report(self, report: ProgramReport) -> None:
        """Do nothing: the run itself displays the reports of its program."""
