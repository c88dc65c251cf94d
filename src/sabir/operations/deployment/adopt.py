"""Adopt: record existing resources as part of an environment, without changing them.

Differences from the desired state are reported; the next deployment removes them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.deployment import DeployOptions, hold_environment
from sabir.deployments.engine.connections import Connections
from sabir.deployments.plan.compare import drop_ignored_changes, find_unknown_fields, resolve_fields
from sabir.deployments.store.journal import Journal
from sabir.deployments.store.records import DeploymentState, RecordStatus, ResourceRecord
from sabir.deployments.store.store import StateStore
from sabir.deployments.store.writer import Write
from sabir.deployments.targets import PlacedResource
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.reasons import explain_error
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError
from sabir.graph.values import Value
from sabir.operations.deployment.environment import EnvironmentRequest, open_state
from sabir.operations.deployment.execution import build_audit
from sabir.operations.deployment.preparation import PreparedEnvironment, prepare_environment
from sabir.resources.outcome import FieldChange, ResourceReading


class AdoptedResource(Struct, frozen=True, kw_only=True):
    """One resource: whether it was adopted, and how it differs from the desired state."""

    address: str
    kind: str
    taken: bool = False
    """Whether it exists and is recorded now."""
    differences: tuple[FieldChange, ...] = ()
    reason: str | None = None
    """Why it was not adopted."""


class AdoptResult(Struct, frozen=True, kw_only=True):
    """The resources that were looked for, and the entry in the history."""

    resources: tuple[AdoptedResource, ...] = ()
    number: int | None = None
    """The number of the entry in the history; None if nothing was adopted."""
    findings: tuple[Finding, ...] = ()
    failed: bool = False


def adopt_path(request: EnvironmentRequest, ids: Mapping[str, str | None] | None = None) -> AdoptResult:
    """Adopt resources that the project desires, that are not recorded, and that exist.

    `ids` limits this to the given addresses; a value is the identifier of the resource on its target.
    """
    with open_state(request, create=True) as store:
        prepared = prepare_environment(request, store)
        if prepared.failed:
            return AdoptResult(findings=prepared.findings, failed=True)
        options = DeployOptions(audit=build_audit(request, prepared.context))
        with hold_environment(store, prepared.context, options) as writer:
            chosen = _select_resources(prepared, store.records(), ids or {})
            readings = asyncio.run(_read_resources(prepared, chosen, ids or {}, store))
            journal = Journal(store, writer, prepared.context.session.clock)
            resources, number = _record_resources(journal, chosen, readings, options.audit)
    return AdoptResult(resources=resources, number=number, findings=prepared.findings)


def _select_resources(
    prepared: PreparedEnvironment, records: Mapping[str, ResourceRecord], ids: Mapping[str, str | None]
) -> dict[str, PlacedResource]:
    for address in ids:
        if address in records:
            raise UsageError(f"{address} is recorded already: sabir state show PATH {address}")
        if address not in prepared.placed:
            hint = did_you_mean(address, prepared.placed)
            raise UsageError(f"{address!r} is not described" + (f": {hint}" if hint else ""))
    return {
        address: placed
        for address, placed in prepared.placed.items()
        if (address in ids if ids else address not in records)
    }


async def _read_resources(
    prepared: PreparedEnvironment,
    chosen: Mapping[str, PlacedResource],
    ids: Mapping[str, str | None],
    store: StateStore,
) -> dict[str, ResourceReading | str]:
    """Return the actual state of each resource, or the reason why it cannot be read."""
    observed = store.load_observations()
    async with Connections(prepared.context) as connections:

        async def read(address: str, placed: PlacedResource) -> tuple[str, ResourceReading | str]:
            if placed.kind.runs:
                return address, "it is run, not kept: there is nothing to take over"
            fields = resolve_fields(placed.resource, observed)
            if find_unknown_fields(fields):
                return address, "some of its fields are not known yet"
            try:
                connection = await connections.of(placed)
                resource = replace(placed.resource, desired=fields)
                return address, await connection.read(resource, ids.get(address))
            except Exception as error:  # noqa: BLE001  whatever a driver raises is told of its resource
                return address, explain_error(error)

        return dict(await asyncio.gather(*(read(address, placed) for address, placed in chosen.items())))


def _record_resources(
    journal: Journal,
    chosen: Mapping[str, PlacedResource],
    readings: Mapping[str, ResourceReading | str],
    audit: Mapping[str, Value],
) -> tuple[tuple[AdoptedResource, ...], int | None]:
    there = {
        address: reading for address, reading in readings.items() if isinstance(reading, ResourceReading)
    }
    taken = {
        address: reading
        for address, reading in there.items()
        if reading.exists and reading.belongs_to is None
    }
    number: int | None = None
    if taken:
        number = journal.open("adopt", audit=audit, plan={"adopted": [*taken]}, steps=lambda _: ())
    told: list[AdoptedResource] = []
    writes: list[Write] = []
    for address, placed in chosen.items():
        reading = readings[address]
        kind = placed.resource.kind
        if isinstance(reading, str):
            told.append(AdoptedResource(address=address, kind=kind, reason=reading))
        elif not reading.exists:
            told.append(AdoptedResource(address=address, kind=kind, reason="it is not there"))
        elif reading.belongs_to is not None:
            reason = f"it belongs to environment {reading.belongs_to!r}"
            told.append(AdoptedResource(address=address, kind=kind, reason=reason))
        else:
            differences = drop_ignored_changes(
                placed.driver.diff(placed.resource, reading), placed.resource.lifecycle
            )
            writes += _build_writes(journal, placed, reading, differences)
            told.append(AdoptedResource(address=address, kind=kind, taken=True, differences=differences))
    if writes:
        journal.now_all(writes)
        journal.close(DeploymentState.DONE)
    return tuple(told), number


def _build_writes(
    journal: Journal, placed: PlacedResource, reading: ResourceReading, differences: tuple[FieldChange, ...]
) -> list[Write]:
    """Build the record. It holds the actual state, so that the next plan shows the differences."""
    resource = placed.resource
    fields: dict[str, Value] = dict(resource.desired)
    for change in differences:
        if change.field in fields:
            fields[change.field] = change.before
        else:  # it is inside a field, such as `spec.replicas` in a manifest
            fields |= {name: value for name, value in reading.fields.items() if name in fields}
    address = str(resource.address)
    record = ResourceRecord(
        address=address,
        kind=resource.kind,
        target=placed.target.name,
        driver=placed.driver.name,
        status=RecordStatus.PRESENT,
        id=reading.id,
        desired=journal.fields({name: value for name, value in fields.items() if value is not None}),
        requires=tuple(str(other) for other in resource.requires),
        deployment=journal.number,
        step="adopt",
        origin=None if resource.origin is None else str(resource.origin.location),
    )
    results = {
        str(resource.results.get(name) or resource.address.of(name)): value
        for name, value in reading.results.items()
    }
    return [journal.record(record), *journal.facts(results, address=address, step="adopt", position=0)]
