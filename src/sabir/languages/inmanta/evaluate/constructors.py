"""Constructors at run time: arguments first, then the instance, then the deferred arguments.

An argument that has to wait becomes a separate assignment, so that two instances can refer to each
other.

Entities with an index need their identifying properties before the instance exists, because these may
name an existing instance. Where a constructor is the value of a relation, the owner can be one of the
identifying values: with `index File(host, path)` and `Host.files [0:] -- File.host [1]`, the statement
`host.files += File(path="/etc/motd")` means `File(host=host, path="/etc/motd")`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from sabir.diagnostics.finding import RelatedLocation
from sabir.languages.inmanta.evaluate.budget import LIMIT
from sabir.languages.inmanta.evaluate.comprehensions import Flow
from sabir.languages.inmanta.evaluate.engine import EngineStep
from sabir.languages.inmanta.evaluate.interrupts import Stop, Wait
from sabir.languages.inmanta.evaluate.lookups import hashable_key
from sabir.languages.inmanta.evaluate.scopes import BlockScope, WriteSite
from sabir.languages.inmanta.evaluate.values import EMPTY, Frame, ModelInstance, Read, RelationValue
from sabir.languages.inmanta.evaluate.writes import stop
from sabir.languages.inmanta.model.definitions import Definitions
from sabir.languages.inmanta.model.entities import EntityType, IndexDef, Property
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.languages.inmanta.syntax.project import Namespace

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.compiler import ModelCompiler
    from sabir.languages.inmanta.evaluate.construction import ConstructionCompiler


def with_owner(
    value: nodes.Expression,
    relation: str,
    owner: nodes.Expression,
    definitions: Definitions,
    space: Namespace,
) -> nodes.Expression:
    """Return the value of a relation, with the owner added to its constructors where an index needs it."""

    def inside(part: nodes.Expression) -> nodes.Expression:
        return with_owner(part, relation, owner, definitions, space)

    if isinstance(value, nodes.Construct):
        name = _find_missing_relation(value, relation, definitions, space)
        if name is None:
            return value
        argument = nodes.Argument(value.start, value.end, name, owner, False)
        return replace(value, arguments=(*value.arguments, argument))
    if isinstance(value, nodes.ListLiteral):
        return replace(value, items=tuple(inside(item) for item in value.items))
    if isinstance(value, nodes.Conditional):
        return replace(value, then=inside(value.then), otherwise=inside(value.otherwise))
    if isinstance(value, nodes.Comprehension):
        return replace(value, element=inside(value.element))
    return value


def _find_missing_relation(
    node: nodes.Construct, relation: str, definitions: Definitions, space: Namespace
) -> str | None:
    """Return the one identifying relation that is omitted, if it is the reverse of the one being set."""
    entity = definitions.find_constructed(node, space)
    if entity is None or not entity.indexes or any(argument.unpack for argument in node.arguments):
        return None
    named = {argument.name for argument in node.arguments} | set(entity.defaults)
    missing = {name for index in entity.indexes for name in index.attributes} - named
    if len(missing) != 1:
        return None
    name = missing.pop()
    reverse = entity.all_properties[name].reverse
    return name if reverse is not None and reverse.name == relation else None


MAX_REFINEMENT_DEPTH: Final = 500


class Constructor:
    """One compiled constructor expression."""

    def __init__(
        self,
        owner: ConstructionCompiler,
        entity: EntityType,
        node: nodes.Construct,
        scope: BlockScope,
        site: WriteSite,
        maker: Read | None,
    ) -> None:
        self.owner = owner
        self.engine = owner.engine
        self.writer = owner.engine.writer
        self.entity = entity
        self.node = node
        self.scope = scope
        self.site = site
        self.maker = maker
        compiler = owner.compiler
        self.refine = compiler.refinements.refiner(entity)
        self.blank: Frame = [entity.defaults.get(name, EMPTY) for name in entity.all_properties]
        identifying = {name for index in entity.indexes for name in index.attributes}
        self.identifying = identifying
        self.attributes: list[tuple[int, Read, Property, nodes.Argument]] = []
        self.relations: list[tuple[Property, Read, nodes.Argument]] = []
        self.own_slot: int | None = None
        """Where constructors among the arguments find the instance, should they be identified by it."""
        for argument in node.arguments:
            if argument.unpack or argument.name is None:
                continue
            prop = entity.all_properties[argument.name]
            if prop.target is None:
                slot = entity.slots[argument.name]
                read = owner.argument(compiler.read(argument.value, scope), argument)
                self.attributes.append((slot, read, prop, argument))
            else:
                value = self._add_owner(argument.value, prop, compiler)
                for part in _list_items(value) if prop.is_list else [value]:
                    read = (
                        compiler.expressions.gradual(part, scope)
                        if prop.is_list
                        else compiler.read(part, scope)
                    )
                    self.relations.append((prop, owner.argument(read, argument), argument))
        self.unpacks = [
            owner.argument(compiler.read(argument.value, scope), argument)
            for argument in node.arguments
            if argument.unpack
        ]

    def _add_owner(
        self, value: nodes.Expression, prop: Property, compiler: ModelCompiler
    ) -> nodes.Expression:
        if prop.reverse is None or prop.name in self.identifying:
            return value
        node, scope = self.node, self.scope
        name = f"@{node.start}"  # no model can write such a name
        owner = nodes.Name(node.start, node.end, name)
        owned = with_owner(value, prop.name, owner, compiler.definitions, scope.space)
        if owned != value and self.own_slot is None:
            self.own_slot = scope.names[name] = scope.layout.slot()
        return owned

    def reader(self) -> Read:
        entity, blank, site, maker = self.entity, self.blank, self.site, self.maker
        writer, engine, refine = self.writer, self.engine, self.refine
        instances, most_instances = engine.instances, engine.most_instances
        # What-if values of an entity with an index need its relations to be named: they come later.
        given = (
            engine.given
            if engine.given is not None and engine.given.overrides and not entity.indexes
            else None
        )
        attributes = [
            (slot, read, prop.type.accepts, prop, argument)
            for slot, read, prop, argument in self.attributes
            if prop.type is not None
        ]
        relations, own_slot = self.relations, self.own_slot

        def construct(frame: Frame) -> ModelInstance:
            values = blank.copy()
            instance = ModelInstance(entity, values, site, maker(frame) if maker is not None else None)
            if instance.depth > MAX_REFINEMENT_DEPTH:
                raise self._too_deep()
            late: list[tuple[Property, Read, nodes.Argument, Wait]] = []
            for slot, read, accepts, prop, argument in attributes:
                values[slot] = EMPTY
                try:
                    value = read(frame)
                except Wait as wait:
                    late.append((prop, read, argument, wait))
                    continue
                if not accepts(value):
                    raise writer.type_error(instance, prop, value, site)
                values[slot] = value
            if given is not None:
                given.apply(instance)
            instances.append(instance)
            if len(instances) > most_instances:
                raise engine.instance_limit_error()
            if own_slot is not None:
                frame[own_slot] = instance
            if relations:
                try:
                    self._relate(instance, frame, late)
                except Stop:
                    engine.spoiled.add(instance)
                    raise
            if late:
                self._later(instance, frame, late)
            if refine is not None:
                refine(instance)
            return instance

        return construct

    def _relate(self, instance: ModelInstance, frame: Frame, late: list[Any]) -> None:
        for prop, read, argument in self.relations:
            try:
                self._assign(instance, prop, read(frame))
            except Wait as wait:
                late.append((prop, read, argument, wait))

    def _too_deep(self) -> Stop:
        return stop(
            LIMIT,
            f"the refinement of {self.entity.shown!r} goes more than {MAX_REFINEMENT_DEPTH} instances deep",
            self.site.place,
            hint="a refinement that constructs an instance of its own entity needs a condition that ends it",
        )

    def _later(
        self, instance: ModelInstance, frame: Frame, late: list[tuple[Property, Read, nodes.Argument, Wait]]
    ) -> None:
        for prop, read, argument, wait in late:
            step = EngineStep(partial(self._assign_late, instance, prop, read), argument, self.scope)
            step.writes_instance = (instance, prop)
            self.engine.park(step, frame, wait)

    def _assign_late(self, instance: ModelInstance, prop: Property, read: Read, frame: Frame) -> None:
        self._assign(instance, prop, read(frame))

    def _assign(self, instance: ModelInstance, prop: Property, value: Any) -> None:
        if type(value) is Flow:
            value.into_relation(instance, prop, self._put)
        else:
            self._put(instance, prop, value)

    def _put(self, instance: ModelInstance, prop: Property, value: Any) -> None:
        if type(value) is RelationValue:
            self.engine.copy(value, instance, prop, self.site)
        else:
            self.writer.assign(instance, prop, value, self.site)


def _list_items(value: nodes.Expression) -> Sequence[nodes.Expression]:
    """Return the items of a list for a relation. Each is added as soon as it is known."""
    return value.items if isinstance(value, nodes.ListLiteral) else [value]


INDEX_MISSING: Final = inmanta_rule(
    "INM:E017",
    "a constructor lacks an identifying property",
    "All properties of an index are set in the constructor (or have a default), because they decide whether there is "
    "such an instance already.",
    when="evaluate",
)
INDEX_CONFLICT: Final = inmanta_rule(
    "INM:E018",
    "an index names another instance",
    "The identifying values already belong to an instance of another entity, or two indexes name two instances.",
    when="evaluate",
)


class IdentifiedConstructor(Constructor):
    """A constructor of an entity with an index, which creates each identified instance once."""

    def reader(self) -> Read:
        entity = self.entity
        reads = {argument.name: (read, prop) for _, read, prop, argument in self.attributes}
        reads |= {argument.name: (read, prop) for prop, read, argument in self.relations}
        missing = self.identifying - set(reads) - set(entity.defaults)
        keys = [name for name in entity.all_properties if name in self.identifying and name in reads]
        plain = super().reader()
        given = self.engine.given

        def construct(frame: Frame) -> ModelInstance:
            if missing:
                raise self._missing_keys(missing)
            identity = {name: reads[name][0](frame) for name in keys}
            existing = self._find_existing(identity)
            if existing is not None:
                return self._again(existing, frame)
            for name, value in identity.items():
                self._check_key(reads[name][1], value)
            instance: ModelInstance = plain(frame)
            self._register(instance)
            if given is not None and given.overrides:
                given.apply(instance)
            return instance

        return construct

    def _check_key(self, prop: Property, value: Any) -> None:
        if prop.type is not None:
            if not prop.type.accepts(value):
                probe = ModelInstance(self.entity, self.blank, self.site, None)
                raise self.writer.type_error(probe, prop, value, self.site)
        elif not isinstance(value, ModelInstance) or prop.target not in value.entity.ancestor_set:
            probe = ModelInstance(self.entity, self.blank, self.site, None)
            raise self.writer.type_error(probe, prop, value, self.site)

    def _missing_keys(self, missing: set[str]) -> Exception:
        names = ", ".join(repr(name) for name in sorted(missing))
        index = next(index for index in self.entity.indexes if missing & set(index.attributes))
        return stop(
            INDEX_MISSING,
            f"{self.entity.shown!r} is identified by {names}, which this constructor does not set",
            self.site.place,
            hint=f"add {', '.join(name + '=…' for name in sorted(missing))}",
            related=(RelatedLocation(place=index.place, message="the index is defined here"),),
        )

    def _key(self, index: IndexDef, identity: dict[str, Any]) -> Any:
        defaults = self.entity.defaults
        return tuple(
            hashable_key(identity[name] if name in identity else defaults[name]) for name in index.attributes
        )

    def _find_existing(self, identity: dict[str, Any]) -> ModelInstance | None:
        existing: ModelInstance | None = None
        for index in self.entity.indexes:
            hit = self.engine.indexes.get(index, self._key(index, identity))
            if hit is None:
                continue
            if hit.entity is not self.entity:
                raise self._conflict(hit, f"{hit.entity.shown!r}, not {self.entity.shown!r}")
            if existing is not None and hit is not existing:
                raise self._conflict(hit, "another instance than a second index of it does")
            existing = hit
        return existing

    def _conflict(self, hit: ModelInstance, named: str) -> Exception:
        return stop(
            INDEX_CONFLICT,
            f"the identifying values of this {self.entity.shown!r} already name an instance of {named}",
            self.site.place,
            related=(RelatedLocation(place=hit.site.place, message="that instance is made here"),),
        )

    def _register(self, instance: ModelInstance) -> None:
        for index in self.entity.indexes:
            slots = self.entity.slots
            values = instance.values
            key = tuple(hashable_key(values[slots[name]]) for name in index.attributes)
            self.engine.indexes.add(index, key, instance)

    def _again(self, instance: ModelInstance, frame: Frame) -> ModelInstance:
        """Merge a second construction into the first instance. Their values must agree."""
        site, writer = self.site, self.writer
        late: list[tuple[Property, Read, nodes.Argument, Wait]] = []
        explicit = set(site.explicit)
        if self.own_slot is not None:
            frame[self.own_slot] = instance
        for _, read, prop, argument in self.attributes:
            try:
                writer.assign(instance, prop, read(frame), site)
            except Wait as wait:
                late.append((prop, read, argument, wait))
        self._relate(instance, frame, late)
        if late:
            self._later(instance, frame, late)
        self._defaults_again(instance, explicit)
        return instance

    def _defaults_again(self, instance: ModelInstance, explicit: set[str]) -> None:
        # A default counts as a value of the second constructor too (decision S-59); so the order of the two is the same.
        for name, value in self.entity.defaults.items():
            if name not in explicit:
                self.writer.assign(instance, self.entity.all_properties[name], value, self.site)
