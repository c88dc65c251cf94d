"""Steps of code that runs repeatedly: kept separate up to a limit, then merged.

A loop may run a million times, but its record must not be longer than its source. So a step that depends on its own
previous iteration *is* that iteration, which absorbs what the new one read. Steps that do not depend on each other
(for example, one for each object that a loop creates) stay separate up to a limit. Both are counted per call context:
what a method did for one object says nothing about another.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import islice
from typing import Final

from sabir.provenance.steps import Cell, ProvenanceStep, Site, Sources, ValueSource

_PRECISE: Final = 100
"""Steps of one site that stay separate in one context; further ones are merged."""
_NEAR: Final = 24
"""Steps that are visited to find out whether a step depends on its own previous iteration."""
_DEEP: Final = 8
"""Nesting depth of contexts from which recursion is searched for."""


class _Runs:
    """The steps that one site made in one context."""

    __slots__ = ("count", "last")

    def __init__(self) -> None:
        self.count = 0
        self.last: ProvenanceStep | None = None


class CallContext:
    """How code was called. Calls from the same place on the same object share one context."""

    __slots__ = ("_inner", "_runs", "depth", "key", "parent")

    def __init__(self, key: Hashable = None, parent: CallContext | None = None) -> None:
        self.key = key
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self._inner: dict[Hashable, CallContext] = {}
        self._runs: dict[Hashable, _Runs] = {}

    def inner(self, key: Hashable, site: Site | None) -> CallContext:
        """Return the context of a call made here. Recursive calls on the same object reuse their outer context."""
        if self.depth > _DEEP:
            above: CallContext | None = self
            while above is not None:
                if above.key == key:
                    return above
                above = above.parent
        if site is None:  # called from outside of any code, once
            return CallContext(key, self)
        context = self._inner.get((site, key))
        if context is None:
            context = self._inner[site, key] = CallContext(key, self)
        return context

    def step(
        self, site: Site, reads: Sequence[ValueSource], decided_by: Sources, cell: Cell | None = None
    ) -> ProvenanceStep:
        """Return a step of a site: the previous one, when the step depends on it or there are too many."""
        key = site if cell is None else (site, id(cell[0]), cell[1])
        runs = self._runs.get(key)
        if runs is None:
            runs = self._runs[key] = _Runs()
        runs.count += 1
        last = runs.last
        if last is not None and (runs.count > _PRECISE or rests_on(last, (*reads, *decided_by))):
            last.gather(reads, decided_by)
            return last
        step = runs.last = ProvenanceStep(site, tuple(dict.fromkeys(reads)), decided_by, cell)
        return step


def rests_on(step: ProvenanceStep, sources: Iterable[ValueSource], limit: int = _NEAR) -> bool:
    """Return whether a step is among the sources or their sources; only the nearest ones are visited.

    The limit makes the answer cheap. A wrong False only makes a record longer, up to `_PRECISE` steps.
    """
    near = list(sources)
    seen = set(map(id, near))
    for source in near:
        if source is step:
            return True
        if len(near) < limit and isinstance(source, ProvenanceStep):
            for below in islice(source.sources(), limit):
                if id(below) not in seen:
                    seen.add(id(below))
                    near.append(below)
    return False
