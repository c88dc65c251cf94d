"""Steps of code that runs again and again: told apart as long as that helps, then gathered.

A loop may run a million times, and its record must not be longer than its text. So a step that rests on its own last round
*is* that round, which takes in what the new one read. Steps that do not rest on each other (one for each object that a loop
makes, say) stay apart up to a limit. Both are counted by context, the way by which the code was reached: what a method
did for one object says nothing about another.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import islice
from typing import Final

from sabir.provenance.steps import Cell, ProvenanceStep, Site, Sources, ValueSource

_PRECISE: Final = 100
"""Steps of one site that are told apart in one context; then they gather in one."""
_NEAR: Final = 24
"""Steps that are looked at to see whether a step rests on its own last round."""
_DEEP: Final = 8
"""Contexts inside each other before code that calls itself is looked for."""


class _Runs:
    """The steps that one site made in one context."""

    __slots__ = ("count", "last")

    def __init__(self) -> None:
        self.count = 0
        self.last: ProvenanceStep | None = None


class CallContext:
    """The way by which code was called. Calls from the same place on the same object share one."""

    __slots__ = ("_inner", "_runs", "depth", "key", "parent")

    def __init__(self, key: Hashable = None, parent: CallContext | None = None) -> None:
        self.key = key
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self._inner: dict[Hashable, CallContext] = {}
        self._runs: dict[Hashable, _Runs] = {}

    def inner(self, key: Hashable, site: Site | None) -> CallContext:
        """The context of a call made here. Code that calls itself on the same object stays in its own."""
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
        """A step of a site: the last one once more, when it rests on that or there are very many."""
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
    """Whether a step is among sources or below them, as far as the nearest ones tell."""
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
