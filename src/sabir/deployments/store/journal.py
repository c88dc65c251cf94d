"""The journal of one deployment: what is written at each turn of a step, each turn in one transaction."""

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
    """Writes for one deployment; every method either runs at once (before the engine starts) or answers with writes."""

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
        # A transaction whose end was lost is written again: an event that is there stays as it is.
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
        """A new deployment with all its steps waiting; `steps` makes them for its number, which is the answer."""
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
        """Further steps of the deployment that can be foreseen by now, with their plan."""
        table, environment, number = schema.deployment, self.store.environment, self.number

        def write(connection: Connection) -> None:
            row = table.c.environment == environment, table.c.number == number
            text = connection.scalar(select(table.c.plan).where(*row)) or "{}"
            plan = decode_column(text, dict[str, Any], f"the plan of deployment {number}")
            waves = [wave for wave in plan.get("waves", ()) if wave != document]
            connection.execute(
                table.update().where(*row).values(plan=_json_text({**plan, "waves": [*waves, document]}))
            )
            rows = [_step_row(step, environment, number) for step in steps]
            connection.execute(self.store.database.upsert(schema.step).on_conflict_do_nothing(), rows)

        self.writer.run_now(write)

    def close(self, state: DeploymentState, number: int | None = None) -> None:
        """The deployment has ended; what was still waiting is cancelled."""
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
        """When everything was taken away nothing that was observed holds any more, whoever observed it."""
        resource, fact, environment = schema.resource, schema.fact, self.store.environment
        row = schema.deployment.c.environment == environment, schema.deployment.c.number == number
        if connection.scalar(select(schema.deployment.c.verb).where(*row)) != "destroy":
            return
        left = select(func.count()).select_from(resource).where(resource.c.environment == environment)
        if not connection.scalar(left):
            connection.execute(fact.delete().where(fact.c.environment == environment))

    def _snapshot(self, connection: Connection) -> str | None:
        """What was known of the world when a deployment had ended, sealed values as they are."""
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
        """The state gets a new number."""
        table = schema.environment
        connection.execute(
            table.update().where(table.c.name == self.store.environment).values(serial=table.c.serial + 1)
        )

    def now_all(self, writes: Sequence[Write], *, moves: bool = False) -> None:
        """Write at once, in one transaction; with `moves` the state gets a new number."""

        def write(connection: Connection) -> None:
            for statement, row in writes:
                connection.execute(statement, [row] if row else None)
            if moves:
                self._move(connection)

        self.writer.run_now(write)

    # Steps

    def submit(self, writes: Sequence[Write], written: Callable[[], object]) -> None:
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
        """A step comes into a state, and the event that says so."""
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
        number = self.number if deployment is None else deployment
        self._events += 1
        # Events of a deployment that was cut off are counted on from where nobody was before.
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
        return Write(self._record, record.row(self.store.environment))

    def forget(self, address: str) -> Write:
        return Write(self._forget, {"at_address": address})

    def fact(self, fact: Fact) -> Write:
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
        """What a step (of this deployment, unless another is named) gave back, by the attribute's address that each becomes."""
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
        """What goes with a resource that is gone, or gave back something else."""
        return Write(self._forget_facts, {"of_address": address})

    def call(self, operation_id: str, position: str, **columns: str | None) -> Write:
        return Write(self._call, {"operation_id": operation_id, "position": position, **columns})

    def now(self) -> str:
        return self.clock().isoformat(timespec="milliseconds")

    def fields(self, values: Mapping[str, Value]) -> str:
        return self.store.codec.write(values)


def _json_text(data: Any) -> str:
    return _json(data).decode("utf-8")


def _step_row(step: StepRecord, environment: str, number: int) -> dict[str, Any]:
    row = {name: getattr(step, name) for name in StepRecord.__struct_fields__}
    return {**row, "environment": environment, "deployment": number, "state": step.state.value}
