"""Sites and steps: what the recorder keeps of a run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from enum import Enum
from itertools import chain
from typing import Any, Final, Union

from msgspec import Struct

from sabir.graph.origin import How, Origin
from sabir.text import Location, Place


class DecisionOutcome(Enum):
    """How something ended that decides: what code asks for. The value is what people read."""

    HELD = "holds"
    DID_NOT_HOLD = "does not hold"
    NO_ROUND = "goes over nothing"
    NOTHING_ADDED = "adds nothing"


class Site(Struct, frozen=True, eq=False):
    """A place in a text that computes: known by its identity, the same at every run."""

    place: Place | Location
    how: How
    note: str | None = None
    outcome: DecisionOutcome | None = None

    @property
    def words(self) -> str | None:
        """What is said of it in a chain."""
        return self.note if self.outcome is None else self.outcome.value


Cell = tuple[Any, Any]
"""Its owner and its name; None is the name of the owner itself. A plain tuple: one is made and hashed at each read."""


class ProvenanceStep(Struct, eq=False):
    """One run of a site, or all its runs that are told as one.

    `reads` is a tuple until the step gathers, and from then on a dictionary whose keys are the sources.
    """

    site: Site
    reads: Collection[ValueSource] = ()
    decided_by: Sources = ()
    cell: Cell | None = None
    """What it wrote, where that is known."""

    def gather(self, reads: Iterable[ValueSource], decided_by: Sources) -> None:
        """Take in what another round of the same step rests on."""
        gathered = self.reads if isinstance(self.reads, dict) else dict.fromkeys(self.reads)
        for source in reads:
            if isinstance(source, Join):  # there is a new one at every round; what it joins is not new
                gathered.update(dict.fromkeys(source.reads))
            else:
                gathered[source] = None
        for source in decided_by:
            if source not in self.decided_by:
                gathered[source] = None
        gathered.pop(self, None)
        self.reads = gathered

    def sources(self) -> Iterator[ValueSource]:
        """All that it rests on: what it read, then what decided."""
        return chain(self.reads, self.decided_by)


class Join(ProvenanceStep, eq=False):
    """Several steps of which any may have made the value: no run of anything, and no link of a chain."""


ValueSource = Union[ProvenanceStep, Cell, Origin]
Sources = tuple[ValueSource, ...]

NOWHERE: Final = Site(Location("", 0, 0), How.EXPRESSION)
"""The site of what has no place of its own."""


def join_sources(sources: Iterable[ValueSource], cell: Cell | None = None) -> Join:
    return Join(NOWHERE, tuple(sources), (), cell)
