"""Builds the graph from the instances of a model, with the origin of every instance and value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sabir.graph.graph import Graph
from sabir.graph.graph import Instance as GraphInstance
from sabir.graph.origin import How, Origin
from sabir.graph.record import Record, RecordLayout
from sabir.graph.values import Ref, Unknown, Value
from sabir.interpreter import collector_paused
from sabir.languages.inmanta.evaluate.inputs import ModelInputs
from sabir.languages.inmanta.evaluate.model import EvaluatedModel
from sabir.languages.inmanta.evaluate.scopes import WriteSite
from sabir.languages.inmanta.evaluate.values import ModelInstance, PendingSlot, RelationValue
from sabir.languages.inmanta.graph.names import InstanceNames, site_note
from sabir.languages.inmanta.model.entities import EntityType, Property
from sabir.languages.inmanta.model.types import Late
from sabir.languages.inmanta.syntax.modules import PackageTree
from sabir.languages.inmanta.syntax.nodes import Assign, Name, place_of
from sabir.languages.inmanta.syntax.project import MAIN
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.graph.provenance import Provenance


_PLAIN = frozenset({str, int, float, bool, type(None)})
_REQUIRES = "requires"


def _is_plain(values: Iterable[object]) -> bool:
    return _PLAIN.issuperset(map(type, values))


class _Plan:
    """The layout of an entity's instances: which slots are attributes, which are relations."""

    def __init__(self, entity: EntityType) -> None:
        self.attributes = [(slot, prop) for slot, prop in enumerate(entity.by_slot) if not prop.is_relation]
        self.relations = [(slot, prop) for slot, prop in enumerate(entity.by_slot) if prop.is_relation]
        self.slots = [slot for slot, _ in self.attributes]
        self.attribute_layout = RecordLayout(tuple(prop.name for _, prop in self.attributes))
        self.relation_layout = RecordLayout(tuple(prop.name for _, prop in self.relations))
        self.relation_slots = [slot for slot, _ in self.relations]
        self.requires = entity.slots.get(_REQUIRES)
        self.type = entity.shown


def build_graph(model: EvaluatedModel, given: ModelInputs | None = None) -> Graph:
    """Return the graph of a model. The garbage collector is paused: nothing built here is garbage."""
    with collector_paused():
        return _Builder(model, given or ModelInputs()).graph()


