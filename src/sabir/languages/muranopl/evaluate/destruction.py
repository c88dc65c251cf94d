"""The destruction of objects that are no longer in the model: `.destroy` of parts before their owners."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sabir.languages.muranopl.evaluate.methods import Method, find_active_variables
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.model.objects import CALLER, MuranoObject, ObjectView

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.runtime import Runtime


DESTRUCTOR_FAILED: Final = package_rule(
    "MRUN:W003",
    "a destructor that failed",
    "What vanished from the model is destroyed before the run, and one failing `.destroy` must not keep the others from "
    "releasing what they hold. Whatever this object held may still be there.",
    when="evaluate",
)


class Destruction:
    """The subscriptions to the destruction of objects, and the objects that are about to be destroyed."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self._subscriptions: dict[str, list[tuple[MuranoObject, str | None]]] = {}
        self._doomed: set[int] = set()

    def subscribe(self, publisher: MuranoObject, subscriber: MuranoObject, handler: str | None) -> None:
        entries = self._subscriptions.setdefault(publisher.id, [])
        if (subscriber, handler) not in entries:
            entries.append((subscriber, handler))
            if self.runtime.store.get(publisher.id) is publisher:
                self.runtime.store.keep(publisher)

    def unsubscribe(self, publisher: MuranoObject, subscriber: MuranoObject, handler: str | None) -> None:
        entries = self._subscriptions.get(publisher.id, [])
        if (subscriber, handler) in entries:
            entries.remove((subscriber, handler))

    def restore(
        self, publisher: MuranoObject, raw: Mapping[Any, Any], local: Mapping[str, MuranoObject]
    ) -> None:
        """Restore the subscriptions of the last run, which are stored in the header of the object."""
        header = raw.get("?")
        kept = header.get("dependencies") if isinstance(header, Mapping) else None
        records = kept.get("onDestruction") if isinstance(kept, Mapping) else None
        for record in records if isinstance(records, list) else ():
            if isinstance(record, Mapping):
                id_ = str(record.get("subscriber"))
                subscriber = local.get(id_) or self.runtime.store.get(id_)
                if subscriber is not None:
                    self.subscribe(publisher, subscriber, record.get("handler"))

    def subscribers(self, publisher: MuranoObject) -> list[tuple[MuranoObject, str | None]]:
        """Return the subscribers to the destruction of an object, with the method to call on each."""
        entries = self._subscriptions.get(publisher.id, ())
        return [(subscriber, handler) for subscriber, handler in entries if not self.is_doomed(subscriber)]

    def is_doomed(self, object_: MuranoObject | None) -> bool:
        return object_ is not None and (object_.is_destroyed or id(object_) in self._doomed)

    def destroy(self, objects: Iterable[MuranoObject]) -> None:
        """Destroy objects: call every `.destroy` (or `destroy`) of their classes, the most derived first.

        Subscribers are notified before any destructor runs, while all objects can still be used; owners come
        first.
        """
        doomed = [object_ for object_ in objects if not object_.is_destroyed]
        self._doomed.update(map(id, doomed))
        doomed.sort(key=_ownership_depth)
        for object_ in doomed:  # subscribers are notified while all objects still exist, owners first
            self._tell(object_)
        for object_ in sorted(doomed, key=_ownership_depth, reverse=True):
            self._run(object_)
        for object_ in doomed:
            object_.is_destroyed = True
            self._doomed.discard(id(object_))
            self.runtime.store.forget(object_)
            self.runtime.attributes.forget(object_.id)

    def _tell(self, object_: MuranoObject) -> None:
        for subscriber, handler in self._subscriptions.pop(object_.id, []):
            method = subscriber.cls.lookup(handler) if handler else None
            if method is not None and not subscriber.is_destroyed:
                self._attempt(method, subscriber, object_)

    def _run(self, object_: MuranoObject) -> None:
        for method in object_.cls.destructors:
            self._attempt(method, object_)

    def _attempt(self, method: Method, this: MuranoObject, *args: Any) -> None:
        """Call a destructor. A failure is reported and does not stop the destruction of other objects."""
        try:
            method.invoke(this, {}, *args)
        except MuranoError as error:
            if not error.can_be_caught:
                raise
            finding = error.finding()
            message = f"{method.full_name} failed while {this!r} was destroyed: {finding.message}"
            self.runtime.warnings.append(DESTRUCTOR_FAILED.at(finding.place, message, frames=finding.frames))

    def collect(self) -> None:
        """Destroy the objects that are not reachable from the root, static properties or running code."""
        reached: set[int] = set()
        waiting: list[Any] = [self.runtime.root]
        waiting.extend(value for cls in self.runtime.list_classes() for value in cls.static_values.values())
        for variables in find_active_variables(self.runtime):
            waiting.extend(value for key, value in variables.items() if key != CALLER)
        while waiting:
            value = waiting.pop()
            if isinstance(value, ObjectView):
                value = value.object
            if isinstance(value, MuranoObject):
                if id(value) in reached:
                    continue
                reached.add(id(value))
                waiting.extend(value.properties.values())
                waiting.extend((value.private or {}).values())
                waiting.append(value.owner)
            elif isinstance(value, list | tuple | set | frozenset):
                waiting.extend(value)
            elif isinstance(value, dict):
                waiting.extend(value.values())
        self.destroy([object_ for object_ in self.runtime.store if id(object_) not in reached])


def _ownership_depth(object_: MuranoObject) -> int:
    depth = 0
    owner = object_.owner
    while owner is not None:
        depth += 1
        owner = owner.owner
    return depth
