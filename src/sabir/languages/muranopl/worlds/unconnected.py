"""The world of a run that nothing is connected to: questions get answers that are made up, changes are refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

from sabir.languages.muranopl.worlds.effects import Branch, Effect, EffectKind, Report, Unconnected
from sabir.languages.muranopl.worlds.simulated import SimulatedWorld

__all__ = ["UnconnectedWorld"]

_UNHEARD: Final = (EffectKind.TRACK, EffectKind.UNTRACK)
"""What is only said to others; nobody listens."""


class UnconnectedWorld:
    """Models are loaded in it, so that they can be looked at without a cloud: constructors ask what networks there are."""

    def __init__(self) -> None:
        self._simulated = SimulatedWorld(random_numbers=random.SystemRandom())

    def perform(self, effect: Effect) -> Any:
        if effect.kind in _UNHEARD:
            return None
        if not effect.kind.only_looks:
            raise Unconnected(effect.kind)
        return self._simulated.perform(effect)

    def begin(self, effect: Effect) -> Callable[[], Any]:
        answer = self.perform(effect)
        return lambda: answer

    def open_branches(self, parent: Branch, group: int, size: int) -> None:
        """Turns are taken in memory; nothing has to be told apart."""

    def report(self, report: Report) -> None:
        """The run itself shows what its program reports."""
