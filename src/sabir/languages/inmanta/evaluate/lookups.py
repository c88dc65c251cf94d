"""Indexes and index lookups: `Host[name="x"]` and `host.files[path="/x"]`.

An index maps identifying values to instances, and records which statements wait for a missing key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.finding import RelatedLocation
from sabir.diagnostics.suggestions import did_you_mean
from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.interrupts import Stop, WaitForKey
from sabir.languages.inmanta.evaluate.reads import no_attribute
from sabir.languages.inmanta.evaluate.scopes import BlockScope
from sabir.languages.inmanta.evaluate.values import Frame, ModelInstance, Read
from sabir.languages.inmanta.evaluate.writes import stop
from sabir.languages.inmanta.model.entities import EntityType, IndexDef
from sabir.languages.inmanta.model.names import CALL
from sabir.languages.inmanta.model.types import TYPE, format_value
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.compiler import ModelCompiler
    from sabir.languages.inmanta.evaluate.engine import ModelEngine, ParkedStatement


def hashable_key(value: Any) -> Any:
    """Return a value in the form used inside index keys."""
    if isinstance(value, list):
        return ("list", *(hashable_key(item) for item in value))
    if isinstance(value, dict):
        return ("dict", *sorted((key, hashable_key(item)) for key, item in value.items()))
    # Two values that are not known yet need not be the same.
    return ("unknown", id(value)) if type(value) is Unknown else value


class Indexes:
    """The indexes of all entities of one evaluation."""

    def __init__(self, engine: ModelEngine) -> None:
        self.engine = engine
        self._instances: dict[IndexDef, dict[Any, ModelInstance]] = {}
        self._waiters: dict[IndexDef, dict[Any, list[ParkedStatement]]] = {}

    def get(self, index: IndexDef, key: Any) -> ModelInstance | None:
        return self._instances.setdefault(index, {}).get(key)

    def need(self, index: IndexDef, key: Any) -> ModelInstance:
        """Return the instance of a key, or raise `WaitForKey` if none exists yet."""
        instance = self._instances.setdefault(index, {}).get(key)
        if instance is None:
            raise WaitForKey(index, self._waiters.setdefault(index, {}), key)
        return instance

    def add(self, index: IndexDef, key: Any, instance: ModelInstance) -> None:
        self._instances.setdefault(index, {})[key] = instance
        waiters = self._waiters.get(index)
        if waiters:
            waiting = waiters.pop(key, None)
            if waiting:
                self.engine.wake(waiting)


INDEX_LOOKUP: Final = inmanta_rule(
    "INM:E019",
    "a look-up without a match",
    "No index is defined on these properties, or no instance with these values is ever made.",
    when="evaluate",
)


def of_entity(instance: ModelInstance, entity: EntityType, place: Place) -> ModelInstance:
    """Return the instance found in a parent's index if it belongs to the requested entity."""
    if entity in instance.entity.ancestor_set:
        return instance
    raise stop(
        INDEX_LOOKUP,
        f"the instance with these values is no {entity.shown!r}",
        place,
        related=(
            RelatedLocation(
                place=instance.site.place, message=f"it is made here, as {instance.entity.shown!r}"
            ),
        ),
    )


