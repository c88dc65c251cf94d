"""Sites and steps: the data that the recorder stores about a run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from enum import Enum
from itertools import chain
from typing import Any, Final, Union

from msgspec import Struct

from sabir.graph.origin import How, Origin
from sabir.text import Location, Place


class DecisionOutcome(Enum):
    """The result of a decision (a condition, a loop); the value is shown to users."""

    HELD = "holds"
    DID_NOT_HOLD = "does not hold"
    NO_ROUND = "goes over nothing"
    NOTHING_ADDED = "adds nothing"


class Site(Struct, frozen=True, eq=False):
    """A place in a source that computes something: compared by identity, the same object in every run."""

    place: Place | Location
    how: How
    note: str | None = None
    outcome: DecisionOutcome | None = None

    @property
    def words(self) -> str | None:
        """The note of the site in a chain."""
        return self.note if self.outcome is None else self.outcome.value


Cell = tuple[Any, Any]
"""Owner and name; None is the name of the owner itself. A plain tuple, because each read creates and hashes one."""


class ProvenanceStep(Struct, eq=False):
    """One run of a site, or several runs merged.

    `reads` is a tuple until the step absorbs another run, then a dictionary whose keys are the sources.
    """

    site: Site
    reads: Collection[ValueSource] = ()
    decided_by: Sources = ()
    cell: Cell | None = None
    """What it wrote, if known."""

    def gather(self, reads: Iterable[ValueSource], decided_by: Sources) -> None:
        """Absorb the sources of another iteration of the same step."""
        gathered = self.reads if isinstance(self.reads, dict) else dict.fromkeys(self.reads)
        for source in reads:
            if isinstance(source, Join):  # each iteration has a new join, but what it joins is not new
                gathered.update(dict.fromkeys(source.reads))
            else:
                gathered[source] = None
        for source in decided_by:
            if source not in self.decided_by:
                gathered[source] = None
        gathered.pop(self, None)
        self.reads = gathered

    def sources(self) -> Iterator[ValueSource]:
        """Return everything it depends on: first what it read, then what decided that it ran."""
        return chain(self.reads, self.decided_by)


class Join(ProvenanceStep, eq=False):
    """Several steps, any of which may have made the value. It is not a run of a site and not a link of a chain."""


ValueSource = Union[ProvenanceStep, Cell, Origin]
Sources = tuple[ValueSource, ...]

NOWHERE: Final = Site(Location("", 0, 0), How.EXPRESSION)
"""The site of steps without a place."""


def join_sources(sources: Iterable[ValueSource], cell: Cell | None = None) -> Join:
    """Return a join of sources; `cell` is what holds the value, if known."""
    return Join(NOWHERE, tuple(sources), (), cell)
