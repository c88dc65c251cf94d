"""To look at resources where they are: a target that is away is tried once, and hides only what is on it.

Plan: the steps that a deployment would take, and why.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.engine.connections import Connections
from sabir.deployments.placement import not_looked_at, told_by_targets
from sabir.deployments.plan.compare import unknown_names
from sabir.deployments.plan.decisions import recorded_resource
from sabir.deployments.store.records import ResourceRecord
from sabir.deployments.store.store import Store
from sabir.deployments.targets import Placed, Targets
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.reasons import said_by
from sabir.errors import DeployError, UnreachableError
from sabir.operations.deployment.preparation import Prepared
from sabir.resources.driver import Connection, Driver, DriverContext
from sabir.resources.outcome import Reading
from sabir.resources.target import Target


class Unseen(Struct, frozen=True):
    """A resource that could not be looked at."""

    reason: str
    is_reached: bool = True
    """Whether its target was."""


class Looker(Connections):
    """Connections for who only looks. Who acts tries again after a while; here everything on a target shares the one attempt."""

    def __init__(self, context: DriverContext) -> None:
        super().__init__(context)
        self._attempts: dict[tuple[str, str], asyncio.Future[Connection]] = {}

    async def open(self, driver: Driver, target: Target) -> Connection:
        attempts = self._attempts
        key = driver.name, target.name
        if key not in attempts:
            attempts[key] = asyncio.ensure_future(super().open(driver, target))
        return await asyncio.shield(attempts[key])

    async def look(self, placed: Placed, recorded_id: str | None) -> Reading | Unseen:
        try:
            connection = await self.of(placed)
        except Exception as error:  # noqa: BLE001  whatever a driver raises is told of its target
            return Unseen(why_unseen(error), is_reached=False)
        try:
            return await connection.read(placed.resource, recorded_id)
        except Exception as error:  # noqa: BLE001  and of its resource
            return Unseen(why_unseen(error), is_reached=not isinstance(error, UnreachableError))


def why_unseen(error: Exception) -> str:
    return str(error) if isinstance(error, DeployError) else f"{type(error).__name__}: {said_by(error)}"


class World(Struct, frozen=True, kw_only=True):
    """What was seen when the world was looked at."""

    readings: Mapping[str, Reading] = {}
    unseen: Mapping[str, Unseen] = {}
    placed: Mapping[str, Placed] = {}
    """Where was looked."""

    def findings(self, wanted: Mapping[str, Placed]) -> tuple[Finding, ...]:
        """What targets said of what is wanted, and which of them said nothing."""
        groups: dict[tuple[str, Unseen], list[Placed]] = {}
        for address, unseen in self.unseen.items():
            placed = self.placed[address]
            alike = replace(unseen, reason=unseen.reason.removeprefix(f"{address}: "))
            groups.setdefault((placed.target.name, alike), []).append(placed)
        return (
            *told_by_targets(wanted, self.readings),
            *(
                not_looked_at(placed, unseen.reason, is_reached=unseen.is_reached)
                for (_, unseen), placed in groups.items()
            ),
        )


def read_world(prepared: Prepared, store: Store) -> World:
    """Every recorded resource as it is in the world now, and those new ones of which only the target can tell."""
    records = prepared.snapshot.records
    placed = {address: _placed(prepared, store, record) for address, record in records.items()}
    kept = {address: place for address, place in placed.items() if not place.kind.runs}
    kept |= {
        address: place
        for address, place in prepared.placed.items()
        if address not in records and place.kind.tells and not unknown_names(place.resource.desired)
    }
    ids = {address: record.id for address, record in records.items()}
    looked = asyncio.run(_look_at_all(prepared.context, kept, ids))
    return World(
        readings={address: each for address, each in looked.items() if isinstance(each, Reading)},
        unseen={address: each for address, each in looked.items() if isinstance(each, Unseen)},
        placed=kept,
    )


async def _look_at_all(
    context: DriverContext, placed: Mapping[str, Placed], ids: Mapping[str, str | None]
) -> dict[str, Reading | Unseen]:
    async with Looker(context) as looker:
        looks = (looker.look(place, ids.get(address)) for address, place in placed.items())
        return dict(zip(placed, await asyncio.gather(*looks), strict=True))


def _placed(prepared: Prepared, store: Store, record: ResourceRecord) -> Placed:
    """What is wanted of a recorded resource, or what was."""
    wanted = prepared.placed.get(record.address)
    if wanted is not None and wanted.resource.kind == record.kind:
        return wanted
    return recorded_place(prepared.targets, store, record)


def recorded_place(targets: Targets, store: Store, record: ResourceRecord) -> Placed:
    """A resource as it is recorded, at its target."""
    resource = recorded_resource(record, store.codec)
    try:
        return targets.placed_as(resource, target=record.target, driver=record.driver)
    except DeployError as error:
        raise DeployError(f"{record.address} is recorded on {record.target!r}: {error}") from error
