"""State: list, move, forget, export and import recorded resources, and rotate encryption keys.

No target is touched. An exported document may have been edited, so `read_export` accepts it completely or not
at all.
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
from sabir.errors import DeployError, InputError, UsageError
from sabir.operations.deployment.environment import EnvironmentRequest, open_state
from sabir.resources.driver import DriverContext

FORMAT: Final = "sabir.state/1"


class _Resource(Struct, kw_only=True):
    """A row of the resource table, without the environment."""

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
    """Return the records and facts of an exported state; raise `InputError` for an invalid document."""
    exported: _StateExport = read_document(data, _StateExport, "this is no exported state")
    if exported.format != FORMAT:
        raise InputError(f"this is no exported state: its format is {exported.format!r}, not {FORMAT}")
    for resource in exported.resources:
        _check_json(resource.desired, dict[str, Any], resource.address)
        _check_json(resource.fields or "{}", dict[str, Any], resource.address)
        _check_json(resource.requires, list[str], resource.address)
    for fact in exported.facts:
        _check_json(fact.value, dict[str, Any], fact.name)
    records = [ResourceRecord.of(structs.asdict(resource)) for resource in exported.resources]
    return records, [Fact.of(structs.asdict(fact)) for fact in exported.facts]


def _check_json(text: str, type_: Any, address: str) -> None:
    """Raise `InputError` unless a string of the document contains JSON of the given type."""
    read_document(text.encode("utf-8", "replace"), type_, f"this is no exported state: {address}")


def read_document(data: bytes, type_: Any, refusal: str) -> Any:
    """Decode JSON as a type; raise `InputError` with `refusal` and the reason."""
    try:
        return msgspec.json.decode(data, type=type_)
    except UNDECODED as error:
        raise InputError(f"{refusal}: {explain_decode_error(error, data)}") from error


def state_records(request: EnvironmentRequest) -> tuple[dict[str, ResourceRecord], Callable[[str], Any]]:
    """Return all recorded resources, and a decoder for the strings in them."""
    with open_state(request, create=False) as store:
        return store.records(), store.codec.read


@contextmanager
def open_journal(request: EnvironmentRequest) -> Generator[Journal]:
    """Yield the journal of an environment while holding its lock."""
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
    """Rename a resource in the state; nothing on the target changes."""
    with open_journal(request) as journal:
        records = journal.store.records()
        _find_record(records, before)
        if after in records:
            raise UsageError(f"{after!r} is recorded already")
        move_all(journal, {before: after}, serial=True)


def move_all(journal: Journal, moves: Mapping[str, str], *, serial: bool = False) -> None:
    """Rename records and their facts; with `serial` the state gets a new serial number."""
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
    """Remove a resource from the state; it stays on the target."""
    with open_journal(request) as journal:
        _find_record(journal.store.records(), address)
        journal.now_all([journal.forget(address), journal.forget_facts(address)], moves=True)


def export_state(request: EnvironmentRequest) -> dict[str, Any]:
    """Return the records of all resources as a document; secrets stay encrypted."""
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
    """Write a document of `export_state` into an empty state; return the number of resources."""
    records, facts = read_export(data)
    with open_journal(request) as journal:
        if journal.store.records():
            raise DeployError("there is a state already: import into an empty one, with --state")
        journal.now_all([*map(journal.record, records), *map(journal.fact, facts)], moves=True)
    return len(records)


def rotate_keys(request: EnvironmentRequest) -> int:
    """Encrypt every secret with the newest key; return the number of texts that were encrypted again."""
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
    """Return the request and observations of a deployment with secrets encrypted again; empty without
    secrets.
    """
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
