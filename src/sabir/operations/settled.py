"""What a call has brought to what is described is recorded so: a deployment after an upgrade does not do it again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from sabir.deployments.plan.compare import unknown_names, wanted_fields
from sabir.deployments.store.journal import Journal
from sabir.deployments.store.records import RecordStatus, ResourceRecord
from sabir.deployments.store.store import Store
from sabir.operations.deploying import Prepared
from sabir.operations.offers import Offer

__all__ = ["record_settled"]


def record_settled(offers: Iterable[Offer], prepared: Prepared, store: Store, journal: Journal) -> None:
    """Record what these operations settle; what is not recorded yet is left to the next deployment."""
    addresses = {address: None for offer in offers for address in _settled(offer)}
    records = store.records()
    writes = [
        journal.record(record)
        for address in addresses
        if address in records
        for record in _as_described(records[address], prepared, store, journal)
    ]
    if writes:
        journal.now_all(writes, moves=True)


def _settled(offer: Offer) -> Iterator[str]:
    if offer.operation is not None and offer.operation.settles is not None:
        yield from map(str, offer.operation.settles())


def _as_described(
    record: ResourceRecord, prepared: Prepared, store: Store, journal: Journal
) -> Iterator[ResourceRecord]:
    placed = prepared.placed.get(record.address)
    if placed is None or placed.target.name != record.target:
        return
    fields = wanted_fields(placed.resource, store.observed())
    if not unknown_names(fields):
        yield replace(
            record,
            status=RecordStatus.PRESENT,
            desired=journal.fields(fields),
            fields=None,
            deployment=journal.number,
            step="call",
        )
