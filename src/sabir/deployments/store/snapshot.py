"""What a state holds at one moment, and what it held when a step of an unfinished deployment ran."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from sabir.deployments.store.records import Fact, ResourceRecord
from sabir.graph.values import Value

__all__ = ["Snapshot", "Unfinished"]


class Snapshot(Struct, frozen=True, kw_only=True, eq=False):
    serial: int
    """The number of the state: another one tells that it has moved on."""
    records: Mapping[str, ResourceRecord]
    """Every resource that is recorded, by the text of its address."""
    facts: Mapping[str, Fact]
    """What steps gave back, expired ones among them."""
    observed: Mapping[str, Value]
    """The values of the facts that count."""


class Unfinished(Struct, frozen=True, kw_only=True, eq=False):
    """The last deployments, as far back as none of them ended well: the next one resumes them."""

    numbers: frozenset[int] = frozenset()
    is_open: bool = False
    """Whether the last of them was cut off and nothing has been done about it since."""
    positions: Mapping[tuple[int, str], int] = {}
    """The position of each step, by deployment and key."""
    before: Mapping[str, Value] = {}
    """What had been observed before them."""
    snapshot: Snapshot | None = None

    def values_then(self, record: ResourceRecord) -> Mapping[str, Value] | None:
        """Return what had been observed when a resource had its step; None when that was in an earlier deployment."""
        if self.snapshot is None or record.deployment not in self.numbers:
            return None
        ran = record.deployment, self.positions.get((record.deployment, record.step), 0)
        values: dict[str, Value] = {}
        for name, value in self.snapshot.observed.items():
            fact = self.snapshot.facts[name]
            if fact.deployment < min(self.numbers) or (fact.deployment, fact.position) < ran:
                values[name] = value
            elif name in self.before:
                values[name] = self.before[name]
        return values
