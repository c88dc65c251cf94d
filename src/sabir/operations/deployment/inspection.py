"""Reading of the actual state of resources, for commands that do not change anything.

A target that is unreachable is tried once. Its resources are reported as unreadable; all others are still
read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.engine.connections import Connections
from sabir.deployments.placement import report_target_problems, report_unread_resource
from sabir.deployments.plan.compare import find_unknown_fields
from sabir.deployments.plan.decisions import restore_resource
from sabir.deployments.store.records import ResourceRecord
from sabir.deployments.store.store import StateStore
from sabir.deployments.targets import PlacedResource, Targets
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.reasons import error_text
from sabir.errors import DeployError, UnreachableError
from sabir.operations.deployment.preparation import PreparedEnvironment
from sabir.resources.driver import Connection, Driver, DriverContext
from sabir.resources.outcome import ResourceReading
from sabir.resources.target import Target


class UnreadableResource(Struct, frozen=True):
    """A resource whose actual state could not be read."""

    reason: str
    is_reached: bool = True
    """Whether the target was reachable."""


class ResourceInspector(Connections):
    """Connections for reading.

    A deployment retries a connection after a while. Here all resources of a target share one attempt.
    """

    def __init__(self, context: DriverContext) -> None:
        super().__init__(context)
        self._attempts: dict[tuple[str, str], asyncio.Future[Connection]] = {}

    async def open(self, driver: Driver, target: Target) -> Connection:
        attempts = self._attempts
        key = driver.name, target.name
        if key not in attempts:
            attempts[key] = asyncio.ensure_future(super().open(driver, target))
        return await asyncio.shield(attempts[key])

    async def inspect(
        self, placed: PlacedResource, recorded_id: str | None
    ) -> ResourceReading | UnreadableResource:
        try:
            connection = await self.of(placed)
        except Exception as error:  # noqa: BLE001  whatever a driver raises is told of its target
            return UnreadableResource(describe_read_failure(error), is_reached=False)
        try:
            return await connection.read(placed.resource, recorded_id)
        except Exception as error:  # noqa: BLE001  and of its resource
            return UnreadableResource(
                describe_read_failure(error), is_reached=not isinstance(error, UnreachableError)
            )


def describe_read_failure(error: Exception) -> str:
    """Return the message of an expected error, or the type and text of any other."""
    return str(error) if isinstance(error, DeployError) else f"{type(error).__name__}: {error_text(error)}"


class ActualState(Struct, frozen=True, kw_only=True):
    """The actual state of an environment's resources."""

    readings: Mapping[str, ResourceReading] = {}
    unseen: Mapping[str, UnreadableResource] = {}
    placed: Mapping[str, PlacedResource] = {}
    """The placements that were read."""

    def findings(self, wanted: Mapping[str, PlacedResource]) -> tuple[Finding, ...]:
        """Return what targets reported about the desired resources, and which targets could not be read."""
        groups: dict[tuple[str, UnreadableResource], list[PlacedResource]] = {}
        for address, unseen in self.unseen.items():
            placed = self.placed[address]
            alike = replace(unseen, reason=unseen.reason.removeprefix(f"{address}: "))
            groups.setdefault((placed.target.name, alike), []).append(placed)
        return (
            *report_target_problems(wanted, self.readings),
            *(
                report_unread_resource(placed, unseen.reason, is_reached=unseen.is_reached)
                for (_, unseen), placed in groups.items()
            ),
        )


def read_actual_state(prepared: PreparedEnvironment, store: StateStore) -> ActualState:
    """Read every recorded resource, and new ones whose plan only the target can determine."""
    records = prepared.snapshot.records
    placed = {address: _find_placement(prepared, store, record) for address, record in records.items()}
    kept = {address: place for address, place in placed.items() if not place.kind.runs}
    kept |= {
        address: place
        for address, place in prepared.placed.items()
        if address not in records and place.kind.tells and not find_unknown_fields(place.resource.desired)
    }
    ids = {address: record.id for address, record in records.items()}
    looked = asyncio.run(_inspect_all(prepared.context, kept, ids))
    return ActualState(
        readings={address: each for address, each in looked.items() if isinstance(each, ResourceReading)},
        unseen={address: each for address, each in looked.items() if isinstance(each, UnreadableResource)},
        placed=kept,
    )


async def _inspect_all(
    context: DriverContext, placed: Mapping[str, PlacedResource], ids: Mapping[str, str | None]
) -> dict[str, ResourceReading | UnreadableResource]:
    async with ResourceInspector(context) as looker:
        looks = (looker.inspect(place, ids.get(address)) for address, place in placed.items())
        return dict(zip(placed, await asyncio.gather(*looks), strict=True))


def _find_placement(
    prepared: PreparedEnvironment, store: StateStore, record: ResourceRecord
) -> PlacedResource:
    """Return the desired placement of a recorded resource, or the recorded one if it is no longer desired."""
    wanted = prepared.placed.get(record.address)
    if wanted is not None and wanted.resource.kind == record.kind:
        return wanted
    return place_record(prepared.targets, store, record)


def place_record(targets: Targets, store: StateStore, record: ResourceRecord) -> PlacedResource:
    """Return a resource as it is recorded, with its target."""
    resource = restore_resource(record, store.codec)
    try:
        return targets.place_recorded(resource, target=record.target, driver=record.driver)
    except DeployError as error:
        raise DeployError(f"{record.address} is recorded on {record.target!r}: {error}") from error
