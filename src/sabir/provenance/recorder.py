"""The open list of reads, and what one recording keeps beside it: sites, steps, time, what was withheld.

Dictionaries of values that tell a recorder who reads and who writes them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Hashable, Sequence
from contextlib import contextmanager
from typing import Any

from sabir.graph.origin import How
from sabir.provenance.steps import (
    DecisionOutcome,
    Join,
    ProvenanceStep,
    Site,
    Sources,
    ValueSource,
    join_sources,
)
from sabir.text import Location, Place


class ReadTracker:
    """What is being computed now. A language with threads has one for each."""

    def __init__(self) -> None:
        self.reads: list[ValueSource] = []
        """The open list: everything that is read is appended, however often."""
        self.decided_by: Sources = ()
        """What decided that the code runs which is running."""

    def open(self) -> list[ValueSource]:
        """Begin a list. What was open before is the answer, to be given to `close`."""
        before = self.reads
        self.reads = []
        return before

    def close(self, before: list[ValueSource]) -> Sources:
        """End a list and go on with the one before; the answer is what was read in between, each source once."""
        reads = self.reads
        self.reads = before
        return self.distinct(reads) if len(reads) > 1 else tuple(reads)

    def distinct(self, reads: Sequence[ValueSource]) -> Sources:
        """What was read, each source once."""
        return tuple(dict.fromkeys(reads))

    @contextmanager
    def apart(self) -> Generator[list[ValueSource]]:
        """Read for something else than what is being computed; gives the list of that."""
        before = self.open()
        try:
            yield self.reads
        finally:
            self.reads = before


class SkippedWrites:
    """What kept something from being written, by that which would have been written."""

    def __init__(self) -> None:
        self._sources: dict[Hashable, dict[ValueSource, int]] = {}

    def note(self, target: Hashable, source: ValueSource, time: int = 0) -> None:
        """With a time, the latest note of a source counts and stands last."""
        sources = self._sources.setdefault(target, {})
        if time:
            sources.pop(source, None)
        sources.setdefault(source, time)

    def of(self, target: Hashable) -> Sources:
        sources = self._sources.get(target)
        return () if sources is None else tuple(sources)

    def knows(self, target: Hashable) -> bool:
        return target in self._sources

    def since(self, target: Hashable, time: int) -> Sequence[ValueSource]:
        """What was noted later than a time, the latest first."""
        sources = self._sources.get(target)
        if sources is None:
            return ()
        later: list[ValueSource] = []
        for source, noted in reversed(sources.items()):
            if noted <= time:  # they stand in the order of their times
                break
            later.append(source)
        return later


class Recorder:
    """What one recording knows."""

    def __init__(self) -> None:
        self.withheld = SkippedWrites()
        self._sites: dict[Hashable, Site] = {}
        self._steps: dict[tuple[Site, Sources, Sources], ProvenanceStep] = {}
        self._time = 0

    def tick(self) -> int:
        """The number of the next event: tells what was written before something was withheld, and what after."""
        self._time += 1
        return self._time

    def site(
        self,
        key: Hashable,
        place: Place | Location,
        how: How,
        note: str | None = None,
        outcome: DecisionOutcome | None = None,
    ) -> Site:
        """The site that is known by a key, made when it is asked for first."""
        site = self._sites.get(key)
        if site is None:
            site = self._sites[key] = Site(place, how, note, outcome)
        return site

    def step(self, site: Site, reads: Sources, decided_by: Sources = ()) -> ProvenanceStep:
        """A step where values are written once: the same run is the same step, however often a loop comes to it."""
        key = (site, reads, decided_by)
        step = self._steps.get(key)
        if step is None:
            step = self._steps[key] = ProvenanceStep(site, reads, decided_by)
        return step

    # -- cells that are written more than once ---------------------------------------------------------------------

    def current(self, values: WatchedDict, key: Any) -> ProvenanceStep | None:
        """The step whose value a cell holds, with what decided since then that it was not written again."""
        cells = values.cells
        latest = cells.written.get(key)
        target = values.target(key)
        if latest is None:
            first = values.first(key)
            if first is None and not self.withheld.knows(target):
                return None
            latest = cells.written[key] = (first or join_sources((), (cells, key)), 0)
        step, time = latest
        later = self.withheld.since(target, time)
        if later:
            step = self.join_steps(step, later, (cells, key))
            cells.written[key] = (step, self._time)
        return step

    def join_steps(
        self, step: ProvenanceStep, others: Sequence[ValueSource], cell: Any = None
    ) -> ProvenanceStep:
        """A value that one of several steps made; the step itself when the others add nothing to it."""
        inside: Sources = tuple(step.reads) if type(step) is Join else (step,)
        sources = set(inside)
        fresh = [source for source in others if source not in sources and source not in step.decided_by]
        return join_sources((*inside, *fresh), cell) if fresh else step


class Cells:
    """The step that wrote each cell of one owner last, and when. Holds no value, so it keeps no object alive."""

    __slots__ = ("owner", "title", "written")

    def __init__(self, owner: str | None, title: str) -> None:
        self.owner = owner
        """The id of the instance, where the cells are its attributes."""
        self.title = title
        self.written: dict[Any, tuple[ProvenanceStep, int]] = {}


class WatchedDict(dict[Any, Any]):
    """Values with their cells. What reading and writing mean is for the language to say."""

    __slots__ = ("cells",)

    def __init__(self, owner: str | None, title: str) -> None:
        super().__init__()
        self.cells = Cells(owner, title)

    def __getitem__(self, key: Any) -> Any:
        value = super().__getitem__(key)
        self.was_read(key)
        return value

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self.was_written(key, value)

    @abstractmethod
    def was_read(self, key: Any) -> None:
        """Somebody read a value."""

    @abstractmethod
    def was_written(self, key: Any, value: Any) -> None:
        """Somebody stored a value."""

    def target(self, key: Any) -> Hashable:
        """What code that did not run would have written: what `Withheld` knows it by."""
        return str(key)

    def first(self, _key: Any) -> ProvenanceStep | None:
        """The step of a value that nobody wrote."""
        return None
