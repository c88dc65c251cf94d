"""The world of a deployment: every effect goes through the journal of the deploy engine, which lets a driver do it.

The engine keys effects by their place in the sequence, with a sequence of its own for every branch. A program that is run again after a
crash gets what is recorded and does nothing twice. For that it must ask for the same effects in the same order: branches are opened
when their group begins, whoever of them asks first; they take turns in counted time, not in the time that effects happen to take; the
clock, pauses and random names are effects like any other.

The program runs in a thread beside the event loop of the engine; this is the only place where the two meet.

A world that remembers the stacks that were pushed, so that the next plan knows what there is without asking the cloud.

What no target of an environment does is refused before anything is begun, so that its outcome is never in doubt.
"""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Final

from sabir.graph.secrets import Secrets
from sabir.graph.values import reveal_all
from sabir.languages.muranopl.worlds.effects import (
    Branch,
    EffectKind,
    EffectRequest,
    ProgramReport,
    World,
    WorldFailure,
)
from sabir.resources.effects import ANSWER, FAILURE
from sabir.resources.effects import Effect as Call

if TYPE_CHECKING:
    from sabir.resources.effects import Effects
    from sabir.resources.outcome import Outcome


class JournalledWorld:
    """`loop` is the one that `effects` belongs to; `targets` says who does effects of a kind, when it is not the driver of the
    program; `secrets` are kept out of the journal."""

    def __init__(
        self,
        effects: Effects,
        loop: asyncio.AbstractEventLoop,
        *,
        targets: Mapping[EffectKind, str] | None = None,
        secrets: Secrets | None = None,
    ) -> None:
        self._branches: dict[Branch, Effects] = {(): effects}
        self._loop = loop
        self._targets = targets or {}
        self._secrets = secrets or Secrets(())

    def open_branches(self, parent: Branch, group: int, size: int) -> None:
        effects = self._branches[parent]
        for number in range(1, size + 1):
            self._branches[*parent, (group, number)] = effects.branch(f"{group}-{number}")

    def perform(self, effect: EffectRequest) -> Any:
        return self.begin(effect)()

    def begin(self, effect: EffectRequest) -> Callable[[], Any]:
        arguments = dict(effect.arguments)
        call = Call(
            kind=effect.kind.value,
            arguments={name: self._secrets.mark_sensitive(value) for name, value in arguments.items()},
            target=self._targets.get(effect.kind),
            timeout=arguments.get("timeout"),
        )
        asked = asyncio.run_coroutine_threadsafe(self._branches[effect.branch].perform(call), self._loop)
        return lambda: _effect_response(asked.result())

    def report(self, report: ProgramReport) -> None:
        source = f"{report.source}: " if report.source else ""
        self.note(f"{source}{report.line}", report.branch)

    def note(self, line: str, branch: Branch = ()) -> None:
        """A line for whoever watches the deployment."""
        self._loop.call_soon_threadsafe(self._branches[branch].note, self._secrets.redact(line))


def _effect_response(outcome: Outcome) -> Any:
    if outcome.failed:
        raise WorldFailure(str(outcome.results.get(FAILURE) or "OSError"), outcome.message or "")
    return reveal_all(outcome.results.get(ANSWER))


_PUSHES: Final = (EffectKind.STACK_CREATE, EffectKind.STACK_UPDATE)
_TELLING: Final = (EffectKind.STACK_READ, *_PUSHES)
_UNHEARD: Final = (EffectKind.TRACK, EffectKind.UNTRACK)
"""What is only said to others; nobody listens."""


class RememberedStacks:
    def __init__(self, world: World, stacks: Mapping[str, Any] | None = None) -> None:
        self._world = world
        self.stacks: dict[str, Any] = dict(stacks or {})

    def perform(self, effect: EffectRequest) -> Any:
        return self.begin(effect)()

    def begin(self, effect: EffectRequest) -> Callable[[], Any]:
        if effect.kind in _UNHEARD:
            return lambda: None
        ending = self._world.begin(effect)

        def ended() -> Any:
            answer = ending()
            self._remember(effect, answer)
            return answer

        return ended

    def _remember(self, effect: EffectRequest, answer: Any) -> None:
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

    def report(self, report: ProgramReport) -> None:
        self._world.report(report)

    def finish(self) -> None:
        """Nothing is left to be done."""


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

    def perform(self, effect: EffectRequest) -> Any:
        return self.begin(effect)()

    def begin(self, effect: EffectRequest) -> Callable[[], Any]:
        if effect.kind in self._served:
            return self._world.begin(effect)
        if effect.kind in _STACKS and self._key(effect) not in self._stacks:
            return lambda: None  # nothing can have made it
        raise WorldFailure(_NAME, f"no target does {effect.kind.value}: {target_hint((effect.kind,))}")

    def open_branches(self, parent: Branch, group: int, size: int) -> None:
        self._world.open_branches(parent, group, size)

    def report(self, report: ProgramReport) -> None:
        self._world.report(report)

    @staticmethod
    def _key(effect: EffectRequest) -> str:
        return json.dumps([effect.arguments.get("region") or "", effect.arguments.get("stack")])
