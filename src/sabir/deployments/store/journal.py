"""The journal of one deployment: the writes of each transition of a step, each in one transaction.

The order of these transactions carries the guarantees of a deployment: the intent is committed before the
effect starts, and the end, the record and the outputs of a step are committed together before its dependents
start. A crash between two transactions therefore leaves at most an open intent, which recovery looks up.

The writer may repeat a transaction whose commit was not confirmed. So each statement here is idempotent:
updates set absolute values, inserts overwrite the row with the same key or keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, bindparam, func, select

from sabir.deployments.store import schema
from sabir.deployments.store.records import DeploymentState, Fact, ResourceRecord, StepRecord, StepState
from sabir.deployments.store.requests import StoredRequest, blob_rows
from sabir.deployments.store.row_checks import decode_column
from sabir.deployments.store.store import StateStore
from sabir.deployments.store.writer import Batch, StateWriter, Write
from sabir.graph.values import Value

_json = msgspec.json.Encoder(order="sorted").encode


class Journal:
    """Writes of one deployment.

    `open`, `extend`, `close` and `now_all` write at once, in the caller's thread, while the engine is not
    running. The other methods return writes, which the engine submits together.
    """

    def __init__(self, store: StateStore, writer: StateWriter, clock: Callable[[], datetime]) -> None:
        self.store = store
        self.writer = writer
        self.clock = clock
        self.number = 0
        self._events = 0
        environment, step = store.environment, schema.step
        self._step_update = (
            step.update()
            .where(
                step.c.environment == environment,
                step.c.deployment == bindparam("in_deployment"),
                step.c.key == bindparam("of_key"),
            )
            .values(
                state=bindparam("to_state"),
                attempt=bindparam("to_attempt"),
                not_before=bindparam("to_not_before"),
                message=bindparam("to_message"),
                # Only the intent carries a task; later states keep it, because recovery needs it.
                task=func.coalesce(bindparam("to_task"), step.c.task),
            )
        )
        self._record = store.database.overwrite(schema.resource, keys=("environment", "address"))
        self._forget = schema.resource.delete().where(
            schema.resource.c.environment == environment, schema.resource.c.address == bindparam("at_address")
        )
        self._fact = store.database.overwrite(schema.fact, keys=("environment", "name"))
        self._forget_facts = schema.fact.delete().where(
            schema.fact.c.environment == environment, schema.fact.c.address == bindparam("of_address")
        )
        # An unconfirmed transaction is written again: an event that exists stays as it is.
        self._event = store.database.upsert(schema.event).on_conflict_do_nothing()
        call = store.database.upsert(schema.call)
        self._call = call.on_conflict_do_update(
            index_elements=["operation_id", "position"],
            set_={"state": call.excluded.state, "outcome": call.excluded.outcome},
        )

    # Deployments

    def open(
        self,
        verb: str,
        *,
        audit: Mapping[str, Any],
        plan: Any,
        steps: Callable[[int], Sequence[StepRecord]],
        wish: StoredRequest | None = None,
        blobs: Mapping[str, bytes] | None = None,
    ) -> int:
        """Create a deployment with all its steps waiting, and return its number.

        `steps` builds the steps for the number, which is known only inside the transaction.
        """
        table = schema.deployment
        environment = self.store.environment

        def write(connection: Connection) -> int:
            last = connection.scalar(
                select(func.max(table.c.number)).where(table.c.environment == environment)
            )
            number = int(last or 0) + 1
            connection.execute(
                table.insert().values(
                    environment=environment,
                    number=number,
                    verb=verb,
                    state=DeploymentState.RUNNING.value,
                    started=self.now(),
                    audit=_json_text(audit),
                    plan=_json_text(plan),
                    wish=None if wish is None else wish.text,
                )
            )
            rows = [_step_row(step, environment, number) for step in steps(number)]
            if rows:
                connection.execute(schema.step.insert(), rows)
            if blobs:
                keep = self.store.database.upsert(schema.blob).on_conflict_do_nothing()
                connection.execute(keep, blob_rows(blobs))
            self._move(connection)
            return number

        self.number = self.writer.run_now(write)
        self._events = 0
        return self.number

    def extend(self, steps: Sequence[StepRecord], document: Any) -> None:
        """Add the steps of a further wave, which can be planned by now, and append its plan to the
        deployment."""
        table, environment, number = schema.deployment, self.store.environment, self.number

        def write(connection: Connection) -> None:
            row = table.c.environment == environment, table.c.number == number
            text = connection.scalar(select(table.c.plan).where(*row)) or "{}"
            plan = decode_column(text, dict[str, Any], f"the plan of deployment {number}")
            # A repetition of this transaction must not add the wave twice.
            waves = [wave for wave in plan.get("waves", ()) if wave != document]
            connection.execute(
                table.update().where(*row).values(plan=_json_text({**plan, "waves": [*waves, document]}))
            )
            rows = [_step_row(step, environment, number) for step in steps]
            connection.execute(self.store.database.upsert(schema.step).on_conflict_do_nothing(), rows)

        self.writer.run_now(write)

    def close(self, state: DeploymentState, number: int | None = None) -> None:
        """End the deployment: record its state and the known step outputs, and cancel the steps that never
        started.

        Open intents stay: only recovery knows what became of them. `number` names another deployment than
        this one.
        """
        ended = self.number if number is None else number
        table, step, environment = schema.deployment, schema.step, self.store.environment

        def write(connection: Connection) -> None:
            connection.execute(
                table.update()
                .where(table.c.environment == environment, table.c.number == ended)
                .values(state=state.value, ended=self.now(), observed=self._snapshot(connection))
            )
            self._forget_the_world(connection, ended)
            connection.execute(
                step.update()
                .where(
                    step.c.environment == environment,
                    step.c.deployment == ended,
                    step.c.state.in_([StepState.WAITING.value, StepState.READY.value]),
                )
                .values(state=StepState.CANCELLED.value)
            )

        self.writer.run_now(write)

    def _forget_the_world(self, connection: Connection, number: int) -> None:
        """Forget all step outputs after a destroy that left no resource: none of them holds any more."""
        resource, fact, environment = schema.resource, schema.fact, self.store.environment
        row = schema.deployment.c.environment == environment, schema.deployment.c.number == number
        if connection.scalar(select(schema.deployment.c.verb).where(*row)) != "destroy":
            return
        left = select(func.count()).select_from(resource).where(resource.c.environment == environment)
        if not connection.scalar(left):
            connection.execute(fact.delete().where(fact.c.environment == environment))

    def _snapshot(self, connection: Connection) -> str | None:
        """Return the step outputs at the end of a deployment as JSON; encrypted values stay encrypted."""
        table = schema.fact
        asked = select(table).where(table.c.environment == self.store.environment, table.c.expired == 0)
        facts = [Fact.of(row) for row in connection.execute(asked).mappings()]
        sightings = {
            fact.name: {
                **decode_column(fact.value, dict[str, Any], f"the fact {fact.name!r}"),
                "note": fact.note,
            }
            for fact in facts
        }
        return _json_text(sightings) if sightings else None

    def _move(self, connection: Connection) -> None:
        """Increase the serial number of the state, which invalidates plans made for the old one."""
        table = schema.environment
        connection.execute(
            table.update().where(table.c.name == self.store.environment).values(serial=table.c.serial + 1)
        )

    def now_all(self, writes: Sequence[Write], *, moves: bool = False) -> None:
        """Write at once, in one transaction. With `moves` the state gets a new serial number."""

        def write(connection: Connection) -> None:
            for statement, row in writes:
                connection.execute(statement, [row] if row else None)
            if moves:
                self._move(connection)

        self.writer.run_now(write)

    # Steps

    def submit(self, writes: Sequence[Write], written: Callable[[], object]) -> None:
        """Queue writes as one batch; `written` is called in the writer's thread after the commit."""
        self.writer.submit(Batch(writes, written))

    def step(
        self,
        key: str,
        state: StepState,
        *,
        attempt: int,
        task: str | None = None,
        message: str | None = None,
        not_before: float | None = None,
        deployment: int | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> list[Write]:
        """Return the writes that bring a step into a state, with the event that reports it.

        `deployment` is given for a step of an earlier deployment; `data` is added to the event.
        """
        number = self.number if deployment is None else deployment
        row = {
            "in_deployment": number,
            "of_key": key,
            "to_state": state.value,
            "to_attempt": attempt,
            "to_not_before": not_before,
            "to_message": message,
            "to_task": task,
        }
        told = {**(data or {}), **({"message": message} if message else {}), "attempt": attempt}
        return [Write(self._step_update, row), self.event(state.value, key=key, data=told, deployment=number)]

    def event(
        self,
        state: str,
        *,
        key: str | None = None,
        data: Mapping[str, Any] | None = None,
        deployment: int | None = None,
    ) -> Write:
        """Return the write of an event, numbered within its deployment."""
        number = self.number if deployment is None else deployment
        self._events += 1
        # For an interrupted deployment the last number is not known here. Each lock has its own epoch, so
        # numbers from that range are free.
        place = self._events if number == self.number else self._events + 1_000_000 * self.writer.epoch
        row = {
            "environment": self.store.environment,
            "deployment": number,
            "number": place,
            "at": self.now(),
            "key": key,
            "state": state,
            "data": _json_text(data) if data else None,
        }
        return Write(self._event, row)

    def record(self, record: ResourceRecord) -> Write:
        """Return the write that stores the record of a resource, over an earlier one."""
        return Write(self._record, record.row(self.store.environment))

    def forget(self, address: str) -> Write:
        """Return the write that removes the record of a resource."""
        return Write(self._forget, {"at_address": address})

    def fact(self, fact: Fact) -> Write:
        """Return the write that stores a step output, over an earlier one of the same name."""
        return Write(self._fact, fact.row(self.store.environment))

    def facts(
        self,
        results: Mapping[str, Value],
        *,
        address: str,
        step: str,
        position: int,
        deployment: int | None = None,
    ) -> list[Write]:
        """Return the writes of step outputs, given by the address of the attribute that each becomes."""
        at = self.now()
        return [
            self.fact(
                Fact(
                    name=name,
                    address=address,
                    value=self.fields({"value": value}),
                    deployment=self.number if deployment is None else deployment,
                    step=step,
                    position=position,
                    at=at,
                )
            )
            for name, value in results.items()
        ]

    def forget_facts(self, address: str) -> Write:
        """Return the write that removes all outputs of a resource."""
        return Write(self._forget_facts, {"of_address": address})

    def call(self, operation_id: str, position: str, **columns: str | None) -> Write:
        """Return the write of an effect of a program: at first its intent, then its outcome."""
        return Write(self._call, {"operation_id": operation_id, "position": position, **columns})

    def now(self) -> str:
        """Return the current time as ISO 8601 text with milliseconds."""
        return self.clock().isoformat(timespec="milliseconds")

    def fields(self, values: Mapping[str, Value]) -> str:
        """Return values as text for the store, with their secrets encrypted."""
        return self.store.codec.write(values)


def _json_text(data: Any) -> str:
    return _json(data).decode("utf-8")


def _step_row(step: StepRecord, environment: str, number: int) -> dict[str, Any]:
    row = {name: getattr(step, name) for name in StepRecord.__struct_fields__}
    return {**row, "environment": environment, "deployment": number, "state": step.state.value}
