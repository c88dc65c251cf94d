"""The state store of one environment: opened once by a command, read by it, written by the holder of the
lock.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, exists, func, or_, select
from sqlalchemy.exc import SQLAlchemyError

from sabir.deployments.store import schema
from sabir.deployments.store.database import Database, database_reason
from sabir.deployments.store.records import (
    DeploymentRecord,
    DeploymentState,
    EventRecord,
    Fact,
    ResourceRecord,
    Snapshot,
    StepRecord,
    StepState,
    Unfinished,
)
from sabir.deployments.store.requests import StoredRequest, parse_observations, parse_request
from sabir.deployments.store.row_checks import decode_column, raise_damaged
from sabir.deployments.store.seal import Codec, Sealer
from sabir.deployments.store.versions import meta
from sabir.deployments.store.writer import StateWriter
from sabir.errors import DeployError, UsageError
from sabir.graph.values import Value
from sabir.resources.effects import ANSWER, RecordedEffect
from sabir.resources.observations import ObservedValues
from sabir.resources.outcome import OutcomeStatus
from sabir.resources.step import Action

Answer = TypeVar("Answer")


class StateStore:
    """The recorded state of one environment. All methods that read raise `DeployError` for a damaged or
    unreadable state."""

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
    ) -> StateStore:
        """Open the state at a file or URL. Without `create`, a missing state reads as an empty one.

        `key` is the text of the encryption key and outweighs `key_file`. A key file next to a SQLite state is
        created when the first secret has to be stored.
        """
        database = Database.open(where, create=create)
        beside = None if database.file is None else database.file.with_name("key")
        sealer = Sealer(key=key, file=key_file or beside, may_create=key_file is None and beside is not None)
        return StateStore(database, environment, sealer)

    def close(self) -> None:
        """Close all connections to the database."""
        self.database.close()

    def writer(self, holder: str, **options: Any) -> StateWriter:
        """Return a writer for the environment; `options` are those of `StateWriter`."""
        restore_key = self.codec.sealer.restore_file
        return StateWriter(self.database, self.environment, holder=holder, restore_key=restore_key, **options)

    # Reading

    def _ask(self, question: Callable[[Connection], Answer]) -> Answer:
        try:
            with self.database.engine.connect() as connection:
                return question(connection)
        except SQLAlchemyError as error:
            raise DeployError(f"the state cannot be read: {database_reason(error)}") from error

    def id(self) -> str:
        """Return the identifier of this store. Operation ids contain it, so those of a discarded state never
        match."""
        asked = select(meta.c.value).where(meta.c.name == "id")
        return str(self._ask(lambda connection: connection.scalar(asked)))

    def snapshot(self) -> Snapshot:
        """Return everything that a plan depends on, read in one transaction."""

        def read(connection: Connection) -> Snapshot:
            # The number comes first: if the state changes while the rest is read, the number is too old, and
            # the plan is refused when it is applied.
            serial = self._serial(connection)
            records, facts = self._records(connection), self._facts(connection)
            return Snapshot(
                serial=serial, records=records, facts=facts, observed=self.load_observations(facts)
            )

        return self._ask(read)

    def unfinished(self, snapshot: Snapshot) -> Unfinished:
        """Return the deployments that the next one resumes: the last ones, back to one that ended well."""
        ended = 0
        numbers: list[int] = []
        deployments = self.deployments()
        for deployment in reversed(deployments):
            if deployment.verb != "deploy" or deployment.state is DeploymentState.DONE:
                ended = deployment.number
                break
            numbers.append(deployment.number)
        if not numbers:
            return Unfinished()
        positions = {
            (step.deployment, step.key): step.position + 1
            for number in numbers
            for step in self.steps(number)
        }
        before = self.load_observations_at(ended)[0] if ended else {}
        return Unfinished(
            numbers=frozenset(numbers),
            is_open=deployments[-1].state is DeploymentState.RUNNING,
            positions=positions,
            before=before,
            snapshot=snapshot,
        )

    def serial(self) -> int:
        """Return the serial number of the state; each deployment and each manual change increases it."""
        return self._ask(self._serial)

    def _serial(self, connection: Connection) -> int:
        table = schema.environment
        number = connection.scalar(select(table.c.serial).where(table.c.name == self.environment)) or 0
        return (
            number
            if isinstance(number, int)
            else raise_damaged("its number", "a whole number is wanted here")
        )

    def records(self) -> dict[str, ResourceRecord]:
        """Return all recorded resources by the text of their address."""
        return self._ask(self._records)

    def _records(self, connection: Connection) -> dict[str, ResourceRecord]:
        table = schema.resource
        asked = select(table).where(table.c.environment == self.environment).order_by(table.c.address)
        return {row["address"]: ResourceRecord.of(row) for row in connection.execute(asked).mappings()}

    def facts(self) -> dict[str, Fact]:
        """Return the step outputs by the address of the attribute that each became, including expired ones."""
        return self._ask(self._facts)

    def _facts(self, connection: Connection) -> dict[str, Fact]:
        table = schema.fact
        asked = select(table).where(table.c.environment == self.environment).order_by(table.c.name)
        return {row["name"]: Fact.of(row) for row in connection.execute(asked).mappings()}

    def load_observations(self, facts: Mapping[str, Fact] | None = None) -> ObservedValues:
        """Return the values of the facts that have not expired."""
        facts = self.facts() if facts is None else facts
        return ObservedValues(
            {name: self.fact_value(fact) for name, fact in facts.items() if not fact.expired}
        )

    def fact_value(self, fact: Fact) -> Value:
        """Return the decrypted value of a fact."""
        return self._value(fact.value, f"the fact {fact.name!r}")

    def _value(self, text: str, subject: str) -> Value:
        values = self.codec.read(text, subject)
        return values["value"] if "value" in values else raise_damaged(subject, "'value' is missing")

    def steps(self, deployment: int | None = None, *, states: tuple[StepState, ...] = ()) -> list[StepRecord]:
        """Return the steps of one deployment or of all, in order; `states` limits them to these states."""
        table = schema.step
        asked = select(table).where(table.c.environment == self.environment)
        if deployment is not None:
            asked = asked.where(table.c.deployment == deployment)
        if states:
            asked = asked.where(table.c.state.in_([state.value for state in states]))
        asked = asked.order_by(table.c.deployment, table.c.position)
        return self._ask(
            lambda connection: [StepRecord.of(row) for row in connection.execute(asked).mappings()]
        )

    def has_operation(self, operation_id: str, *, ran: bool = False) -> bool:
        """Tell whether there ever was a step with this operation id; with `ran`, one that ran something."""
        table = schema.step
        asked = select(table.c.key).where(
            table.c.environment == self.environment, table.c.operation_id == operation_id
        )
        if ran:
            asked = asked.where(table.c.action == Action.RUN.value)
        return self._ask(lambda connection: connection.execute(asked.limit(1)).first()) is not None

    def has_id(self, target_id: str) -> bool:
        """Tell whether a recorded resource has this target id."""
        table = schema.resource
        asked = select(table.c.address).where(
            table.c.environment == self.environment, table.c.id == target_id
        )
        return self._ask(lambda connection: connection.execute(asked.limit(1)).first()) is not None

    def deployments(self) -> list[DeploymentRecord]:
        """Return all deployments, oldest first."""
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
                DeploymentRecord.of(row, counts.get(row["number"], {}))
                for row in connection.execute(asked).mappings()
            ]

        return self._ask(read)

    def plan_document(self, number: int) -> Any:
        """Return the plan of a deployment as it was stored. Raises `DeployError` for an unknown number."""
        table = schema.deployment
        asked = select(table.c.plan).where(table.c.environment == self.environment, table.c.number == number)
        text = self._ask(lambda connection: connection.scalar(asked))
        if text is None:
            raise DeployError(f"there is no deployment {number} of {self.environment!r}")
        return decode_column(text, Any, f"the plan of deployment {number}")

    def last_place(self) -> tuple[int, bool] | None:
        """Return the number of the last `deploy`, and whether it managed the whole machine; None if that was
        not stored."""
        table = schema.deployment
        asked = (
            select(table.c.number, table.c.wish)
            .where(table.c.environment == self.environment, table.c.verb == "deploy")
            .order_by(table.c.number.desc())
            .limit(1)
        )
        row = self._ask(lambda connection: connection.execute(asked).first())
        return None if row is None or row[1] is None else (row[0], parse_request(row[1]).here)

    def read_request(self, number: int) -> StoredRequest:
        """Return what a deployment was asked for. Raises `UsageError` for an unknown number."""
        table = schema.deployment
        asked = select(table.c.wish).where(table.c.environment == self.environment, table.c.number == number)
        row = self._ask(lambda connection: connection.execute(asked).first())
        if row is None:
            raise UsageError(
                f"there is no deployment {number} of {self.environment!r}: sabir history lists them"
            )
        if row[0] is None:
            raise DeployError(
                f"what deployment {number} was asked for was not kept: it is of an older sabir, or a call"
            )
        return parse_request(row[0])

    def files(self, wish: StoredRequest) -> dict[str, bytes]:
        """Return the decrypted project files of a request by name."""
        table = schema.blob
        asked = select(table).where(table.c.digest.in_({*wish.files.values()}))
        sealed: dict[str, bytes] = self._ask(
            lambda connection: {row["digest"]: row["data"] for row in connection.execute(asked).mappings()}
        )
        opened = {digest: self.codec.sealer.open_bytes(data) for digest, data in sealed.items()}
        for name, digest in wish.files.items():
            if digest not in opened:
                raise_damaged(f"the file {name!r} of a deployment", "its content is missing")
        return {name: opened[digest] for name, digest in wish.files.items()}

    def load_observations_at(self, number: int) -> tuple[dict[str, Value], dict[str, str]]:
        """Return the step outputs at the end of a deployment, and when each was observed, both by name."""
        table = schema.deployment
        asked = select(table.c.observed).where(
            table.c.environment == self.environment, table.c.number == number
        )
        text = self._ask(lambda connection: connection.scalar(asked)) or "{}"
        subject = f"what was observed in deployment {number}"
        sightings = parse_observations(text, subject)
        values = {name: self._value(sighting.text, subject) for name, sighting in sightings.items()}
        return values, {name: sighting.note for name, sighting in sightings.items()}

    def events(self, number: int) -> list[EventRecord]:
        """Return the events of a deployment in order."""
        table = schema.event
        asked = (
            select(table)
            .where(table.c.environment == self.environment, table.c.deployment == number)
            .order_by(table.c.number)
        )
        return self._ask(
            lambda connection: [EventRecord.of(row) for row in connection.execute(asked).mappings()]
        )

    def recorded_effects(self, kinds: Sequence[str]) -> list[RecordedEffect]:
        """Return the effects of these kinds that succeeded, in all environments, oldest first.

        Effects of programs that have no record and no open step any more do not count.
        """
        call, step, resource = schema.call, schema.step, schema.resource
        recorded = (resource.c.environment == step.c.environment) & (resource.c.target == step.c.target)
        is_open = step.c.state.in_([StepState.INTENT.value, StepState.UNKNOWN.value])
        asked = (
            select(call, step.c.environment, step.c.deployment, step.c.address)
            .join(step, step.c.operation_id == call.c.operation_id)
            .where(
                call.c.state == StepState.DONE.value,
                or_(*(call.c.effect.startswith(f"{kind} ", autoescape=True) for kind in kinds)),
                or_(exists().where(recorded), is_open),
            )
            .order_by(step.c.deployment)
        )
        # A step that was continued has its operation in several deployments; it belongs to the first.
        rows: dict[tuple[str, str], Any] = {}
        for row in self._ask(lambda connection: [*connection.execute(asked).mappings()]):
            rows.setdefault((row["operation_id"], row["position"]), row)
        ordered = sorted(rows.values(), key=lambda row: (row["deployment"], _position_key(row["position"])))
        return [effect for row in ordered if (effect := self._recorded_effect(row)) is not None]

    def _recorded_effect(self, row: Any) -> RecordedEffect | None:
        subject = f"the effect {row['position']} of {row['address']!r}"
        kind, _, text = row["effect"].partition(" ")
        outcome = self.codec.read(row["outcome"], subject)
        if outcome.get("status") != OutcomeStatus.DONE.value:
            return None
        results = outcome.get("results")
        return RecordedEffect(
            environment=row["environment"],
            application=row["address"],
            kind=kind,
            arguments=decode_column(text, dict[str, Any], subject),
            answer=results.get(ANSWER) if isinstance(results, Mapping) else None,
        )

    def calls(self, operation_id: str) -> dict[str, Mapping[str, Any]]:
        """Return the recorded effects of a program by their position."""
        table = schema.call
        asked = select(table).where(table.c.operation_id == operation_id)
        return self._ask(
            lambda connection: {row["position"]: dict(row) for row in connection.execute(asked).mappings()}
        )


def _position_key(position: str) -> list[str | int]:
    """Return the sort key of a position in a program: numbers compare as numbers."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"([0-9]+)", position)]
