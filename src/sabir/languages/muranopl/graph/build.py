"""From objects to graph instances: plain values are attributes, objects in properties are relations.

Every object and value has an origin: the model, a default, a contract's conversion, or code. If a recorder
watched the run, its steps become origins as well. A property that the graph shows is referred to instead of
being expanded, while first values are spelled out, because no instance shows them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from sabir.graph.graph import Graph, Instance
from sabir.graph.origin import How, Origin
from sabir.graph.record import Record
from sabir.graph.values import Ref, Value
from sabir.languages.muranopl.evaluate.objects import same_value
from sabir.languages.muranopl.evaluate.positions import ModelPositions
from sabir.languages.muranopl.evaluate.recording.recorder import RunRecorder
from sabir.languages.muranopl.evaluate.recording.storage import FirstValue, WatchedProperties
from sabir.languages.muranopl.evaluate.runtime import Runtime
from sabir.languages.muranopl.evaluate.serialisation import MOST_CONTAINERS, too_large
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.objects import MuranoObject, ObjectView
from sabir.languages.muranopl.model.properties import PropertyDeclaration
from sabir.provenance import Cell, MergingChains, ProvenanceStep, Site, StepShape, ValueSource
from sabir.provenance.steps import NOWHERE
from sabir.text import Place


class MuranoOrigins:
    """Origins of one runtime, each with a location and kind only; those of declarations are shared."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self._defaults: dict[PropertyDeclaration, Origin] = {}

    def of_object(self, object_: MuranoObject) -> Origin:
        place = self.place_of(object_.id)
        if place is not None:
            return Origin(place, How.INPUT)
        return Origin(Place(object_.cls.node.source, object_.cls.node.span), How.CONSTRUCTOR)

    def place_of(self, object_id: str) -> Place | None:
        """Return the location at which the model defines an object."""
        defined = self.runtime.origins.get(object_id)
        return None if defined is None else defined[0].of(defined[1])

    def of_property(self, object_: MuranoObject, name: str) -> Origin | None:
        declaration = object_.cls.members[name]
        written = (self.runtime.written or {}).get((object_.id, name))
        if written is not None:
            return Origin(written, How.ASSIGNMENT)
        if object_.id not in self.runtime.origins and declaration.default is None:
            return None
        source = self.source_of(object_.id, declaration)
        if source is None:
            return self.default(declaration)
        _positions, raw = self.runtime.origins[object_.id]
        if same_value(object_.properties.get(name), raw.get(name)):
            return source
        return Origin(declaration.contract_place, How.CONVERSION, (source,))

    def source_of(self, object_id: str, declaration: PropertyDeclaration) -> Origin | None:
        """Return the outside source of a property's value; None if there is none."""
        defined: tuple[ModelPositions, Mapping[Any, Any]] | None = self.runtime.origins.get(object_id)
        if defined is None:
            return None
        positions, raw = defined
        overridden = self.runtime.overridden.get((object_id, declaration.name))
        if overridden is not None:
            if isinstance(overridden, Origin):
                return overridden
            return Origin(positions.of(raw) or declaration.place, overridden)
        place = positions.of_value(raw, declaration.name) if declaration.is_read else None
        return None if place is None else Origin(place, How.INPUT)

    def find_parts_origin(self, object_id: str, declaration: PropertyDeclaration) -> Origin | None:
        """Return the same source, but with inline objects as their headers: their properties are values of their own."""
        origin = self.source_of(object_id, declaration)
        positions = self.runtime.origins[object_id][0] if origin is not None else None
        if origin is None or positions is None or (object_id, declaration.name) in self.runtime.overridden:
            return origin
        places = positions.parts_of_value(self.runtime.origins[object_id][1], declaration.name)
        if not places:
            return origin
        first, *others = places
        return Origin(first, How.INPUT, tuple(Origin(place, How.INPUT) for place in others))

    def default(self, declaration: PropertyDeclaration) -> Origin:
        origin = self._defaults.get(declaration)
        if origin is None:
            node = declaration.node
            span = node.span if node.default is None else node.default.span
            place = Place(declaration.cls.node.source, span)
            note = None
            if declaration.configured:
                place, note = declaration.configured_place or place, "class configuration"
            elif node.default is None:
                note = "no default, so null"
            origin = self._defaults[declaration] = Origin(place, How.DEFAULT, note=note)
        return origin


_ATOMS = frozenset((str, int, float, bool, type(None)))


def build_graph(runtime: Runtime) -> Graph:
    """Return the graph of all objects reachable from the root, owners before their parts.

    If a recorder recorded the steps to every value, origins name them all.
    """
    if runtime.recorder is None:
        origins: MuranoOrigins | Steps = MuranoOrigins(runtime)
        return Graph(_build_instance(object_, origins) for object_ in _find_reachable(runtime.root))

    objects = list(_find_reachable(runtime.root))
    shown = frozenset((object_.id, name) for object_ in objects for name in _visible_names(object_))
    for object_ in objects:
        for name in object_.properties:
            runtime.recorder.final(object_.properties, name)
    origins = Steps(runtime.recorder, MuranoOrigins(runtime), shown)
    return Graph(_build_instance(object_, origins) for object_ in objects)


def _find_reachable(root: MuranoObject | None) -> Iterator[MuranoObject]:
    seen: set[int] = set()
    waiting = [root] if root is not None else []
    while waiting:
        object_ = waiting.pop()
        if id(object_) in seen or object_.is_destroyed:
            continue
        seen.add(id(object_))
        yield object_
        inner: list[MuranoObject] = []
        for name in _visible_names(object_):
            inner.extend(_objects_in(object_.properties.get(name)))
        waiting.extend(reversed(inner))


