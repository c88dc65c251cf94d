"""The world of a deployment: every effect goes through the journal of the deploy engine, which lets a driver do it.

The engine keys effects by their place in the sequence, with a sequence of its own for every branch. A program that is run again after a
crash gets what is recorded and does nothing twice. For that it must ask for the same effects in the same order: branches are opened
when their group begins, whoever of them asks first; they take turns in counted time, not in the time that effects happen to take; the
clock, pauses and random names are effects like any other.

The program runs in a thread beside the event loop of the engine; this is the only place where the two meet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sabir.graph.secrets import Secrets
from sabir.graph.values import reveal_all
from sabir.languages.muranopl.worlds.effects import Branch, Effect, EffectKind, Report, WorldFailure
from sabir.resources.effects import ANSWER, FAILURE
from sabir.resources.effects import Effect as Call

if TYPE_CHECKING:
    from sabir.resources.effects import Effects
    from sabir.resources.outcome import Outcome

__all__ = ["JournalledWorld"]


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

    def perform(self, effect: Effect) -> Any:
        return self.begin(effect)()

    def begin(self, effect: Effect) -> Callable[[], Any]:
        arguments = dict(effect.arguments)
        call = Call(
            kind=effect.kind.value,
            arguments={name: self._secrets.marked(value) for name, value in arguments.items()},
            target=self._targets.get(effect.kind),
            timeout=arguments.get("timeout"),
        )
        asked = asyncio.run_coroutine_threadsafe(self._branches[effect.branch].perform(call), self._loop)
        return lambda: _answer(asked.result())

    def report(self, report: Report) -> None:
        source = f"{report.source}: " if report.source else ""
        self.note(f"{source}{report.line}", report.branch)

    def note(self, line: str, branch: Branch = ()) -> None:
        """A line for whoever watches the deployment."""
        self._loop.call_soon_threadsafe(self._branches[branch].note, self._secrets.scrubbed(line))


def _answer(outcome: Outcome) -> Any:
    if outcome.failed:
        raise WorldFailure(str(outcome.results.get(FAILURE) or "OSError"), outcome.message or "")
    return reveal_all(outcome.results.get(ANSWER))
