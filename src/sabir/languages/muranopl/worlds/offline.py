"""The world of a run that nothing is connected to: questions get answers that are made up, changes are refused.

The recorded world: every effect is written down in its order, and another world answers it.
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
    """`events` are the effects that change something, and the lines that the program told, in order."""

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
            # Templates grow on after they are pushed; what is written down must not.
            self.events.append(replace(effect, arguments=copy.deepcopy(dict(effect.arguments))))

    def open_branches(self, parent: Branch, group: int, size: int) -> None:
        self._world.open_branches(parent, group, size)

    def report(self, report: ProgramReport) -> None:
        self.events.append(report)
        self._world.report(report)


_UNHEARD: Final = (EffectKind.TRACK, EffectKind.UNTRACK)
"""What is only said to others; nobody listens."""


class UnconnectedWorld:
    """Models are loaded in it, so that they can be looked at without a cloud: constructors ask what networks there are."""

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
        """Turns are taken in memory; nothing has to be told apart."""

    def report(self, report: ProgramReport) -> None:
        """The run itself shows what its program reports."""
