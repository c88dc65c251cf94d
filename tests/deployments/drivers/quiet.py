"""Effects for kinds that are no programs."""

from __future__ import annotations

from sabir.resources.effects import Effect, Effects
from sabir.resources.outcome import Outcome

__all__ = ["NoEffects"]


class NoEffects:
    async def perform(self, effect: Effect) -> Outcome:
        raise AssertionError(f"this kind has no effects, but asked for {effect.kind}")

    def branch(self, name: str) -> Effects:
        return self

    def note(self, line: str) -> None:
        pass