class _Builder:
    def __init__(self, model: EvaluatedModel, given: ModelInputs) -> None:
        self.model = model
        self.given = given
        names = InstanceNames(model.instances, model.variables())
        self.ids = names.ids
        self.names = names.names
        self.library: set[ModelInstance] = set()
        self.plans: dict[EntityType, _Plan] = {}
        self.shared: dict[tuple[WriteSite, EntityType], Record[Origin]] = {}
        self.site_origins: dict[WriteSite, Origin] = {}
        self.relation_origins: dict[WriteSite, Origin] = {}
        recorder = model.recorder
        self.provenance: Provenance | None = None
        if recorder is not None:
            from sabir.languages.inmanta.graph.provenance import Provenance

            self.provenance = Provenance(recorder, self.ids, self.names)

    def graph(self) -> Graph:
        outputs: dict[str, Value] = {}
        origins: dict[str, Origin] = {}
        space = self.model.definitions.project.namespaces.get(MAIN)
        writers: dict[str, Place] = {}
        if space is not None:
            for statement in space.statements:
                if isinstance(statement, Assign) and isinstance(statement.target, Name):
                    writers.setdefault(statement.target.name, place_of(space.source, statement))
        for name, value in self.model.variables().items():
            outputs[name] = self.value(value)
            if name in self.given.inputs:
                origins[name] = self.given.origin(name)
            elif name in writers:
                origins[name] = self._output(name, writers[name])
        return Graph(
            [self._instance(instance) for instance in self.model.instances],
            outputs=outputs,
            output_origins=origins,
        )

    def _output(self, name: str, place: Place) -> Origin:
        if self.provenance is not None:
            slot = self.model.scopes[MAIN].names[name]
            full = self.provenance.of_variable(self.model.frames[MAIN], slot, place)
            if full is not None:
                return full
        return Origin(place, How.ASSIGNMENT)

    def value(self, value: Any) -> Value:
        if type(value) in _PLAIN:
            plain: Value = value
            return plain
        if isinstance(value, ModelInstance):
            return Ref(self.ids[value])
        # What holds nothing but plain values is not copied: nobody changes it once the model is evaluated.
        if isinstance(value, list):
            return value if _is_plain(value) else [self.value(item) for item in value]
        if isinstance(value, dict):
            if _is_plain(value.values()):
                return value
            return {key: self.value(item) for key, item in value.items()}
        if isinstance(value, Late):
            return Unknown(why=f"{value!r} is looked up when it is deployed")
        converted: Value = value
        return converted

    def _instance(self, instance: ModelInstance) -> GraphInstance:
        entity = instance.entity
        plan = self.plans.get(entity)
        if plan is None:
            plan = self.plans[entity] = _Plan(entity)
        values = instance.values
        row = []
        for slot in plan.slots:
            value = values[slot]
            kind = type(value)
            if kind is str or kind is int or kind is bool or value is None:
                row.append(value)
            elif kind is PendingSlot:
                row.append(None)
            elif kind is Unknown:
                name = plan.attribute_layout.keys[len(row)]
                row.append(
                    Unknown(of=f"{self.ids[instance]}|{name}", why="it is known once something is deployed")
                )
            else:
                row.append(self.value(value))
        relations = []
        plain = instance.writes is None
        ids = self.ids
        for slot in plan.relation_slots:
            value = values[slot]
            kind = type(value)
            if kind is RelationValue:
                if value.values:
                    relations.append(tuple([ids[target] for target in value.values]))
                    plain = False
                else:
                    relations.append(())
            elif kind is ModelInstance:
                relations.append((ids[value],))
            else:
                relations.append(())
        requires: tuple[str, ...] = ()
        if plan.requires is not None and type(values[plan.requires]) is RelationValue:
            requires = tuple([ids[target] for target in values[plan.requires].values])
        site = instance.site
        return GraphInstance(
            id=ids[instance],
            type=plan.type,
            language="inmanta",
            name=self.names[instance],
            attributes=Record(plan.attribute_layout, tuple(row)),
            relations=Record(plan.relation_layout, tuple(relations)),
            requires=requires,
            origin=self._write_origin(site)
            if self.provenance is None
            else self.provenance.of_instance(instance),
            origins=self._site_record(site, entity)
            if plain and self.provenance is None
            else self._own_record(instance),
            library=self._is_of_library(instance),
        )

    def _is_of_library(self, instance: ModelInstance) -> bool:
        """Whether a statement at the top of a module that is no part of the package made it, or made what made it."""
        maker = instance.maker
        if maker is None:
            scope = instance.site.scope
            module = scope.space.module if scope is not None else None
            is_library = module is not None and not isinstance(module.root, PackageTree)
        else:
            is_library = maker in self.library
        if is_library:
            self.library.add(instance)
        return is_library

    def _site_record(self, site: WriteSite, entity: EntityType) -> Record[Origin]:
        record = self.shared.get((site, entity))
        if record is None:
            origins: dict[str, Origin] = {}
            for prop in entity.by_slot:
                origin = self._from_constructor(site, entity, prop)
                if origin is not None:
                    origins[prop.name] = origin
            record = self.shared[site, entity] = Record.of(origins)
        return record

    def _from_constructor(self, site: WriteSite, entity: EntityType, prop: Property) -> Origin | None:
        if prop.name in site.explicit:
            places = site.argument_places or {}
            return Origin(places.get(prop.name, site.place), site.how, (), site_note(site))
        if prop.name in entity.defaults:
            place = entity.default_place(prop.name)
            return Origin(place or prop.place, How.DEFAULT)
        if prop.nullable:
            return Origin(prop.place, How.DEFAULT, (), "no value was given")
        return None

    def _own_record(self, instance: ModelInstance) -> Record[Origin]:
        entity, site = instance.entity, instance.site
        origins: dict[str, Origin] = dict(self._site_record(site, entity))
        for slot, by in (instance.writes or {}).items():
            origins[entity.by_slot[slot].name] = self._write_origin(by)
        for prop, value in zip(entity.by_slot, instance.values, strict=True):
            if type(value) is RelationValue and value.values:
                by = next(iter(value.values.values()))
                if by is not site:
                    origins[prop.name] = self._relation_origin(by)
            elif type(value) is PendingSlot:
                origins.pop(prop.name, None)
        if self.provenance is not None:
            whole = {
                prop.name: self.provenance.of_property(instance, prop, origins.get(prop.name))
                for prop in entity.by_slot
            }
            origins = {name: origin for name, origin in whole.items() if origin is not None}
        return Record.of(origins)

    def _write_origin(self, site: WriteSite) -> Origin:
        origin = self.site_origins.get(site)
        if origin is None:
            origin = self.site_origins[site] = Origin(site.place, site.how, (), site_note(site))
        return origin

    def _relation_origin(self, site: WriteSite) -> Origin:
        origin = self.relation_origins.get(site)
        if origin is None:
            origin = self.relation_origins[site] = Origin(site.place, How.RELATION, (), site_note(site))
        return origin
