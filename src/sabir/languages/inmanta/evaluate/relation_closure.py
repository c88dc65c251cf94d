"""Decides when a relation is complete, independently of the order of lines.

Every future write comes from a parked statement, or from a loop or copy that listens to an open
relation. What each of them may write is known (`dependencies`). So an open relation that none of them
can reach, directly or through the relations that feed it, has all its values. All such relations are
closed at once, and no later write can contradict that.

Only if every candidate can still be written is a choice needed. Then the statements that could write a
candidate are followed to what they wait for, and the candidate is taken that the others depend on. If a
later write shows that the choice was wrong, the evaluation is repeated with that relation last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sabir.diagnostics.finding import RelatedLocation
from sabir.languages.inmanta.evaluate.dependencies import Dependencies, Key
from sabir.languages.inmanta.evaluate.interrupts import Stop, Wait
from sabir.languages.inmanta.evaluate.values import Frame, ModelInstance, PendingSlot, RelationValue

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.dependencies import EffectFinder
    from sabir.languages.inmanta.evaluate.engine import EngineStep, ModelEngine, ParkedStatement


_MOST_EXAMINED = 60


class RelationClosure:
    """The open relations of one evaluation, and the decision which of them to close."""

    def __init__(self, engine: ModelEngine, late: frozenset[Any]) -> None:
        self.engine = engine
        self.finder: EffectFinder
        self.candidates: dict[Key, None] = {}
        self.parked: list[ParkedStatement] = []
        """Statements parked since they were last asked what they may write."""
        self._fresh: dict[Key, None] = {}
        """Candidates to look at: new ones, and those whose last obstacle went away."""
        self._blocked: dict[Key | str, list[Key]] = {}
        self._late = late
        self._promised: Counter[Key] = Counter()
        self._any: Counter[str] = Counter()
        self._promised_by: dict[ParkedStatement, None] = {}
        self._unresolved: dict[ParkedStatement, None] = {}
        self._fed_by: dict[Key, set[Key]] = {}
        self._any_fed_by: dict[str, set[Key]] = {}
        self._loops_feed: dict[Key | str, set[Key]] = {}
        self._listeners: dict[Key, list[tuple[EngineStep, Frame]]] = {}
        self._closed_null: set[Key] = set()
        self._forced: dict[Key, Any] = {}
        self._closed_for: dict[Key, tuple[RelatedLocation, ...]] = {}

    # What the engine tells

    def listens(self, relation: RelationValue, step: EngineStep, frame: Frame) -> None:
        """Register a loop over an open relation. Its body may write as long as the relation is open."""
        key = (relation.owner, relation.slot)
        self.add(key)
        self._listeners.setdefault(key, []).append((step, frame))

    def feeds(self, source: RelationValue, instance: ModelInstance, slot: int) -> None:
        key = (source.owner, source.slot)
        self.add(key)
        self._fed_by.setdefault((instance, slot), set()).add(key)
        prop = instance.entity.by_slot[slot]
        # The reverse end is written on each value that comes, and which these are is not known yet.
        if prop.reverse is not None:
            self._any_fed_by.setdefault(prop.reverse.name, set()).add(key)

    def add(self, key: Key) -> None:
        """Register a property whose complete value a statement needs."""
        if key not in self.candidates:
            self.candidates[key] = None
            self._fresh[key] = None

    def _unblock(self, obstacle: Key | str) -> None:
        for key in self._blocked.pop(obstacle, ()):
            if key in self.candidates:
                self._fresh[key] = None

    def forget(self, instance: ModelInstance, slot: int) -> None:
        key = (instance, slot)
        self.candidates.pop(key, None)
        self._unblock(key)
        self._listeners.pop(key, None)
        self._fed_by.pop(key, None)

    def withdraw(self, activity: ParkedStatement) -> None:
        """Remove a parked statement that resumes: its writes are no longer pending."""
        for promise in activity.promises or ():
            counter: Counter[Any] = self._any if isinstance(promise, str) else self._promised
            counter[promise] -= 1
            if not counter[promise]:
                self._unblock(promise)
        activity.promises = None
        self._promised_by.pop(activity, None)
        self._unresolved.pop(activity, None)

    def was_closed(self, instance: ModelInstance, slot: int) -> bool:
        return (instance, slot) in self._closed_null

    def find_forced_key(self, instance: ModelInstance, slot: int) -> Any:
        return self._forced.get((instance, slot))

    def reason(self, instance: ModelInstance, slot: int) -> tuple[RelatedLocation, ...]:
        """Return the places that needed the complete value."""
        return self._closed_for.get((instance, slot), ())

    # Deciding

    def close_some(self) -> bool:
        """Close relations that are complete. Return whether any was closed."""
        if not self.candidates:
            return False
        self._promise_all()
        self._resolve_listeners()
        ready = self._complete(self._fresh)
        self._fresh = {}
        if not ready:
            # The edges from loops are found anew each time: one can vanish although no obstacle went away.
            ready = self._complete(self.candidates)
        if not ready:
            chosen = self._choose()
            if chosen is None:
                return False
            self._forced[chosen] = self._stable(chosen)
            ready = [chosen]
        for key in ready:
            self._close(key)
        return True

    def _close(self, key: Key) -> None:
        instance, slot = key
        cell = instance.values[slot]
        self.candidates.pop(key, None)
        if type(cell) is RelationValue:
            if not cell.closed:
                self._closed_for[key] = self._readers(cell.waiters or cell.first_waiters)
                self.engine.close_relation(cell)
        elif type(cell) is PendingSlot:
            self._closed_null.add(key)
            self._closed_for[key] = self._readers(cell.waiters)
            self.engine.close_optional(instance, slot)

    def _readers(self, waiters: list[ParkedStatement]) -> tuple[RelatedLocation, ...]:
        return tuple(
            RelatedLocation(place=waiter.step.place, message="its complete value is used here")
            for waiter in waiters[:2]
        )

    def _promise_all(self) -> None:
        # Where they write may be readable by now: a promise about one instance blocks less than one about a name.
        for activity in [*self._unresolved]:
            self.withdraw(activity)
            self._promise(activity)
        for activity in self.parked:
            if activity.promises is None and activity in self.engine.parked:
                self._promise(activity)
        self.parked = []

    def _promise(self, activity: ParkedStatement) -> None:
        promises, unresolved = self.may_write(activity.step, activity.frame)
        activity.promises = promises
        self._promised_by[activity] = None
        if unresolved:
            self._unresolved[activity] = None
        for promise in promises:
            if isinstance(promise, str):
                self._any[promise] += 1
            else:
                self._promised[promise] += 1

    def may_write(self, step: EngineStep, frame: Frame) -> tuple[list[Any], bool]:
        """Return the properties a statement may write: keys, or names where the instance is unknown."""
        effects = self.finder.of(step)
        promises: list[Any] = list(effects.names)
        unresolved = False
        for read, name in effects.paths:
            try:
                instance = read(frame)
            except Wait as wait:
                unresolved = True
                promises.append(name)
                self._need(wait)
                continue
            except Stop:
                continue
            promises += _list_keys(instance, name)
        if step.writes_instance is not None:
            owner, prop = step.writes_instance
            promises.append((owner, owner.entity.slots[prop.name]))
            if prop.reverse is not None:
                promises.append(prop.reverse.name)
        return promises, unresolved

    def _need(self, wait: Wait) -> None:
        """Register an open relation on the path to a write. Closing it tells which instance is written."""
        if wait.owner is not None:
            prop = wait.owner.entity.by_slot[wait.slot]
            if prop.is_optional or prop.is_list:
                self.add((wait.owner, wait.slot))

    def _resolve_listeners(self) -> None:
        """Return what loops over open relations may write, as edges from the relation they listen to."""
        self._loops_feed = {}
        for source, listeners in self._listeners.items():
            for step, frame in listeners:
                for promise in self.may_write(step, frame)[0]:
                    self._loops_feed.setdefault(promise, set()).add(source)

    def _is_open(self, key: Key) -> bool:
        cell = key[0].values[key[1]]
        return type(cell) is PendingSlot or (type(cell) is RelationValue and not cell.closed)

    def _complete(self, keys: Iterable[Key]) -> list[Key]:
        """Return the candidates that nothing can write any more."""
        verdicts: dict[Key, bool] = {}
        ready: list[Key] = []
        for key in list(keys):
            if not self._is_open(key):
                self.candidates.pop(key, None)
            elif self._is_complete(key, verdicts):
                ready.append(key)
        return ready

    def _is_complete(self, key: Key, verdicts: dict[Key, bool]) -> bool:
        settled = verdicts.get(key)
        if settled is not None:
            return settled
        seen: set[Key] = {key}
        todo = [key]
        while todo:
            relation = todo.pop()
            verdict = verdicts.get(relation)
            obstacle = self._obstacle(relation) if verdict is None else None
            if verdict is False or obstacle is not None:
                # Only of `key`: the others on the way need not lead to this obstacle.
                verdicts[key] = False
                self._blocked.setdefault(relation if obstacle is None else obstacle, []).append(key)
                return False
            if verdict:
                continue
            for source in self.sources_of(relation):
                if source not in seen and self._is_open(source):
                    seen.add(source)
                    todo.append(source)
        # Relations that feed each other and that nothing else can reach are complete together.
        verdicts.update(dict.fromkeys(seen, True))
        return True

    def _obstacle(self, key: Key) -> Key | str | None:
        """Return the reason why a property can still be written."""
        if self._promised.get(key, 0) > 0:
            return key
        name = key[0].entity.by_slot[key[1]].name
        return name if self._any.get(name, 0) > 0 else None

    def sources_of(self, key: Key) -> set[Key]:
        name = key[0].entity.by_slot[key[1]].name
        sources: set[Key] = set()
        sources.update(self._fed_by.get(key, ()), self._any_fed_by.get(name, ()))
        sources.update(self._loops_feed.get(key, ()), self._loops_feed.get(name, ()))
        return sources

    # Choosing when nothing is certain

    def _choose(self) -> Key | None:
        # Closing what nobody waits for would wake nobody.
        waited = [key for key in self.candidates if self._is_waited_for(key)]
        if not waited:
            return None
        waited.sort(key=self._preference)
        graph = Dependencies(self, waited[:_MOST_EXAMINED])
        return graph.first()

    def _is_waited_for(self, key: Key) -> bool:
        cell = key[0].values[key[1]]
        if type(cell) is RelationValue:
            return bool(cell.waiters or cell.first_waiters)
        return type(cell) is PendingSlot and bool(cell.waiters)

    def _preference(self, key: Key) -> tuple[Any, ...]:
        stable = self._stable(key)
        return stable in self._late, self._promised.get(key, 0), stable

    def _stable(self, key: Key) -> Any:
        """Return a name for a relation that is the same in the next run."""
        instance, slot = key
        place = instance.site.place
        # The text of the constructor comes before its place: where no choice is wrong, the order of lines decides nothing.
        text = place.source.text[place.span.start : place.span.end]
        return instance.entity.by_slot[slot].full_name, place.source.name, text, place.span.start

    def is_late(self, key: Key) -> bool:
        return self._stable(key) in self._late


def _list_keys(value: Any, name: str) -> list[Key]:
    if isinstance(value, ModelInstance):
        slot = value.entity.slots.get(name)
        return [] if slot is None else [(value, slot)]
    if isinstance(value, list):
        return [key for item in value for key in _list_keys(item, name)]
    return []
