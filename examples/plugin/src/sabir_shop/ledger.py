"""A driver: entries of a ledger, which is one JSON file. It shows what a driver is asked, and what it has to promise.

    targets:
      books: {driver: ledger, file: books.json}

What is pure is on the driver; what touches the world is on the connection that it opens. Each entry keeps the id of the last
operation on it, so that a step that was cut off can be told from one that was done.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from sabir.errors import DeployError
from sabir.graph.values import reveal_all
from sabir.resources.driver import Connection, DriverContext, Kind
from sabir.resources.effects import Effects
from sabir.resources.fields import Field, FieldType
from sabir.resources.outcome import (
    CompletionStatus,
    FieldChange,
    Observation,
    Outcome,
    OutcomeStatus,
    ResourceReading,
)
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task
from sabir.resources.target import Target

_FIELDS = {
    "name": Field(about="what the entry is for", required=True, replaces=True),
    "amount": Field(about="how much", type=FieldType.INTEGER, required=True),
}


class LedgerDriver:
    name = "ledger"
    kinds: Mapping[str, Kind] = {
        "entry": Kind(about="an entry of a ledger", fields=_FIELDS, idempotent=True),
    }

    def settings(self) -> Mapping[str, Field]:
        return {"file": Field(about="the ledger, from the folder of sabir.yaml", required=True)}

    def diff(self, resource: Resource, reading: ResourceReading) -> Sequence[FieldChange]:
        wanted = reveal_all(resource.desired)
        return [
            FieldChange(field=name, before=reading.fields.get(name), after=value)
            for name, value in wanted.items()
            if reading.fields.get(name) != value
        ]

    def connect(self, target: Target, context: DriverContext) -> AbstractAsyncContextManager[Connection]:
        return _opened(target, context)


@asynccontextmanager
async def _opened(target: Target, context: DriverContext) -> AsyncGenerator[Connection]:
    file = context.folder / str(target.settings["file"])
    if not file.parent.is_dir():
        raise DeployError(f"target {target.name!r}: there is no folder {str(file.parent)!r}")
    yield Ledger(file)


class Ledger:
    """The ledger at work. It is small, so that reading it as a whole does not hold anybody up."""

    def __init__(self, file: Path) -> None:
        self.file = file

    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:
        entry = self._entries().get(_name(resource))
        if entry is None:
            return ResourceReading(exists=False)
        return ResourceReading(exists=True, fields={name: entry[name] for name in _FIELDS})

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        entries, wanted = self._entries(), reveal_all(task.resource.desired)
        before = entries.get(_name(task.resource), {})
        changed = any(before.get(name) != value for name, value in wanted.items())
        self._write({**entries, _name(task.resource): {**wanted, "operation": task.operation_id}})
        return Outcome(changed=changed)

    async def delete(self, task: Task, effects: Effects) -> Outcome:
        entries = self._entries()
        changed = entries.pop(_name(task.resource), None) is not None
        self._write(entries)
        return Outcome(changed=changed)

    async def observe(self, task: Task) -> Observation:
        entry = self._entries().get(_name(task.resource))
        if task.action is Action.DELETE:
            done = entry is None
        else:
            done = entry is not None and entry["operation"] == task.operation_id
        return Observation(sighting=CompletionStatus.DONE if done else CompletionStatus.NOT_DONE)

    async def call(self, task: Task, operation: str, effects: Effects) -> Outcome:
        return Outcome(status=OutcomeStatus.FAILED, message=f"an entry has no operation {operation!r}")

    def _entries(self) -> dict[str, Any]:
        entries: dict[str, Any] = json.loads(self.file.read_text()) if self.file.exists() else {}
        return entries

    def _write(self, entries: Mapping[str, Any]) -> None:
        """Beside, and swapped: whoever looks finds the old ledger or the new one."""
        beside = self.file.with_suffix(".new")
        beside.write_text(json.dumps(entries, indent=2, sort_keys=True))
        os.replace(beside, self.file)


def _name(resource: Resource) -> str:
    return str(reveal_all(resource.desired)["name"])


DRIVER = LedgerDriver()