def _visible_names(object_: MuranoObject) -> list[str]:
    """Return properties of the model and the configuration; Runtime properties are internal to code."""
    members = object_.cls.members
    return [name for name in object_.cls.instance_names if members[name].usage != "Runtime"]


def _objects_in(value: Any) -> Iterator[MuranoObject]:
    waiting = [value]
    budget = MOST_CONTAINERS
    while waiting:
        item = waiting.pop()
        if isinstance(item, MuranoObject):
            yield item
        elif isinstance(item, ObjectView):
            yield item.object
        elif isinstance(item, dict | list | tuple):
            budget -= 1
            if budget < 0:
                raise too_large()
            waiting.extend(reversed(item.values() if isinstance(item, dict) else item))


def _build_instance(object_: MuranoObject, origins: MuranoOrigins | Steps) -> Instance:
    attributes: dict[str, Value] = {}
    relations: dict[str, tuple[str, ...]] = {}
    where: dict[str, Origin] = {}
    members = object_.cls.members
    for name in _visible_names(object_):
        if name not in object_.properties:
            continue
        value = object_.properties.get(name)
        objects = tuple(target.id for target in _objects_in(value))
        refers = members[name].contract.build is not None
        if objects or refers:
            relations[name] = objects
        if not refers or isinstance(value, dict):
            attributes[name] = _graph_value(value)
        origin = origins.of_property(object_, name)
        if origin is not None:
            where[name] = origin
    return Instance(
        id=object_.id,
        type=object_.cls.name,
        language="muranopl",
        name=object_.name or object_.id,
        owner=None if object_.owner is None else object_.owner.id,
        attributes=Record.of(attributes),
        relations=Record.of(relations),
        origin=origins.of_object(object_),
        origins=Record.of(where),
    )


def _graph_value(value: Any) -> Value:
    if type(value) in _ATOMS:
        atom: Value = value
        return atom
    if isinstance(value, ObjectView):
        value = value.object
    if isinstance(value, MuranoObject):
        return Ref(value.id)
    if isinstance(value, dict):
        return {str(key): _graph_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_graph_value(item) for item in value]
    if isinstance(value, MuranoClass):
        return value.name
    return value if isinstance(value, date | bytes) else str(value)


class Steps(MergingChains):
    """Origins of recorded steps. `shown` are the properties in the graph, by object id and name."""

    def __init__(
        self, recorder: RunRecorder, origins: MuranoOrigins, shown: frozenset[tuple[str, str]]
    ) -> None:
        super().__init__()
        self.recorder = recorder
        self.origins = origins
        self.shown = shown

    def of_object(self, object_: MuranoObject) -> Origin:
        step = self.recorder.find_maker(object_)
        return self.origins.of_object(object_) if step is None else self.origin(step)

    def of_property(self, object_: MuranoObject, name: str) -> Origin | None:
        step = self.recorder.final(object_.properties, name)
        if step is None:
            assert isinstance(object_.properties, WatchedProperties)
            step = self.recorder.current(object_.properties, name)
        return None if step is None else self.origin(step)

    def is_shown(self, cell: Cell) -> bool:
        return cell[0].owner is not None and (cell[0].owner, cell[1]) in self.shown

    def describe_step(self, step: ProvenanceStep) -> StepShape:
        return self._first_value(step) if isinstance(step, FirstValue) else super().describe_step(step)

    def _first_value(self, step: FirstValue) -> StepShape:
        declaration, reads = step.declaration, tuple(step.reads)
        contract = self.recorder.contract_site(declaration)
        if step.giver is not None:
            if step.is_converted:
                return StepShape(contract, tuple(self.edges((step.giver, *reads))))
            return StepShape(step.giver.site, tuple(self.edges((*step.giver.sources(), *reads))))
        outside = None
        if step.object_id is not None:
            outside = self.origins.find_parts_origin(step.object_id, declaration)
        if outside is not None:
            if step.is_converted or reads:
                return StepShape(contract, (outside, *self.edges(reads)))
            return StepShape(Site(outside.place, outside.how, outside.note), outside.sources)
        default = self.origins.default(declaration)
        site = Site(default.place, How.DEFAULT, default.note)
        if reads and not declaration.configured:
            site = Site(default.place, How.EXPRESSION, "default")
        rests_on = reads if step.maker is None else (*reads, step.maker)
        if step.is_converted:
            return StepShape(contract, (ProvenanceStep(site, rests_on),))
        return StepShape(site, tuple(self.edges(rests_on)))

    def kind(self, step: ProvenanceStep) -> Hashable:
        if not isinstance(step, FirstValue):
            return super().kind(step)
        if step.object_id in self.origins.runtime.origins:
            return step  # the model sets the values of each object separately
        return (step.declaration, step.is_converted, None if step.giver is None else step.giver.site)

    def merge(self, steps: list[ProvenanceStep], below: Iterable[ValueSource]) -> ProvenanceStep:
        first = steps[0]
        if not isinstance(first, FirstValue):
            return super().merge(steps, below)
        giver = first.giver
        return FirstValue(
            NOWHERE,
            tuple(dict.fromkeys(source for source in below if source is not giver)),
            cell=first.cell,
            declaration=first.declaration,
            object_id=None,
            is_converted=first.is_converted,
            giver=None if giver is None else ProvenanceStep(giver.site, giver.reads, giver.decided_by),
        )
