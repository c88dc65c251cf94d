"""Names and ids of instances: the values of the first index, else the entity with a number."""

from __future__ import annotations

from collections.abc import Iterable

from sabir.languages.inmanta.evaluate.naming import index_name
from sabir.languages.inmanta.evaluate.values import Instance

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
            entity = instance.entity
            if entity.indexes:
                later.append(instance)
                continue
            shown = entity.shown
            number = counts[shown] = counts.get(shown, 0) + 1
            short = shown.rpartition("::")[2]
            self.names[instance] = f"{short}#{number}"
            self.ids[instance] = f"{shown}#{number}"
        for instance in later:
            name = self.names[instance] = index_name(instance, self.names)
            whole = f"{instance.entity.shown}/{name}"
            if whole in taken:
                number = counts[whole] = counts.get(whole, 1) + 1
                whole = f"{whole}#{number}"
            taken.add(whole)
            self.ids[instance] = whole
