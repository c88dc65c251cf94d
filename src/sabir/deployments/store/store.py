"""The store of deployments: opened once by a command, read by it, written by the one who holds an environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from sabir.deployments.store.codec import Codec
from sabir.deployments.store.database import Database
from sabir.deployments.store.records import (
    DeploymentRecord,
    DeploymentState,
    EventRecord,
    Record,
    StepRecord,
    StepState,
)
from sabir.deployments.store.seal import Sealer
from sabir.deployments.store.writer import Writer
from sqlalchemy import Connection, func, select
from sqlalchemy.exc import SQLAlchemyError

from sabir.deployments.store import schema
from sabir.errors import DeployError
from sabir.graph.values import Value

__all__ = ["Store"]


class Store:
    """What is remembered of one environment."""

    def __init__(self, database: Database, environment: str, sealer: Sealer) -> None:
        self.database = database
        self.environment = environment
        self.codec = Codec(sealer)

    @staticmethod
    def open(
        where: str,
        environment: str,
        *,
        create: bool = False,
        key: str | None = None,
        key_file: Path | None = None,
    ) -> Store:
        """Open the state at a place. Without `create`, one that is not there is an empty one."""
        database = Database.open(where, create=create)
        beside = None if database.file is None else database.file.with_name("key")
        sealer = Sealer(key=key, file=key_file or beside, may_create=key_file is None and beside is not None)
        return Store(database, environment, sealer)

    def close(self) -> None:
        self.database.close()

    def writer(self, holder: str, **options: Any) -> Writer:
        return Writer(self.database, self.environment, holder=holder, **options)

    # Reading

    def _ask(self, question: Callable[[Connection], Any]) -> Any:
        try:
            with self.database.engine.connect() as connection:
                return question(connection)
        except SQLAlchemyError as error:
            words = " ".join(str(getattr(error, "orig", error)).split())
            raise DeployError(f"the state cannot be read: {words}") from error

    def id(self) -> str:
        """Tells this store from every other."""
        asked = select(schema.meta.c.value).where(schema.meta.c.name == "id")
        return str(self._ask(lambda connection: connection.scalar(asked)))

    def serial(self) -> int:
        """The number of the state; each deployment and each change by hand makes a new one."""
        table = schema.environment
        asked = select(table.c.serial).where(table.c.name == self.environment)
        return int(self._ask(lambda connection: connection.scalar(asked)) or 0)

    def records(self) -> dict[str, Record]:
        """Every resource that is recorded, by the text of its address."""
        table = schema.resource
        asked = select(table).where(table.c.environment == self.environment).order_by(table.c.address)

        def read(connection: Connection) -> dict[str, Record]:
            return {row["address"]: Record.of(row) for row in connection.execute(asked).mappings()}

        records: dict[str, Record] = self._ask(read)
        return records

    def observed(self, records: Mapping[str, Record] | None = None) -> dict[str, Value]:
        """What steps gave back, by the attribute's address it became."""
        observed: dict[str, Value] = {}
        for record in (self.records() if records is None else records).values():
            if record.results is not None:
                observed.update(self.codec.read(record.results))
        return observed

    def steps(self, deployment: int | None = None, *, states: tuple[StepState, ...] = ()) -> list[StepRecord]:
        """Steps of one deployment or of all, in their order; those in one of the states, when some are named."""
        table = schema.step
        asked = select(table).where(table.c.environment == self.environment)
        if deployment is not None:
            asked = asked.where(table.c.deployment == deployment)
        if states:
            asked = asked.where(table.c.state.in_([state.value for state in states]))
        asked = asked.order_by(table.c.deployment, table.c.position)
        rows: list[StepRecord] = self._ask(
            lambda connection: [StepRecord.of(row) for row in connection.execute(asked).mappings()]
        )
        return rows

    def deployments(self) -> list[DeploymentRecord]:
        """All deployments, the oldest first."""
        table, steps = schema.deployment, schema.step
        asked = select(table).where(table.c.environment == self.environment).order_by(table.c.number)
        counted = (
            select(steps.c.deployment, steps.c.state, func.count())
            .where(steps.c.environment == self.environment)
            .group_by(steps.c.deployment, steps.c.state)
        )

        def read(connection: Connection) -> list[DeploymentRecord]:
            counts: dict[int, dict[str, int]] = {}
            for number, state, count in connection.execute(counted):
                counts.setdefault(number, {})[state] = count
            return [
                DeploymentRecord(
                    number=row["number"],
                    verb=row["verb"],
                    state=DeploymentState(row["state"]),
                    started=row["started"],
                    ended=row["ended"],
                    audit=msgspec.json.decode(row["audit"]),
                    counts=counts.get(row["number"], {}),
                )
                for row in connection.execute(asked).mappings()
            ]

        deployments: list[DeploymentRecord] = self._ask(read)
        return deployments

    def plan_document(self, number: int) -> Any:
        """The plan of a deployment, as it was stored."""
        table = schema.deployment
        asked = select(table.c.plan).where(table.c.environment == self.environment, table.c.number == number)
        text = self._ask(lambda connection: connection.scalar(asked))
        if text is None:
            raise DeployError(f"there is no deployment {number} of {self.environment!r}")
        return msgspec.json.decode(text)

    def events(self, number: int) -> list[EventRecord]:
        table = schema.event
        asked = (
            select(table)
            .where(table.c.environment == self.environment, table.c.deployment == number)
            .order_by(table.c.number)
        )
        events: list[EventRecord] = self._ask(
            lambda connection: [
                EventRecord(
                    number=row["number"],
                    at=row["at"],
                    key=row["key"],
                    state=row["state"],
                    data=msgspec.json.decode(row["data"]) if row["data"] else {},
                )
                for row in connection.execute(asked).mappings()
            ]
        )
        return events

    def calls(self, operation_id: str) -> dict[str, Mapping[str, Any]]:
        """Effects of a program by their position."""
        table = schema.call
        asked = select(table).where(table.c.operation_id == operation_id)
        rows: dict[str, Mapping[str, Any]] = self._ask(
            lambda connection: {row["position"]: dict(row) for row in connection.execute(asked).mappings()}
        )
        return rows
