"""What no target of an environment does is refused before anything is begun, so that its outcome is never in doubt."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from sabir.languages.muranopl.worlds.effects import Branch, Effect, EffectKind, Report, World, WorldFailure

__all__ = ["ServedEffects", "target_hint"]

_NAME: Final = "NoTargetException"
_AGENTS: Final = (EffectKind.AGENT_CALL, EffectKind.AGENT_SEND)
_STACKS: Final = (EffectKind.STACK_READ, EffectKind.STACK_DELETE)


def target_hint(kinds: Collection[EffectKind]) -> str:
    """What to write into sabir.yaml, so that effects of these kinds are done."""
    broker = "plans go to agents through `driver: amqp`"
    cloud = "name one in sabir.yaml: `driver: openstack-heat`, or `driver: machines` for hosts that are there"
    if all(kind in _AGENTS for kind in kinds):
        return f"{broker}: name one in sabir.yaml"
    return f"{cloud}; {broker}" if any(kind in _AGENTS for kind in kinds) else cloud


class ServedEffects:
    """`served` are the kinds that somebody does; `stacks` are those that the last deployment left, by region and name."""

    def __init__(self, world: World, served: Collection[EffectKind], stacks: Mapping[str, Any]) -> None:
        self._world = world
        self._served = served
        self._stacks = stacks

    def perform(self, effect: Effect) -> Any:
        return self.begin(effect)()

    def begin(self, effect: Effect) -> Callable[[], Any]:
        if effect.kind in self._served:
            return self._world.begin(effect)
        if effect.kind in _STACKS and self._key(effect) not in self._stacks:
            return lambda: None  # nothing can have made it
        raise WorldFailure(_NAME, f"no target does {effect.kind.value}: {target_hint((effect.kind,))}")

    def open_branches(self, parent: Branch, group: int, size: int) -> None:
        self._world.open_branches(parent, group, size)

    def report(self, report: Report) -> None:
        self._world.report(report)

    @staticmethod
    def _key(effect: Effect) -> str:
        return json.dumps([effect.arguments.get("region") or "", effect.arguments.get("stack")])
