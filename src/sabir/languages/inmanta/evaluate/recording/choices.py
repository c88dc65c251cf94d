"""The conditions of a list comprehension: asked of every item, told as one step that says for how many they held."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.values import Frame, Read
from sabir.provenance import Sources, ValueSource
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.recording.recorder import ModelRecorder

__all__ = ["Choice"]


class _Tally:
    """How often a condition was asked, how often it held, and what it read."""

    __slots__ = ("asked", "held", "place", "reads")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.asked = 0
        self.held = 0
        self.reads: dict[ValueSource, None] = {}


class Choice:
    """Of one comprehension. A run that has to wait goes on later, so there are tallies for each frame that it runs in."""

    def __init__(self) -> None:
        self._by_frame: dict[int, dict[int, _Tally]] = {}  # by identity: who waits keeps its frame alive
        self._running: dict[int, _Tally] = {}  # by identity of the place of a condition

    def count(self, place: Place, sources: Sources, *, held: bool) -> None:
        tally = self._running.get(id(place))
        if tally is None:
            tally = self._running[id(place)] = _Tally(place)
        tally.asked += 1
        tally.held += held
        tally.reads.update(dict.fromkeys(sources))

    def noting(self, read: Read, recorder: ModelRecorder) -> Read:
        """The list, with a step for each of its conditions."""

        def traced(frame: Frame) -> Any:
            outer = self._running
            tallies = self._running = self._by_frame.setdefault(id(frame), {})
            try:
                value = read(frame)
            finally:
                self._running = outer
            del self._by_frame[id(frame)]
            for tally in tallies.values():
                words = f"holds for {tally.held} of {tally.asked}"
                sources = recorder.distinct(tuple(tally.reads))
                recorder.reads.append(recorder.step_at(tally.place, How.CONDITION, sources, words))
            return value

        return traced
