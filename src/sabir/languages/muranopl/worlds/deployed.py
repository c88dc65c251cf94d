"""The world of a deployment: every effect goes through the journal of the engine to a driver.

The engine keys effects by their position in the sequence, with a separate sequence for every branch. A
program that is run again after a crash gets the recorded results and repeats nothing. This requires that it
requests the same effects in the same order. Branches are therefore opened when their group starts, whichever
requests an effect first; they take turns by counted time, not by the duration of effects; and the clock,
pauses and random names are effects like any other.

The program runs in a thread next to the event loop of the engine; this is the only module where the two meet.

Two wrappers complete it: one remembers pushed stacks, so that the next plan knows them without asking the
cloud; the other rejects effects that no target of the environment performs, before anything starts, so that
their outcome is never in doubt.
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
    WorldError,
)
from sabir.resources.effects import ANSWER, FAILURE
from sabir.resources.effects import Effect as Call

if TYPE_CHECKING:
    from sabir.resources.effects import Effects
    from sabir.resources.outcome import Outcome


class JournalledWorld:
    """Performs effects through the journal.

    `loop` is the one that `effects` belongs to; `targets` names the target for effects of a kind, if it is
    not the driver of the program; `secrets` are kept out of the journal.
    """

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
        """Report a line to the observers of the deployment."""
        self._loop.call_soon_threadsafe(self._branches[branch].note, self._secrets.redact(line))


def _effect_response(outcome: Outcome) -> Any:
    if outcome.failed:
        raise WorldError(str(outcome.results.get(FAILURE) or "OSError"), outcome.message or "")
    return reveal_all(outcome.results.get(ANSWER))


_PUSHES: Final = (EffectKind.STACK_CREATE, EffectKind.STACK_UPDATE)
_TELLING: Final = (EffectKind.STACK_READ, *_PUSHES)
_UNHEARD: Final = (EffectKind.TRACK, EffectKind.UNTRACK)
"""What is only said to others; nobody listens."""


class RememberedStacks:
    """A world that remembers the pushed stacks, by region and name, and passes all other effects on."""

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
        """Do nothing: all effects are complete."""


_NAME: Final = "NoTargetException"
_AGENTS: Final = (EffectKind.AGENT_CALL, EffectKind.AGENT_SEND)
_STACKS: Final = (EffectKind.STACK_READ, EffectKind.STACK_DELETE)


def target_hint(kinds: Collection[EffectKind]) -> str:
    """Return the hint for sabir.yaml that adds a target for effects of these kinds."""
    broker = "plans go to agents through `driver: amqp`"
    cloud = "name one in sabir.yaml: `driver: openstack-heat`, or `driver: machines` for hosts that are there"
    if all(kind in _AGENTS for kind in kinds):
        return f"{broker}: name one in sabir.yaml"
    return f"{cloud}; {broker}" if any(kind in _AGENTS for kind in kinds) else cloud


class ServedEffects:
    """Rejects effects of kinds that no target performs.

    `served` are the kinds that a target performs; `stacks` are those of the last deployment, by region and
    name.
    """

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
            return lambda: None  # it cannot exist
        raise WorldError(_NAME, f"no target does {effect.kind.value}: {target_hint((effect.kind,))}")

    def open_branches(self, parent: Branch, group: int, size: int) -> None:
        self._world.open_branches(parent, group, size)

    def report(self, report: ProgramReport) -> None:
        self._world.report(report)

    @staticmethod
    def _key(effect: EffectRequest) -> str:
        return json.dumps([effect.arguments.get("region") or "", effect.arguments.get("stack")])
