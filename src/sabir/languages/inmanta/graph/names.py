"""Names and ids of instances: the values of the first index, else the entity with a number."""

from __future__ import annotations

from collections.abc import Iterable

from sabir.languages.inmanta.check.types import shown_value
from sabir.languages.inmanta.evaluate.values import Instance, Pending

__all__ = ["Names"]


class Names:
    """Given to all instances in the order they were made, so that they are the same in every run."""

    def __init__(self, instances: Iterable[Instance]) -> None:
        self.names: dict[Instance, str] = {}
        self.ids: dict[Instance, str] = {}
        counts: dict[str, int] = {}
        taken: set[str] = set()
        later: list[Instance] = []
        for instance in instances:
            entity = instance._entity
            if entity.indexes:
                later.append(instance)
                continue
            shown = entity.shown
            number = counts[shown] = counts.get(shown, 0) + 1
            short = shown.rpartition("::")[2]
            self.names[instance] = f"{short}#{number}"
            self.ids[instance] = f"{shown}#{number}"
        for instance in later:
            name = self._indexed(instance, 0)
            self.names[instance] = name
            whole = f"{instance._entity.shown}/{name}"
            if whole in taken:
                number = counts[whole] = counts.get(whole, 1) + 1
                whole = f"{whole}#{number}"
            taken.add(whole)
            self.ids[instance] = whole

    def _indexed(self, instance: Instance, depth: int) -> str:
        known = self.names.get(instance)
        if known is not None:
            return known
        entity = instance._entity
        parts: list[str] = []
        for attribute in entity.indexes[0].attributes:
            value = instance._values[entity.slots[attribute]]
            if parts and attribute in entity.defaults and value == entity.defaults[attribute]:
                continue  # what everybody has tells nobody apart
            if type(value) is str:
                parts.append(value)
            elif isinstance(value, Instance):
                deep = depth > 20 or not value._entity.indexes
                parts.append(self.names.get(value, "…") if deep else self._indexed(value, depth + 1))
            elif not isinstance(value, Pending):
                parts.append(shown_value(value))
        return ",".join(parts)