class LookupCompiler:
    """Compiles index lookups and selector lookups."""

    def __init__(self, compiler: ModelCompiler) -> None:
        self.compiler = compiler

    def index_lookup(self, node: nodes.IndexLookup, scope: BlockScope) -> Read:
        entity = self.compiler.definitions.entity(node.entity, scope.space)
        place = nodes.place_of(scope.space.source, node)
        if entity is None:  # reported before anything runs
            raise AssertionError(node.entity)
        if any(argument.unpack or argument.name is None for argument in node.arguments):
            return self._lookup_with_dicts(entity, node, scope, place)
        names = [argument.name or "" for argument in node.arguments]
        index = find_index(entity, names)
        if index is None:
            return _raise_on_read(no_index(entity, names, place))
        by_name = {argument.name: self.compiler.read(argument.value, scope) for argument in node.arguments}
        reads = tuple(by_name[name] for name in index.attributes)
        indexes = self.compiler.engine.indexes
        wanted = index
        if index.entity is not entity:

            def inherited(frame: Frame) -> ModelInstance:
                instance = indexes.need(wanted, tuple([hashable_key(read(frame)) for read in reads]))
                return of_entity(instance, entity, place)

            return inherited
        if len(reads) == 1:
            only = reads[0]
            return lambda frame: indexes.need(wanted, (hashable_key(only(frame)),))
        return lambda frame: indexes.need(wanted, tuple([hashable_key(read(frame)) for read in reads]))

    def _lookup_with_dicts(
        self, entity: EntityType, node: nodes.IndexLookup, scope: BlockScope, place: Place
    ) -> Read:
        plain = {
            argument.name: self.compiler.read(argument.value, scope)
            for argument in node.arguments
            if argument.name
        }
        unpacks = [
            self.compiler.read(argument.value, scope) for argument in node.arguments if argument.unpack
        ]
        indexes = self.compiler.engine.indexes

        def read(frame: Frame) -> ModelInstance:
            values = {name: value(frame) for name, value in plain.items()}
            for unpack in unpacks:
                _add_entries(values, unpack(frame), place)
            names = [name for name in values if name]
            index = find_index(entity, names)
            if index is None:
                raise no_index(entity, names, place)
            instance = indexes.need(index, tuple(hashable_key(values[name]) for name in index.attributes))
            return of_entity(instance, entity, place)

        return read

    def selector_lookup(self, node: nodes.SelectorLookup, scope: BlockScope) -> Read:
        base = self.compiler.read(node.base, scope)
        place = nodes.place_of(scope.space.source, node)
        reads = [(argument.name, self.compiler.read(argument.value, scope)) for argument in node.arguments]
        indexes = self.compiler.engine.indexes
        relation = node.relation
        plans: dict[tuple[EntityType, tuple[str, ...]], tuple[IndexDef, str]] = {}

        def read(frame: Frame) -> ModelInstance:
            instance = base(frame)
            if type(instance) is not ModelInstance:
                raise stop(
                    TYPE,
                    f"{format_value(instance)} is no instance and has no relation {relation!r}",
                    place,
                )
            values: dict[str, Any] = {}
            for name, argument in reads:
                _add_entries(values, argument(frame) if name is None else {name: argument(frame)}, place)
            kind = (instance.entity, tuple(values))
            plan = plans.get(kind)
            if plan is None:
                plan = plans[kind] = _plan_lookup(instance.entity, relation, list(values), place)
            index, back = plan
            key = tuple(
                [instance if name == back else hashable_key(values[name]) for name in index.attributes]
            )
            return indexes.need(index, key)

        return read


def _add_entries(values: dict[str, Any], entries: Any, place: Place) -> None:
    if not isinstance(entries, dict):
        raise stop(TYPE, f"'**' takes a dict, not {format_value(entries)}", place)
    twice = values.keys() & entries.keys()
    if twice:
        raise stop(CALL, f"{min(twice)!r} is set twice in this look-up", place)
    values |= entries


def _plan_lookup(entity: EntityType, relation: str, names: list[str], place: Place) -> tuple[IndexDef, str]:
    prop = entity.all_properties.get(relation)
    if prop is None:
        raise no_attribute(entity, relation, place)
    if prop.target is None or prop.reverse is None:
        fault = "is no relation" if prop.target is None else "has no reverse end that an index could hold"
        raise stop(INDEX_LOOKUP, f"{prop.full_name} {fault}, so it cannot be searched by index", place)
    index = find_index(prop.target, [prop.reverse.name, *names])
    if index is None:
        raise no_index(prop.target, [prop.reverse.name, *names], place)
    return index, prop.reverse.name


def find_index(entity: EntityType, names: list[str]) -> IndexDef | None:
    """Return the index of an entity on exactly these attributes, in any order, or None."""
    wanted = sorted(names)
    return next((index for index in entity.indexes if sorted(index.attributes) == wanted), None)


def no_index(entity: EntityType, names: list[str], place: Place) -> Stop:
    """Return the error for a lookup without a matching index, with the available indexes as a hint."""
    indexes = ["(" + ", ".join(index.attributes) + ")" for index in entity.indexes]
    unknown = [name for name in names if name not in entity.all_properties]
    hint = did_you_mean(unknown[0], entity.property_names) if unknown else None
    if hint is None:
        hint = (
            f"{entity.shown} has an index on {', '.join(indexes)}"
            if indexes
            else f"define 'index {entity.shown}({', '.join(names)})'"
        )
    return stop(INDEX_LOOKUP, f"{entity.shown!r} has no index on ({', '.join(names)})", place, hint=hint)


def _raise_on_read(failure: Stop) -> Read:
    def read(_: Frame) -> Any:
        raise failure

    return read
