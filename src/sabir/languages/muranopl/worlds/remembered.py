"""A world that remembers the stacks that were pushed, so that the next plan knows what there is without asking the cloud."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from sabir.languages.muranopl.worlds.effects import Branch, Effect, EffectKind, Report, World

__all__ = ["RememberedStacks"]

_PUSHES: Final = (EffectKind.STACK_CREATE, EffectKind.STACK_UPDATE)
_TELLING: Final = (EffectKind.STACK_READ, *_PUSHES)
_UNHEARD: Final = (EffectKind.TRACK, EffectKind.UNTRACK)
"""What is only said to others; nobody listens."""


class RememberedStacks:
    def __init__(self, world: World, stacks: Mapping[str, Any] | None = None) -> None:
        self._world = world
        self.stacks: dict[str, Any] = dict(stacks or {})

    def perform(self, effect: Effect) -> Any:
        return self.begin(effect)()

    def begin(self, effect: Effect) -> Callable[[], Any]:
        if effect.kind in _UNHEARD:
            return lambda: None
        ending = self._world.begin(effect)

        def ended() -> Any:
            answer = ending()
            self._remember(effect, answer)
            return answer

        return ended

    def _remember(self, effect: Effect, answer: Any) -> None:
        arguments = effect.arguments
        key = json.dumps([arguments.get("region") or "", arguments.get("stack")])
        if effect.kind in _PUSHES:
            template, parameters = arguments["template"], dict(arguments.get("parameters") or {})
            self.stacks[key] = {"template": copy.deepcopy(template), "parameters": parameters}
        elif effect.kind is EffectKind.STACK_DELETE:
            self.stacks.pop(key, None)
        if effect.kind in _TELLING and isinstance(answer, Mapping):
            self.stacks.setdefault(key, {"template": answer.get("template"), "parameters": {}})
            self.stacks[key]["outputs"] = copy.deepcopy(answer.get("outputs") or {})

    def open_branches(self, parent: Branch, group: int, size: int) -> None:
        self._world.open_branches(parent, group, size)

    def report(self, report: Report) -> None:
        self._world.report(report)

    def finish(self) -> None:
        """Nothing is left to be done."""
