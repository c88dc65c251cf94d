"""The document of an exported state: whatever somebody has made of it, it is either right or refused.

What is remembered, and how it is put right by hand: history, state, unknown outcomes, keys.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import msgspec
from msgspec import Struct, structs
from msgspec.structs import replace
from sqlalchemy import Connection

from sabir.deployments.deployment import DeployOptions, hold_environment
from sabir.deployments.plan.compare import move_facts, move_records
from sabir.deployments.store import schema
from sabir.deployments.store.journal import Journal
from sabir.deployments.store.records import Fact, RecordStatus, ResourceRecord, StepRecord, intent_of
from sabir.deployments.store.requests import parse_observations, parse_request
from sabir.deployments.store.seal import Codec
from sabir.diagnostics.decoding import UNDECODED, explain_decode_error
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import DeployError, UnusableInput, UsageError
from sabir.operations.deployment.environment import EnvironmentRequest, open_state
from sabir.resources.driver import DriverContext

FORMAT: Final = "sabir.state/1"


class _Resource(Struct, kw_only=True):
    """A row of the table of resources, without the environment."""

    address: str
    kind: str
    target: str
    driver: str
    status: RecordStatus
    id: str | None
    desired: str
    fields: str | None
    requires: str
    deployment: int
    step: str
    origin: str | None


class _Fact(Struct, kw_only=True):
    name: str
    address: str
    value: str
    deployment: int
    step: str
    position: int
    at: str
    expired: int


class _StateExport(Struct):
    format: str
    resources: list[_Resource]
    facts: list[_Fact] = []


def read_export(data: bytes) -> tuple[list[ResourceRecord], list[Fact]]:
    exported: _StateExport = read_document(data, _StateExport, "this is no exported state")
    if exported.format != FORMAT:
        raise UnusableInput(f"this is no exported state: its format is {exported.format!r}, not {FORMAT}")
    for resource in exported.resources:
        _check_json(resource.desired, dict[str, Any], resource.address)
        _check_json(resource.fields or "{}", dict[str, Any], resource.address)
        _check_json(resource.requires, list[str], resource.address)
    for fact in exported.facts:
        _check_json(fact.value, dict[str, Any], fact.name)
    records = [ResourceRecord.of(structs.asdict(resource)) for resource in exported.resources]
    return records, [Fact.of(structs.asdict(fact)) for fact in exported.facts]


def _check_json(text: str, type_: Any, address: str) -> None:
    """What is a text in the document is JSON again."""
    read_document(text.encode("utf-8", "replace"), type_, f"this is no exported state: {address}")


def read_document(data: bytes, type_: Any, refusal: str) -> Any:
    """JSON as a type; whatever is wrong with it is said after the words of the refusal."""
    try:
        return msgspec.json.decode(data, type=type_)
    except UNDECODED as error:
        raise UnusableInput(f"{refusal}: {explain_decode_error(error, data)}") from error


def state_records(request: EnvironmentRequest) -> tuple[dict[str, ResourceRecord], Callable[[str], Any]]:
    """Everything that is recorded, and a reader for the texts in it."""
    with open_state(request, create=False) as store:
        return store.records(), store.codec.read


@contextmanager
def open_journal(request: EnvironmentRequest) -> Generator[Journal]:
    """The journal of an environment, while its lock is held."""
    context = DriverContext(session=request.evaluation.session, folder=request.folder)
    with (
        open_state(request, create=True) as store,
        hold_environment(store, context, DeployOptions()) as writer,
    ):
        yield Journal(store, writer, context.session.clock)


def _find_record(records: Mapping[str, ResourceRecord], address: str) -> ResourceRecord:
    record = records.get(address)
    if record is None:
        hint = did_you_mean(address, records)
        raise UsageError(f"nothing is recorded under {address!r}" + (f": {hint}" if hint else ""))
    return record


def move_resource(request: EnvironmentRequest, before: str, after: str) -> None:
    """A resource is called otherwise from now on; nothing in the world changes."""
    with open_journal(request) as journal:
        records = journal.store.records()
        _find_record(records, before)
        if after in records:
            raise UsageError(f"{after!r} is recorded already")
        move_all(journal, {before: after}, serial=True)


def move_all(journal: Journal, moves: Mapping[str, str], *, serial: bool = False) -> None:
    """Records and facts follow the names; with `serial` the state gets a new number."""
    records, facts = journal.store.records(), journal.store.facts()
    writes = [journal.forget(address) for address in moves]
    writes += [
        journal.record(record)
        for record in move_records(records, moves).values()
        if records.get(record.address) != record
    ]
    owners = {fact.address for fact in facts.values()} & moves.keys()
    writes += [journal.forget_facts(address) for address in owners]
    writes += [
        journal.fact(fact) for name, fact in move_facts(facts, moves).items() if facts.get(name) != fact
    ]
    journal.now_all(writes, moves=serial)


def forget_resource(request: EnvironmentRequest, address: str) -> None:
    """sabir no longer keeps the resource; it stays in the world."""
    with open_journal(request) as journal:
        _find_record(journal.store.records(), address)
        journal.now_all([journal.forget(address), journal.forget_facts(address)], moves=True)


def export_state(request: EnvironmentRequest) -> dict[str, Any]:
    """The record of all resources as a document; secrets stay sealed."""
    with open_state(request, create=False) as store:
        rows = [record.row(store.environment) for record in store.records().values()]
        return {
            "format": FORMAT,
            "environment": store.environment,
            "state": store.serial(),
            "resources": rows,
            "facts": [fact.row(store.environment) for fact in store.facts().values()],
        }


def import_state(request: EnvironmentRequest, data: bytes) -> int:
    """Take a document of `export_state` in place of an empty state; how many resources it has."""
    records, facts = read_export(data)
    with open_journal(request) as journal:
        if journal.store.records():
            raise DeployError("there is a state already: import into an empty one, with --state")
        journal.now_all([*map(journal.record, records), *map(journal.fact, facts)], moves=True)
    return len(records)


def rotate_keys(request: EnvironmentRequest) -> int:
    """Seal every secret with the newest key; how many texts were sealed anew."""
    count = 0

    def renew(journal: Journal, connection: Connection) -> None:
        nonlocal count
        codec = journal.store.codec
        for table, columns in (
            (schema.resource, ("desired", "fields")),
            (schema.fact, ("value",)),
            (schema.call, ("outcome",)),
        ):
            for row in connection.execute(table.select()).mappings().all():
                changed = {
                    name: codec.write(codec.read(row[name])) for name in columns if _holds_secret(row[name])
                }
                if changed:
                    count += 1
                    keys = [column == row[column.name] for column in table.primary_key]
                    connection.execute(table.update().where(*keys).values(**changed))
        for row in connection.execute(schema.step.select()).mappings().all():
            if _holds_secret(row["task"]):
                renewed_intent = intent_of(StepRecord.of(row)).reencrypt(codec)
                keys = [column == row[column.name] for column in schema.step.primary_key]
                connection.execute(schema.step.update().where(*keys).values(task=renewed_intent.text))
                count += 1

        for row in connection.execute(schema.blob.select()).mappings().all():
            renewed_data = codec.sealer.seal_bytes(codec.sealer.open_bytes(row["data"]))
            connection.execute(
                schema.blob.update().where(schema.blob.c.digest == row["digest"]).values(data=renewed_data)
            )
            count += 1
        for row in connection.execute(schema.deployment.select()).mappings().all():
            renewed = _reencrypt_history(codec, row["wish"], row["observed"])
            if renewed:
                keys = [column == row[column.name] for column in schema.deployment.primary_key]
                connection.execute(schema.deployment.update().where(*keys).values(**renewed))
                count += 1

    with open_journal(request) as journal:
        journal.writer.run_now(lambda connection: renew(journal, connection))
    return count


def _holds_secret(text: Any) -> bool:
    return isinstance(text, str) and "$sensitive" in text


def _reencrypt_history(codec: Codec, wish: str | None, observed: str | None) -> dict[str, str]:
    """What a deployment was asked for and saw, with its secrets sealed anew; nothing when there are none."""
    renewed: dict[str, str] = {}
    if wish is not None and _holds_secret(wish):
        kept = parse_request(wish)
        if kept.settings is not None:
            renewed["wish"] = replace(kept, settings=codec.write(codec.read(kept.settings))).text
    if observed is not None and _holds_secret(observed):
        sightings = parse_observations(observed, "what was observed in a deployment")
        anew = {
            name: replace(
                sighting, value=msgspec.json.decode(codec.write(codec.read(sighting.text)))["value"]
            )
            for name, sighting in sightings.items()
        }
        renewed["observed"] = msgspec.json.encode(anew).decode("utf-8")
    return renewed
