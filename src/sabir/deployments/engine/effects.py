"""Effects of programs, journaled one by one and replayed after a crash.

A program is deterministic apart from its effects. Running it again from its start therefore asks for the same
effects in the same order, and an effect is identified by its position. `JournaledEffects.perform` saves the
intent, runs the effect, and saves its outcome. In a later run an effect with a saved outcome returns it and
does nothing. One with only an intent is looked up on the target. If the program asks for something else at a
recorded position, it is stopped (`DivergedError`): its recorded outcomes do not belong to this program.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct, structs

from sabir.deployments.engine.connections import Connections
from sabir.deployments.engine.executor import UnknownEffectError, observe_task, perform_task
from sabir.deployments.store.journal import Journal
from sabir.deployments.store.records import StepState
from sabir.deployments.store.row_checks import convert_row
from sabir.deployments.store.seal import Codec
from sabir.deployments.store.writer import Write
from sabir.deployments.targets import PlacedResource, Targets
from sabir.graph.address import digest_text
from sabir.graph.json.values import encode_value
from sabir.graph.values import Value
from sabir.resources.effects import DivergedError, Effect, Effects
from sabir.resources.outcome import CompletionStatus, Outcome, OutcomeStatus
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task


class ProgramRun:
    """State that all branches of one running program share."""

    def __init__(
        self,
        journal: Journal,
        connections: Connections,
        targets: Targets,
        resource: Resource,
        operation_id: str,
    ) -> None:
        self.journal = journal
        self.connections = connections
        self.targets = targets
        self.resource = resource
        self.operation_id = operation_id
        self.watch: Callable[[str], None] = lambda _: None
        """Called with each note of the program."""
        self.stopping = False
        self.unknown: str | None = None
        """The position of an effect with an unknown outcome."""
        self.recorded: Mapping[str, Mapping[str, Any]] | None = None

    async def calls(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the recorded effects of earlier runs by position; read from the store at the first effect."""
        if self.recorded is None:
            self.recorded = await asyncio.to_thread(self.journal.store.calls, self.operation_id)
        return self.recorded

    async def save(self, writes: Sequence[Write]) -> None:
        """Submit writes, and return once they are on disk."""
        loop = asyncio.get_running_loop()
        saved = asyncio.Event()
        self.journal.submit(writes, lambda: loop.call_soon_threadsafe(saved.set))
        await saved.wait()


class JournaledEffects:
    """The effects of one branch of a program; see `sabir.resources.effects`."""

    def __init__(self, program: ProgramRun, prefix: str = "run") -> None:
        self._program = program
        self._prefix = prefix
        self._count = 0
        self._branches = 0

    def branch(self, name: str) -> Effects:
        """Return the effects of a concurrent branch. It counts on its own, so positions do not depend on
        timing."""
        self._branches += 1
        return JournaledEffects(self._program, f"{self._prefix}/{self._count}.{self._branches}.{name}")

    def note(self, line: str) -> None:
        """Report a line of the program, unless an earlier run came further and has reported it."""
        program = self._program
        if f"{self._prefix}/{self._count + 1}" in (program.recorded or {}):
            return  # an earlier run came further, and reported it
        program.watch(line)
        program.journal.submit(
            [program.journal.event("note", key=str(program.resource.address), data={"message": line})],
            lambda: None,
        )

    async def perform(self, effect: Effect) -> Outcome:
        """Return the outcome of an effect: recorded, found on the target, or of running it now.

        Raise `DivergedError` if another effect is recorded at this position, and `UnknownEffectError` if the
        outcome cannot be found out.
        """
        program = self._program
        # Before the position is counted: a stopped program leaves no trace of an effect that it did not begin.
        if program.stopping:
            raise asyncio.CancelledError
        self._count += 1
        position = f"{self._prefix}/{self._count}"
        call = _effect_digest(effect)
        recorded = (await program.calls()).get(position)
        if recorded is not None and recorded["digest"] != call:
            raise DivergedError(position, recorded["effect"], _describe_effect(effect))
        placed, task = self._task(effect, position)
        if recorded is None:
            await program.save([self._call(position, call, effect, StepState.INTENT, None)])
        # Failures are replayed, too: the program took its branch because of them.
        elif recorded["outcome"] is not None:
            return outcome_from(recorded["outcome"], program.journal.store.codec)
        else:
            seen = await observe_task(placed, task, program.connections)
            if seen.sighting is CompletionStatus.DONE:
                return await self._save_outcome(position, call, effect, seen.outcome or Outcome())
            if seen.sighting is CompletionStatus.CANNOT_TELL and not placed.kind.idempotent:
                program.unknown = position
                look = f": look at {seen.look_at}" if seen.look_at else ""
                raise UnknownEffectError(
                    f"it cannot be told whether {position} ({effect.kind}) was done{look}"
                )
        outcome = await perform_task(placed, task, self, program.connections)
        if outcome.status is OutcomeStatus.UNKNOWN:
            program.unknown = position
            raise UnknownEffectError(f"{position} ({effect.kind}): {outcome.message}")
        return await self._save_outcome(position, call, effect, outcome)

    async def _save_outcome(self, position: str, call: str, effect: Effect, outcome: Outcome) -> Outcome:
        await self._program.save([self._call(position, call, effect, StepState.DONE, outcome)])
        return outcome

    def _call(
        self, position: str, call: str, effect: Effect, state: StepState, outcome: Outcome | None
    ) -> Write:
        program = self._program
        return program.journal.call(
            program.operation_id,
            position,
            digest=call,
            effect=_describe_effect(effect),
            state=state.value,
            outcome=None if outcome is None else outcome_text(outcome, program.journal.store.codec),
        )

    def _task(self, effect: Effect, position: str) -> tuple[PlacedResource, Task]:
        program = self._program
        resource = Resource(
            address=program.resource.address._replace(item=position),
            kind=effect.kind,
            desired=effect.arguments,
            target=effect.target or program.resource.target,
            driver=effect.driver,
        )
        task = Task(
            operation_id=digest_text(program.operation_id, position, size=16),
            action=Action.RUN,
            resource=resource,
            timeout=effect.timeout,
        )
        return program.targets.place(resource), task


def _effect_digest(effect: Effect) -> str:
    """Return the digest that tells effects apart. Secrets do not count: the digest of a short one would
    reveal it."""
    return digest_text(
        effect.kind, effect.target or "", effect.driver or "", _encode_arguments(effect.arguments), size=16
    )


def _describe_effect(effect: Effect) -> str:
    return f"{effect.kind} {_encode_arguments(effect.arguments)}"


def _encode_arguments(arguments: Mapping[str, Value]) -> str:
    return msgspec.json.encode(encode_value(arguments), order="sorted").decode("utf-8")


def outcome_text(outcome: Outcome, codec: Codec) -> str:
    """Return an outcome as text for the journal, with its secrets encrypted."""
    return codec.write(
        {
            "status": outcome.status.value,
            "changed": outcome.changed,
            "id": outcome.id,
            "fields": outcome.fields,
            "results": outcome.results,
            "message": outcome.message,
        }
    )


class _StoredOutcome(Struct, frozen=True, kw_only=True):
    """An outcome as `outcome_text` writes it."""

    status: OutcomeStatus
    changed: bool
    id: str | None
    fields: dict[str, Any] | None
    results: dict[str, Any]
    message: str | None


def outcome_from(text: str, codec: Codec) -> Outcome:
    """Parse the text of `outcome_text`. Raises `DeployError` if the state is damaged."""
    subject = "the outcome of an effect"
    return Outcome(**structs.asdict(convert_row(codec.read(text, subject), _StoredOutcome, subject)))
