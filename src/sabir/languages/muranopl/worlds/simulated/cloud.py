"""A cloud in memory: effects go to the service that they are for."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from sabir.languages.muranopl.worlds.effects import Branch, Effect, EffectKind, Report
from sabir.languages.muranopl.worlds.simulated.agents import Agents
from sabir.languages.muranopl.worlds.simulated.directory import Directory
from sabir.languages.muranopl.worlds.simulated.networks import Networks
from sabir.languages.muranopl.worlds.simulated.stacks import Stacks
from sabir.languages.muranopl.worlds.simulated.workflows import Workflows

__all__ = ["SimulatedWorld"]

Answer = Callable[[Mapping[str, Any]], Any]
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


class SimulatedWorld:
    """One cloud. `stacks` are what there is before the run, and what it leaves behind."""

    def __init__(
        self,
        description: Mapping[str, Any] | None = None,
        *,
        stacks: Stacks | None = None,
        random_numbers: random.Random | None = None,
    ) -> None:
        description = description or {}
        self.stacks = Stacks() if stacks is None else stacks
        self.stacks.describe(description.get("heat"))
        self._random = random_numbers or random.Random(0)  # the names of a dry run are the same in every one
        networks = Networks(description.get("neutron"))
        directory = Directory(description.get("keystone"), description.get("glance"))
        agents = Agents(description.get("agent"))
        workflows = Workflows(description.get("mistral"))
        self._answers: dict[EffectKind, Answer] = {
            EffectKind.STACK_READ: self.stacks.read,
            EffectKind.STACK_CREATE: self.stacks.create,
            EffectKind.STACK_UPDATE: self.stacks.update,
            EffectKind.STACK_DELETE: self.stacks.delete,
            EffectKind.AGENT_CALL: agents.call,
            EffectKind.NETWORK_LIST: networks.list,
            EffectKind.ROUTER_CREATE: networks.create_router,
            EffectKind.NAMESPACES: directory.namespaces,
            EffectKind.NAMESPACE_OBJECTS: directory.objects,
            EffectKind.USER: directory.user,
            EffectKind.PROJECT: directory.project,
            EffectKind.WORKFLOW_RUN: workflows.run,
            EffectKind.WORKFLOW_READ: workflows.read,
            EffectKind.RANDOM: self._name,
            EffectKind.CLOCK: lambda _arguments: time.time(),
        }

    def perform(self, effect: Effect) -> Any:
        answer = self._answers.get(effect.kind)
        return None if answer is None else answer(effect.arguments)

    def begin(self, effect: Effect) -> Callable[[], Any]:
        answer = self.perform(effect)
        return lambda: answer

    def open_branches(self, parent: Branch, group: int, size: int) -> None:
        """Turns are taken in memory; nothing has to be told apart."""

    def report(self, report: Report) -> None:
        """Nobody listens here."""

    def _name(self, arguments: Mapping[str, Any]) -> str:
        return "".join(self._random.choice(_LETTERS) for _ in range(arguments["length"]))
