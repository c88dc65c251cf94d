"""Resources that are called otherwise now: their records follow the names."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from sabir.deployments.store.records import Fact, ResourceRecord
from sabir.errors import DeployError

__all__ = ["moved_facts", "moved_records", "moves_of"]


def moves_of(moved: Mapping[str, str], records: Mapping[str, ResourceRecord]) -> dict[str, str]:
    """The moves that are still to be made. Both addresses recorded is a contradiction that only a person can solve."""
    moves: dict[str, str] = {}
    for before, after in moved.items():
        if before not in records:
            continue
        if after in records:
            raise DeployError(
                f"moved: {before} is recorded, and so is {after}: forget one of them with `sabir state rm`"
            )
        moves[before] = after
    return moves


def moved_records(
    records: Mapping[str, ResourceRecord], moves: Mapping[str, str]
) -> dict[str, ResourceRecord]:
    """The records by the names they have now."""
    if not moves:
        return dict(records)
    return {
        moves.get(address, address): replace(
            record,
            address=moves.get(address, address),
            requires=tuple(moves.get(other, other) for other in record.requires),
        )
        for address, record in records.items()
    }


def moved_facts(facts: Mapping[str, Fact], moves: Mapping[str, str]) -> dict[str, Fact]:
    """What goes with a resource is called after it, as far as it was an attribute of it."""
    moved: dict[str, Fact] = {}
    for name, fact in facts.items():
        instance, bar, attribute = name.partition("|")
        after = moves.get(instance, instance) + bar + attribute
        moved[after] = replace(fact, name=after, address=moves.get(fact.address, fact.address))
    return moved
