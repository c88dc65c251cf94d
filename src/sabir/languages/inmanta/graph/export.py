"""Exports the resources of a model and serializes them.

Every instance of a registered entity is exported, with fields computed by the registered class, once
for each registered entity among its ancestors. A field that depends on an unknown value makes the
resource undefined: it is exported, but neither it nor what requires it is deployed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final, Protocol

from msgspec import Struct, field

from sabir.diagnostics.finding import Finding, RelatedLocation
from sabir.diagnostics.reasons import error_text
from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.model import EvaluatedModel
from sabir.languages.inmanta.evaluate.plugins.api import RegisteredResource
from sabir.languages.inmanta.evaluate.plugins.dataclasses import classes_of, field_value, identity_of
from sabir.languages.inmanta.evaluate.plugins.engine.exporting import Exporter
from sabir.languages.inmanta.evaluate.plugins.engine.references import (
    Reference,
    ReplaceValue,
    find_references,
)
from sabir.languages.inmanta.evaluate.plugins.engine.resources import (
    Id,
    IgnoreResourceException,
    Resource,
    ResourceException,
)
from sabir.languages.inmanta.evaluate.plugins.engine.types import Entity, entity_view
from sabir.languages.inmanta.evaluate.values import ModelInstance, PendingSlot, RelationValue, property_of
from sabir.languages.inmanta.evaluate.views import InstanceView, UnknownView, instance_of, view_of
from sabir.languages.inmanta.model.entities import EntityType
from sabir.languages.inmanta.syntax.examples import inmanta_rule


class Export(Struct, eq=False):
    """The exported resources by id, with the instances they come from."""

    resources: dict[str, Resource] = field(default_factory=dict[str, Resource])
    instances: dict[str, ModelInstance] = field(default_factory=dict[str, ModelInstance])
    undefined: list[str] = field(default_factory=list[str])
    sets: dict[str, str] = field(default_factory=dict[str, str])
    """The resource set of a resource, when it is in one."""
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """Contents that were uploaded, by their hash."""
    findings: list[Finding] = field(default_factory=list[Finding])

    def resource_data(self) -> list[dict[str, Any]]:
        """Return the resources in the format that the tools of the original engine read."""
        return [
            {
                **_plain_fields(resource),
                "id": f"{identity},v=0",
                "requires": requires_of(resource),
                "version": 0,
            }
            for identity, resource in self.resources.items()
        ]


def _plain_fields(resource: Resource) -> dict[str, Any]:
    return {name: _plain_data(getattr(resource, name)) for name in type(resource).fields}


def _plain_data(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_data(item) for item in value]
    return value


def requires_of(resource: Resource) -> list[str]:
    """Return the ids of the required resources, without versions, sorted."""
    return sorted({required.resource_str() for required in resource.requires})


def export_value(value: Any, path: str) -> Any:
    """Return a value as JSON data; references are null, because mutators define their values.

    Raises TypeError for a value that JSON cannot represent, with its path.
    """
    if isinstance(value, Reference):
        return None
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [export_value(item, f"{path}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, Mapping):
        return {str(key): export_value(item, f"{path}.{key}") for key, item in value.items()}
    raise TypeError(f"{value!r} in resource is not JSON serializable at path {path}")


def write_reference(reference: Reference[Any], written: dict[str, dict[str, Any]]) -> None:
    """Serialize a reference, after those among its arguments."""
    for argument in reference.arguments.values():
        if isinstance(argument, Reference):
            write_reference(argument, written)
    data = reference.serialize()
    written.setdefault(data["id"], data)


RESOURCE: Final = inmanta_rule(
    "INM:E025",
    "a resource cannot be exported",
    "The class that is registered for an entity failed to compute a field or the id of a resource, two resources have one id, or "
    "resources require each other in a circle.",
    when="render",
)
LOST_REQUIREMENT: Final = inmanta_rule(
    "INM:W005",
    "what a resource requires is lost",
    "Only what is a resource itself can be required by one when it is deployed. Requirements do not go through other instances: "
    "the implementation of what stands between has to hand them on.",
    when="render",
)
UNDEFINED: Final = "<<undefined>>"
"""What stands for a field that is not known yet."""


class FieldReadObserver(Protocol):
    """An observer of what is read for which field of which resource."""

    def begin(self, instance: ModelInstance, entity: str, field: str) -> None: ...

    def record_export(self, instance: ModelInstance, entity: str, identity: str) -> None: ...


def export_model(
    model: EvaluatedModel, reads: FieldReadObserver | None = None, function: str | None = None
) -> Export:
    """Return everything that a model exports. A named export function is run as well."""
    export = Export()
    try:
        with model.python.importable():
            _ModelExporter(model, export, reads or _NoReads()).run(function)
    except _Failure as failure:
        export.findings.append(failure.finding)
    return export


class _NoReads:
    def begin(self, instance: ModelInstance, entity: str, field: str) -> None: ...

    def record_export(self, instance: ModelInstance, entity: str, identity: str) -> None: ...


class _Failure(Exception):
    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class _ModelExporter:
    def __init__(self, model: EvaluatedModel, export: Export, reads: FieldReadObserver) -> None:
        self.model = model
        self.export = export
        self.reads = reads
        self.registry = model.python.registry
        self.types = _collect_types(model)
        self.exporter = Exporter(self.types)
        self.classes = {registered.entity: registered for registered in self.registry.resources}
        self._lines: dict[EntityType, list[RegisteredResource]] = {}
        self.by_instance: dict[ModelInstance, list[str]] = {}

    def run(self, function: str | None) -> None:
        _close_relations(self.model)
        self.registry.identify = self._identify
        for instance in self.model.instances:
            for registered in self._line(instance.entity):
                self._add(instance, registered)
        self._require()
        self._manage()
        self._check_circles()
        self._sets()
        if function is not None:
            self._function(function)
        self.export.files = self.exporter.files

    def _line(self, entity: EntityType) -> list[RegisteredResource]:
        line = self._lines.get(entity)
        if line is None:
            line = self._lines[entity] = classes_of(entity, self.classes)
        return line

    def _identify(self, entity: Any) -> str | None:
        instance = instance_of(entity) if isinstance(entity, InstanceView) else entity
        line = self._line(instance.entity)
        if not line:
            return None
        identity = identity_of(instance, line[0], self.exporter)
        return None if identity is None else identity.resource_str()

    # One resource

    def _add(self, instance: ModelInstance, registered: RegisteredResource) -> None:
        export = self.export
        try:
            self.reads.begin(instance, registered.entity, "id")
            identity = identity_of(instance, registered, self.exporter)
            if identity is None:
                return  # its id is not known before deployment: it is left out
            resource = registered.cls(identity)
            if not isinstance(resource, Resource):
                raise ResourceException(f"{registered.cls.__name__} is no subclass of Resource")
            self._fill(resource, instance, registered)
        except IgnoreResourceException:
            return
        except _Failure:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001  # the class is code of a module
            raise self._failure(
                instance, registered, f"{type(error).__name__}: {error_text(error)}"
            ) from None
        text = identity.resource_str()
        if text in export.resources:
            first = export.instances[text].site.place
            raise _Failure(
                RESOURCE.at(
                    instance.site.place,
                    f"the resource {text} is there more than once",
                    hint=f"{registered.id_attribute!r} has to differ between the resources of an agent",
                    related=(RelatedLocation(place=first, message="the other one is made here"),),
                )
            )
        resource.model = view_of(instance)
        resource.__dict__["_registrations"] = self.registry.references
        export.resources[text] = resource
        export.instances[text] = instance
        self.by_instance.setdefault(instance, []).append(text)
        if resource.unknowns:
            export.undefined.append(text)
        self.reads.record_export(instance, registered.entity, text)

    def _fill(self, resource: Resource, instance: ModelInstance, registered: RegisteredResource) -> None:
        references: dict[str, dict[str, Any]] = {}
        mutators: list[dict[str, Any]] = []
        for name in type(resource).fields:
            self.reads.begin(instance, registered.entity, name)
            try:
                value = field_value(instance, registered, self.exporter, name)
                if _has_unknown(value):
                    resource.unknowns.add(name)
                    value = UNDEFINED
                for path, reference in find_references(value, name):
                    write_reference(reference, references)
                    mutators.append(ReplaceValue(resource, reference, path).serialize())
                setattr(resource, name, export_value(value, name))
            except IgnoreResourceException:
                raise
            except (Exception, SystemExit) as error:  # noqa: BLE001  # get_<field> is code of a module
                said = f"{type(error).__name__}: {error_text(error)}"
                raise self._failure(
                    instance, registered, f"the field {name!r} cannot be computed: {said}"
                ) from None
        if references:
            resource.references = list(references.values())  # type: ignore[attr-defined]  # a field
            resource.mutators = mutators  # type: ignore[attr-defined]  # a field

    def _failure(self, instance: ModelInstance, registered: RegisteredResource, said: str) -> _Failure:
        return _Failure(
            RESOURCE.at(
                instance.site.place,
                f"the resource of this {instance.entity.shown!r} cannot be exported: {said}",
                hint=f"see the class {registered.cls.__name__} that is registered for {registered.entity!r}",
            )
        )

    # What they require

    def _require(self) -> None:
        for text, resource in self.export.resources.items():
            instance = self.export.instances[text]
            self.reads.begin(instance, resource.id.entity_type, "requires")
            slot = instance.entity.slots.get("requires")
            relation = instance.values[slot] if slot is not None else None
            if not isinstance(relation, RelationValue):
                continue
            if instance.entity.on_read is not None:
                instance.entity.on_read(instance, "requires")
            for other in relation.values:
                resource.requires.update(
                    self.export.resources[name].id for name in self.by_instance.get(other, ())
                )
            if relation.values and not resource.requires and not self._any_left_out(relation.values):
                self.export.findings.append(
                    LOST_REQUIREMENT.at(
                        instance.site.place,
                        f"{text} requires {len(relation.values)} instances, none of which is a resource",
                        hint="only resources can be required: hand on what they require, or what provides for them",
                    )
                )

    def _any_left_out(self, instances: Iterable[ModelInstance]) -> bool:
        """Whether one of them has a class, and was left out by it."""
        return any(self._line(instance.entity) for instance in instances)

    def _manage(self) -> None:
        resources = {resource.id: resource for resource in self.export.resources.values()}
        for manager in self.registry.dependency_managers:
            try:
                manager(self.types, resources)
            except (Exception, SystemExit) as error:  # noqa: BLE001  # code of a module
                said = f"{type(error).__name__}: {error_text(error)}"
                raise self._of_export(f"the dependency manager {manager.__name__} failed: {said}") from None
        for resource in resources.values():
            resource.requires = {self._find_required(required, resource) for required in resource.requires}

    def _find_required(self, required: Any, resource: Resource) -> Id:
        identity = required.id if isinstance(required, Resource) else required
        text = identity.resource_str() if isinstance(identity, Id) else str(identity).partition("],v=")[0]
        text = text if text.endswith("]") else f"{text}]"
        if text not in self.export.resources:
            raise _Failure(
                RESOURCE.at(
                    self.export.instances[resource.id.resource_str()].site.place,
                    f"a dependency manager makes {resource.id} require {text}, which is no resource of this model",
                )
            )
        return self.export.resources[text].id

    def _of_export(self, message: str) -> _Failure:
        place = next(iter(self.model.definitions.project.namespaces.values())).source
        return _Failure(RESOURCE.about_file(place, message))

    def _check_circles(self) -> None:
        circle = _find_cycle(
            {text: requires_of(resource) for text, resource in self.export.resources.items()}
        )
        if circle is not None:
            start = circle.index(min(circle))
            ordered = circle[start:] + circle[:start]
            places = [self.export.instances[text].site.place for text in ordered]
            raise _Failure(
                RESOURCE.at(
                    places[0],
                    f"these resources require each other: {' → '.join([*ordered, ordered[0]])}",
                    related=tuple(
                        RelatedLocation(place=place, message="in the circle") for place in places[1:]
                    ),
                )
            )

    def _sets(self) -> None:
        for instance in self.model.instances:
            if instance.entity.name == "std::ResourceSet":
                name, members = property_of(instance, "name"), property_of(instance, "resources")
                for member in members:
                    for identity in self.by_instance.get(member, ()):
                        self.export.sets[identity] = str(name)

    def _function(self, name: str) -> None:
        registered = self.registry.exports.get(name)
        if registered is None:
            raise self._of_export(f"there is no export function {name!r}")
        instances: dict[str, list[Any]] = {
            entity: self.types[entity].get_all_instances() if entity in self.types else []
            for entity in registered.entities
        }
        try:
            registered.function(self.exporter, types=instances) if instances else registered.function(
                self.exporter
            )
        except (Exception, SystemExit) as error:  # noqa: BLE001  # code of a module
            raise self._of_export(
                f"the export function {name!r} failed: {type(error).__name__}: {error_text(error)}"
            ) from None


def _collect_types(model: EvaluatedModel) -> dict[str, Entity]:
    """Return every entity with its instances, for Python of modules."""
    types = {entity.shown: entity_view(entity) for entity in model.definitions.entities.values()}
    for view in types.values():
        view.instances = []
    for instance in model.instances:
        for ancestor in instance.entity.ancestors:
            types[ancestor.shown].instances.append(view_of(instance))
    return types


def _close_relations(model: EvaluatedModel) -> None:
    """Close the relations that are still open: nothing is added any more, and `get_<field>` may read them."""
    for instance in model.instances:
        for slot, (prop, value) in enumerate(zip(instance.entity.by_slot, instance.values, strict=True)):
            if isinstance(value, RelationValue):
                value.closed = True
            elif isinstance(value, PendingSlot):
                settled = RelationValue(instance, prop, slot) if prop.is_list else None
                if settled is not None:
                    settled.closed = True
                instance.values[slot] = settled


def _has_unknown(value: Any) -> bool:
    if isinstance(value, UnknownView | Unknown):
        return True
    if isinstance(value, dict):
        return any(map(_has_unknown, dict.values(value)))
    return isinstance(value, list | tuple | set) and any(
        map(_has_unknown, list.__iter__(value) if isinstance(value, list) else value)
    )


def _find_cycle(edges: Mapping[str, list[str]]) -> list[str] | None:
    """Return nodes that form a cycle, or nothing."""
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        # Each leads back to the one before it, and the first stands at both ends.
        circle: list[str] = error.args[1]
        return circle[:0:-1]
    return None
