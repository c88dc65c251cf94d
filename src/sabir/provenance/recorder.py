"""The recorder: the open list of reads, sites and steps, skipped writes, and dictionaries that report access."""

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
    """What is being computed now. A language with threads has one per thread."""

    def __init__(self) -> None:
        self.reads: list[ValueSource] = []
        """The open list: everything that is read is appended, duplicates included."""
        self.decided_by: Sources = ()
        """What decided that the running code runs."""

    def open(self) -> list[ValueSource]:
        """Open a new list and return the previous one, to be passed to `close`."""
        before = self.reads
        self.reads = []
        return before

    def close(self, before: list[ValueSource]) -> Sources:
        """Close the list and continue with the previous one; return what was read in between, each source once."""
        reads = self.reads
        self.reads = before
        return self.distinct(reads) if len(reads) > 1 else tuple(reads)

    def distinct(self, reads: Sequence[ValueSource]) -> Sources:
        """Return the reads, each source once, in the order of their first use."""
        return tuple(dict.fromkeys(reads))

    @contextmanager
    def apart(self) -> Generator[list[ValueSource]]:
        """Open a separate list in a `with` block: its reads do not belong to the current computation."""
        before = self.open()
        try:
            yield self.reads
        finally:
            self.reads = before


class SkippedWrites:
    """What prevented writes, by the target of the write."""

    def __init__(self) -> None:
        self._sources: dict[Hashable, dict[ValueSource, int]] = {}

    def note(self, target: Hashable, source: ValueSource, time: int = 0) -> None:
        """Record that a source prevented a write. With a time, the latest note of a source counts and is last."""
        sources = self._sources.setdefault(target, {})
        if time:
            sources.pop(source, None)
        sources.setdefault(source, time)

    def of(self, target: Hashable) -> Sources:
        """Return everything that prevented writes to a target."""
        sources = self._sources.get(target)
        return () if sources is None else tuple(sources)

    def knows(self, target: Hashable) -> bool:
        """Return whether a write to a target was prevented."""
        return target in self._sources

    def since(self, target: Hashable, time: int) -> Sequence[ValueSource]:
        """Return what was recorded after a time, the latest first."""
        sources = self._sources.get(target)
        if sources is None:
            return ()
        later: list[ValueSource] = []
        for source, noted in reversed(sources.items()):
            if noted <= time:  # they are sorted by time
                break
            later.append(source)
        return later


class Recorder:
    """The state of one recording: sites, steps, skipped writes, and a clock that counts events."""

    def __init__(self) -> None:
        self.withheld = SkippedWrites()
        self._sites: dict[Hashable, Site] = {}
        self._steps: dict[tuple[Site, Sources, Sources], ProvenanceStep] = {}
        self._time = 0

    def tick(self) -> int:
        """Return the number of the next event: it orders writes and skipped writes."""
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
        """Return the site of a key; it is created on first use."""
        site = self._sites.get(key)
        if site is None:
            site = self._sites[key] = Site(place, how, note, outcome)
        return site

    def step(self, site: Site, reads: Sources, decided_by: Sources = ()) -> ProvenanceStep:
        """Return a step where values are written once: equal runs give the same step, however often a loop repeats."""
        key = (site, reads, decided_by)
        step = self._steps.get(key)
        if step is None:
            step = self._steps[key] = ProvenanceStep(site, reads, decided_by)
        return step

    # -- cells that are written more than once ---------------------------------------------------------------------

    def current(self, values: WatchedDict, key: Any) -> ProvenanceStep | None:
        """Return the step that made the value of a cell, joined with what later prevented another write.

        Code that did not run also decides about the value: had the condition been different, the cell would hold
        another value.
        """
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
        """Return the join of a step and other sources; the step itself when they add nothing."""
        inside: Sources = tuple(step.reads) if type(step) is Join else (step,)
        sources = set(inside)
        fresh = [source for source in others if source not in sources and source not in step.decided_by]
        return join_sources((*inside, *fresh), cell) if fresh else step


class Cells:
    """The last step that wrote each cell of one owner, and when. It holds no value, so it keeps no object alive."""

    __slots__ = ("owner", "title", "written")

    def __init__(self, owner: str | None, title: str) -> None:
        self.owner = owner
        """The id of the instance, if the cells are its attributes."""
        self.title = title
        self.written: dict[Any, tuple[ProvenanceStep, int]] = {}


class WatchedDict(dict[Any, Any]):
    """A dictionary that reports reads and writes. The language defines what they mean."""

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
        """Handle a read of a value."""

    @abstractmethod
    def was_written(self, key: Any, value: Any) -> None:
        """Handle a write of a value."""

    def target(self, key: Any) -> Hashable:
        """Return the key of a cell in `SkippedWrites`: what code that did not run would have written."""
        return str(key)

    def first(self, _key: Any) -> ProvenanceStep | None:
        """Return the step of a value that was never written, or None."""
        return None
