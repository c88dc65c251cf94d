"""What instances are called, and their addresses.

An instance with an index is known by the values of its first index. One without is known by what made it, and by nothing
that stands around that: the variable it was assigned to where there is one (a variable is assigned once), else the text of
its constructor; the namespace or the instance whose implementation ran the constructor; and in a loop or a comprehension the
arguments of this very round. So another statement before or behind it leaves its address alone. Only of instances that agree in
all of this the second and later ones are counted. `Entity#n` is what people call them, in the order they were made.
"""

from __future__ import annotations

from collections.abc import Iterable

from sabir.graph.address import digest, escaped
from sabir.languages.inmanta.evaluate.naming import index_name
from sabir.languages.inmanta.evaluate.scopes import Scope
from sabir.languages.inmanta.evaluate.sites import Site
from sabir.languages.inmanta.evaluate.values import Instance, RelationValue
from sabir.languages.inmanta.syntax.nodes import Assign
from sabir.languages.inmanta.syntax.project import MAIN

__all__ = ["Names"]


class Names:
    """Given to all instances in the order they were made, so that they are the same in every run."""

    def __init__(self, instances: Iterable[Instance]) -> None:
        self.names: dict[Instance, str] = {}
        self.ids: dict[Instance, str] = {}
        self._statements: dict[Site, _Statement] = {}
        self._counts: dict[str, int] = {}
        indexed: list[Instance] = []
        unnamed: list[Instance] = []
        counts: dict[str, int] = {}
        for instance in instances:
            entity = instance.entity
            if entity.indexes:
                indexed.append(instance)
                continue
            unnamed.append(instance)
            shown = entity.shown
            number = counts[shown] = counts.get(shown, 0) + 1
            self.names[instance] = f"{shown.rpartition('::')[2]}#{number}"
        if not unnamed:
            for instance in indexed:
                self._name_by_index(instance)
            return
        # An index may hold an instance without one, and be held by what made that one: what is not known yet, because
        # it waits for itself, is known by its entity alone.
        keys: dict[Instance, str] = {}
        for instance in unnamed:
            self.ids[instance] = self._unique(self._made_by(instance, keys))
        addresses = {instance: self.ids[instance] for instance in unnamed}
        for instance in indexed:
            self.names[instance] = index_name(instance, self.names)
            self.ids[instance] = self._unique(
                escaped(f"{instance.entity.shown}/{index_name(instance, addresses)}")
            )

    def _name_by_index(self, instance: Instance) -> None:
        name = self.names[instance] = index_name(instance, self.names)
        self.ids[instance] = self._unique(escaped(f"{instance.entity.shown}/{name}"))

    def _unique(self, address: str) -> str:
        number = self._counts[address] = self._counts.get(address, 0) + 1
        if number == 1:
            return address
        return f"{address[:-1]}#{number}]" if address.endswith("]") else f"{address}#{number}"

    def _made_by(self, instance: Instance, keys: dict[Instance, str]) -> str:
        """The address of an instance without an index."""
        known = self.ids.get(instance) or keys.get(instance)
        if known is not None:
            return known
        keys[instance] = shown = instance.entity.shown
        site, maker = instance.site, instance.maker
        statement = self._statements.get(site)
        if statement is None:
            statement = self._statements[site] = _Statement(site)
        if maker is None and statement.is_variable:
            keys[instance] = address = f"{shown}[{escaped(statement.key)}]"
            return address
        words = [statement.key, statement.around]
        if maker is not None:
            words.append(self._key(maker, keys))
        if statement.repeats:
            words += self._arguments(instance, keys)
        keys[instance] = address = f"{shown}[{digest(*words)}]"
        return address

    def _key(self, instance: Instance, keys: dict[Instance, str]) -> str:
        """What tells an instance apart where another one is made from it."""
        if not instance.entity.indexes:
            return self._made_by(instance, keys)
        for value in _index_values(instance):
            if isinstance(value, Instance) and not value.entity.indexes:
                self._made_by(value, keys)
        return f"{instance.entity.shown}/{index_name(instance, keys)}"

    def _arguments(self, instance: Instance, keys: dict[Instance, str]) -> Iterable[str]:
        """What the constructor itself set: what others add to a relation later tells nothing about this instance."""
        entity, site = instance.entity, instance.site
        for name in self._statements[site].arguments:
            value = instance.values[entity.slots[name]]
            if type(value) is str:
                yield f"{name}={value!r}"
            elif isinstance(value, RelationValue):
                related = [other for other, by in value.values.items() if by is site]
                yield f"{name}={sorted(self._key(other, keys) for other in related)}"
            elif isinstance(value, Instance):
                yield f"{name}={self._key(value, keys)}"
            else:
                yield f"{name}={value!r}"


class _Statement:
    """A constructor in the text: what it is known by, and what stands around it."""

    def __init__(self, site: Site) -> None:
        scope, place = site.scope, site.place
        text = place.source.text[place.span.start : place.span.end]
        variable = None if scope is None else _variable(scope, place.span.start, place.span.end)
        space = MAIN if scope is None else scope.space.name
        self.around = f"{space} {site.refinement or ''}"
        self.arguments = sorted(site.explicit)
        self.repeats = scope is not None and _repeats(scope)
        self.is_variable = variable is not None and not self.repeats
        if variable is None:
            self.key = " ".join(text.split())
        else:
            self.key = variable if space == MAIN else f"{space}::{variable}"


def _variable(scope: Scope, start: int, end: int) -> str | None:
    """The variable that a constructor is the value of."""
    for around, _ in scope.chain():
        if around.parent is not None and around.parent.layout is around.layout:
            continue  # the block of an `if`: the other branch may have a variable of the same name
        for name, statements in around.writers.items():
            for statement in statements:
                value = statement.value if isinstance(statement, Assign) else statement
                if value.start == start and value.end == end:
                    return name
    return None


def _repeats(scope: Scope) -> bool:
    """Whether the block runs several times: in a loop or a comprehension, inside its namespace or implementation."""
    layouts = []
    for around, _ in scope.chain():
        if around.layout not in layouts:
            layouts.append(around.layout)
        if around.entity is not None:
            break
    return len(layouts) > 1


def _index_values(instance: Instance) -> Iterable[object]:
    entity = instance.entity
    return (instance.values[entity.slots[attribute]] for attribute in entity.indexes[0].attributes)
