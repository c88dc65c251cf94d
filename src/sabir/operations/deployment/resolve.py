"""Resolve: settle a step with an unknown outcome by hand."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from sabir.deployments.engine.recover import is_call_step, settle_step
from sabir.deployments.store import schema
from sabir.deployments.store.journal import Journal
from sabir.deployments.store.records import (
    RecordStatus,
    ResourceRecord,
    StepRecord,
    StepState,
)
from sabir.deployments.store.writer import Write
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError
from sabir.operations.deployment.environment import EnvironmentRequest
from sabir.operations.deployment.state import open_journal
from sabir.resources.outcome import Outcome


def resolve_step(request: EnvironmentRequest, word: str, *, done: bool) -> StepRecord:
    """Record that a step with an unknown outcome was applied (`done`), or that it must be applied again."""
    address, _, position = word.partition("@")
    with open_journal(request) as journal:
        store = journal.store
        steps = store.steps(states=(StepState.UNKNOWN,))
        step = next((each for each in reversed(steps) if address in (each.key, each.address)), None)
        if step is None:
            keys = [each.key for each in steps]
            hint = did_you_mean(address, keys) or (
                f"unknown are {', '.join(keys)}" if keys else "there is none"
            )
            raise UsageError(f"{word!r} is no step whose outcome is unknown: {hint}")
        records = store.records()
        if position:
            writes = _resolve_call(journal, step, position, done=done)
        elif done:
            outcome = Outcome(message="settled by hand: it was done")
            writes = settle_step(journal, step, None, outcome)
        else:
            writes = _cancel_step(journal, step, records)
        journal.now_all(writes, moves=True)
        return step


def _cancel_step(journal: Journal, step: StepRecord, records: Mapping[str, ResourceRecord]) -> list[Write]:
    writes = journal.step(
        step.key,
        StepState.CANCELLED,
        attempt=step.attempt,
        message="settled by hand: it was not done",
        deployment=step.deployment,
    )
    record = records.get(step.address)
    if record is None or is_call_step(step):
        return writes
    return [*writes, journal.record(replace(record, status=RecordStatus.FAILED))]


def _resolve_call(journal: Journal, step: StepRecord, position: str, *, done: bool) -> list[Write]:
    """Settle an effect of a program.

    With a recorded outcome the program continues after the effect; without a record it repeats it.
    """
    from sabir.deployments.engine.effects import outcome_text

    call = journal.store.calls(step.operation_id).get(position)
    if call is None or call["outcome"] is not None:
        raise UsageError(f"{position!r} is no effect of {step.key} whose outcome is unknown")
    outcome = outcome_text(Outcome(message="settled by hand"), journal.store.codec) if done else None
    row = {name: call[name] for name in ("digest", "effect")}
    if done:
        settled = journal.call(
            step.operation_id, position, **row, state=StepState.DONE.value, outcome=outcome
        )
        return [settled]
    table = schema.call
    forgotten = table.delete().where(table.c.operation_id == step.operation_id, table.c.position == position)
    return [Write(forgotten, {})]
