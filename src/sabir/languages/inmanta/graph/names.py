"""Display names and addresses of instances, and facts by resource.

The display name of an instance has the values of its first index; else it is the variable of `main.cf`
that holds it; else its `name` where that is unique within its entity; else `Entity#n`, in creation
order.

The address of an instance with an index consists of the index values. One without is identified only by
what created it: the variable it was assigned to, if any (a variable is assigned once), else the text of
its constructor; the namespace or the instance whose implementation ran the constructor; and in a loop
or comprehension the arguments of that iteration. So another statement before or after it does not
change its address. Only instances that agree in all of this are numbered, from the second on.

A model has few entities and statements and many instances. What the former determine is computed once
(`_Kind`, `_Statement`), so that an instance costs little more than the string of its address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Final

from msgspec.json import encode

from sabir.graph.address import Address, escape_name, start_digest
from sabir.graph.values import Value
from sabir.languages.inmanta.evaluate.instance_names import find_assigned_variable, index_name
from sabir.languages.inmanta.evaluate.scopes import BlockScope, WriteSite
from sabir.languages.inmanta.evaluate.values import ModelInstance, RelationValue
from sabir.languages.inmanta.model.entities import EntityType
from sabir.languages.inmanta.syntax.project import MAIN


class InstanceNames:
    """The names of all instances, assigned in creation order so that they are the same in every run."""

    def __init__(
        self, instances: Iterable[ModelInstance], variables: Mapping[str, Any] = MappingProxyType({})
    ) -> None:
        self.names: dict[ModelInstance, str] = {}
        self.ids: dict[ModelInstance, str] = {}
        self._kinds: dict[EntityType, _Kind] = {}
        self._statements: dict[WriteSite, _Statement] = {}
        self._counts: dict[str, int] = {}
        unindexed: list[ModelInstance] = []
        nested: list[ModelInstance] = []
        for instance in instances:
            kind = self._kinds.get(instance.entity) or self._kind(instance.entity)
            if not kind.is_indexed:
                unindexed.append(instance)
                if kind.name_slot is not None:
                    name = instance.values[kind.name_slot]
                    kind.names[name] = kind.names.get(name, 0) + 1
            elif self._has_plain_index(instance, kind):
                name = self.names[instance] = index_name(instance, self.names)
                self.ids[instance] = self._unique(escape_name(f"{kind.shown}/{name}"))
            else:
                nested.append(instance)
        self._call(unindexed, variables)
        # An index may hold an instance without one, and be held by what made that one: what is not known yet, because
        # it waits for itself, is known by its entity alone.
        for instance in unindexed:
            if instance not in self.ids:
                self._address_by_maker(instance)
        texts = [index_name(instance, self.ids) for instance in nested]
        for instance, text in zip(nested, texts, strict=True):
            self.names[instance] = index_name(instance, self.names)
            self.ids[instance] = self._unique(escape_name(f"{instance.entity.shown}/{text}"))

    def _call(self, unindexed: list[ModelInstance], variables: Mapping[str, Any]) -> None:
        """Assign the display names of instances without an index."""
        held: dict[ModelInstance, str] = {}
        for name, value in variables.items():
            if type(value) is ModelInstance and (
                value not in held or find_assigned_variable(value.site) == name
            ):
                held[value] = name
        for instance in unindexed:
            kind = self._kinds[instance.entity]
            kind.count += 1
            called = held.get(instance)
            if called is None and kind.name_slot is not None:
                text = instance.values[kind.name_slot]
                called = text if type(text) is str and text and kind.names[text] == 1 else None
            self.names[instance] = f"{kind.short}#{kind.count}" if called is None else called

    def _kind(self, entity: EntityType) -> _Kind:
        kind = self._kinds.get(entity)
        if kind is None:
            kind = self._kinds[entity] = _Kind(entity)
        return kind

    def _has_plain_index(self, instance: ModelInstance, kind: _Kind) -> bool:
        """Return whether the display name is the address too: it contains no temporary name such as `Host#1`."""
        values = instance.values
        for slot in kind.related_slots:
            value = values[slot]
            if isinstance(value, ModelInstance):
                held = self._kind(value.entity)
                if held.related_slots or not held.is_indexed:
                    return False
        return True

    def _unique(self, address: str) -> str:
        counts = self._counts
        if address not in counts:
            counts[address] = 1
            return address
        number = counts[address] = counts[address] + 1
        return f"{address[:-1]}#{number}]" if address.endswith("]") else f"{address}#{number}"

    def _address_by_maker(self, instance: ModelInstance) -> str:
        """Return the address of an instance without an index."""
        site, maker = instance.site, instance.maker
        self.ids[instance] = shown = self._kinds[instance.entity].shown
        statement = self._statements.get(site)
        if statement is None:
            statement = self._statements[site] = _Statement(site, instance.entity)
        if maker is None and statement.is_variable:
            item = escape_name(statement.key)
        else:
            digest = statement.digest.copy()
            if maker is not None:
                digest.update(_encode_value(self._key(maker)))
            if statement.repeats:
                if statement.plain_arguments is not None:
                    digest.update(_encode_value(statement.plain_arguments(instance.values)))
                if statement.relation_slots:
                    digest.update(_encode_value(self._relation_arguments(instance, statement)))
            item = digest.hexdigest()
        address = self.ids[instance] = self._unique(f"{shown}[{item}]")
        return address

    def _key(self, instance: ModelInstance) -> str:
        """Return what distinguishes an instance where another one is created from it."""
        address = self.ids.get(instance)
        if address is not None:
            return address
        entity = instance.entity
        if not entity.indexes:
            return self._address_by_maker(instance)
        for attribute in entity.indexes[0].attributes:
            value = instance.values[entity.slots[attribute]]
            if isinstance(value, ModelInstance) and not value.entity.indexes and value not in self.ids:
                self._address_by_maker(value)
        return f"{entity.shown}/{index_name(instance, self.ids)}"

    def _relation_arguments(self, instance: ModelInstance, statement: _Statement) -> list[object]:
        """Return what the constructor itself set. Later additions to a relation do not identify the instance."""
        keys: list[object] = []
        for slot in statement.relation_slots:
            value = instance.values[slot]
            if type(value) is ModelInstance:
                keys.append(self.ids.get(value) or self._key(value))
            elif type(value) is RelationValue:
                related = [other for other, by in value.values.items() if by is instance.site]
                keys.append(sorted(self._key(other) for other in related))
        return keys


class _Kind:
    """What the names of all instances of an entity have in common."""

    __slots__ = ("count", "is_indexed", "name_slot", "names", "related_slots", "short", "shown")

    def __init__(self, entity: EntityType) -> None:
        self.shown = entity.shown
        self.short = self.shown.rpartition("::")[2]
        self.count = 0
        self.is_indexed = bool(entity.indexes)
        attributes = entity.indexes[0].attributes if entity.indexes else ()
        slots = [entity.slots[attribute] for attribute in attributes]
        self.related_slots = [slot for slot in slots if entity.by_slot[slot].is_relation]
        prop = entity.all_properties.get("name")
        is_text = prop is not None and prop.type is not None and prop.type.name == "string"
        self.name_slot = entity.slots["name"] if is_text and not self.is_indexed else None
        self.names: dict[object, int] = {}


class _Statement:
    """A constructor in the source: its identity, and the blocks around it."""

    def __init__(self, site: WriteSite, entity: EntityType) -> None:
        scope, place = site.scope, site.place
        text = place.source.text[place.span.start : place.span.end]
        variable = find_assigned_variable(site)
        space = MAIN if scope is None else scope.space.name
        self.repeats = scope is not None and _is_repeated(scope)
        self.is_variable = variable is not None and not self.repeats
        if variable is None:
            self.key = " ".join(text.split())
        else:
            self.key = variable if space == MAIN else f"{space}::{variable}"
        slots = [entity.slots[name] for name in sorted(site.explicit)]
        plain_slots = [slot for slot in slots if not entity.by_slot[slot].is_relation]
        self.relation_slots = [slot for slot in slots if entity.by_slot[slot].is_relation]
        names = " ".join(entity.by_slot[slot].name for slot in (*plain_slots, *self.relation_slots))
        self.digest = start_digest(_encode_value([self.key, space, site.refinement, names]))
        self.plain_arguments: Callable[[list[Any]], object] | None = (
            itemgetter(*plain_slots) if plain_slots else None
        )


def _encode_value(value: object) -> bytes:
    """Return a string for a value that is the same in every run: JSON where possible, which is fast."""
    try:
        return encode(value)
    except (TypeError, ValueError, OverflowError):  # a large number, half of a surrogate pair
        return repr(value).encode("utf-8", "surrogatepass")


def _is_repeated(scope: BlockScope) -> bool:
    """Return whether the block may run several times in its namespace or implementation."""
    layouts = []
    for around, _ in scope.chain():
        if around.layout not in layouts:
            layouts.append(around.layout)
        if around.entity is not None:
            break
    return len(layouts) > 1


ID: Final = "id"
"""The field with the id of a resource."""
FACTS: Final = "facts"
"""The result with what a handler found out about a resource; beside it stands its id."""


def facts_of(observed: Mapping[str, Value]) -> dict[tuple[str, str], str]:
    """Return the facts of earlier deployments, by resource id and fact name."""
    facts: dict[tuple[str, str], str] = {}
    for text, value in observed.items():
        address = Address.parse(text)
        if address.attribute == FACTS and isinstance(value, Mapping):
            resource = observed.get(str(address.of(ID)))
            facts.update({(str(resource), name): str(fact) for name, fact in value.items()})
    return facts


def site_note(site: WriteSite) -> str | None:
    """Return the note of an origin: the implementation and the commit of the module, where they apply."""
    words = []
    if site.refinement is not None:
        words.append(f"implementation {site.refinement}")
    if site.commit is not None:
        words.append(f"commit {site.commit[:12]}")
    return ", ".join(words) or None
