"""What a state holds at one moment."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from sabir.deployments.store.records import Fact, Record
from sabir.graph.values import Value

__all__ = ["Snapshot"]


class Snapshot(Struct, frozen=True, kw_only=True, eq=False):
    serial: int
    """The number of the state: another one tells that it has moved on."""
    records: Mapping[str, Record]
    """Every resource that is recorded, by the text of its address."""
    facts: Mapping[str, Fact]
    """What steps gave back, expired ones among them."""
    observed: Mapping[str, Value]
    """The values of the facts that count."""
