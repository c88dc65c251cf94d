"""Constructors: arguments first, then the instance, then what could not be known yet.

An instance is made as soon as its identifying properties are known. An argument that has to wait becomes an assignment
of its own, so that two instances may name each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.finding import Related
from sabir.diagnostics.near import did_you_mean
from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.budget import LIMIT
from sabir.languages.inmanta.evaluate.comprehensions import Flow
from sabir.languages.inmanta.evaluate.engine import Step
from sabir.languages.inmanta.evaluate.indexes import hashable
from sabir.languages.inmanta.evaluate.interrupts import Stop, Wait
from sabir.languages.inmanta.evaluate.owners import with_owner
from sabir.languages.inmanta.evaluate.reading import kept_reader, self_reader
from sabir.languages.inmanta.evaluate.scopes import Scope
from sabir.languages.inmanta.evaluate.sites import Site
from sabir.languages.inmanta.evaluate.values import EMPTY, Frame, Instance, Read, RelationValue
from sabir.languages.inmanta.evaluate.writing import stop
from sabir.languages.inmanta.model.definitions import UNKNOWN_NAME
from sabir.languages.inmanta.model.entities import EntityType, IndexDef, Property
from sabir.languages.inmanta.model.names import CALL
from sabir.languages.inmanta.model.types import TYPE, shown_value
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.examples import HOST, inmanta_rule

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.compiler import Compiler

__all__ = ["INDEX_CONFLICT", "INDEX_MISSING", "ConstructionCompiler"]

INDEX_MISSING: Final = inmanta_rule(
    "INM:E017",
    "a constructor lacks an identifying property",
    "All properties of an index are set in the constructor (or have a default), because they decide whether there is "
    "such an instance already.",
    HOST + 'index Host(name)\nh = Host()\nh.name = "a"\n',
    HOST + 'index Host(name)\nh = Host(name="a")\n',
    when="evaluate",
)
INDEX_CONFLICT: Final = inmanta_rule(
    "INM:E018",
    "an index names another instance",
    "The identifying values already belong to an instance of another entity, or two indexes name two instances.",
    HOST
    + 'index Host(name)\nentity Vm extends Host:\nend\nimplement Vm using std::none\nHost(name="a")\nVm(name="a")\n',
    HOST
    + 'index Host(name)\nentity Vm extends Host:\nend\nimplement Vm using std::none\nHost(name="a")\nVm(name="b")\n',
    when="evaluate",
)

MAX_REFINEMENT_DEPTH: Final = 500


class ConstructionCompiler:
    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.engine = compiler.engine

    def nested_construct(self, node: nodes.Construct, scope: Scope) -> Read:
        """A constructor inside a larger statement: should the statement wait and run again, it is not run again."""
        return kept_reader(self.construct(node, scope), scope.layout.slot())

    def construct(self, node: nodes.Construct, scope: Scope) -> Read:
        entity = self.compiler.definitions.constructed(node, scope.space)
        place = nodes.place_of(scope.space.source, node)
        if entity is None:  # reported before anything runs
            raise AssertionError(node.entity)
        refined = [depth for inner, depth in scope.chain() if inner.entity is not None]
        site = Site(
            place,
            How.REFINEMENT if refined else How.CONSTRUCTOR,
            scope.refinement,
            frozenset(argument.name for argument in node.arguments if argument.name is not None),
            {
                argument.name: nodes.place_of(scope.space.source, argument.value)
                for argument in node.arguments
                if argument.name
            },
            scope.space.module.commit if scope.space.module is not None else None,
            {
                argument.name: argument.value
                for argument in node.arguments
                if argument.name and argument.start != node.start
            },
            scope,
        )
        maker = self_reader(refined[0]) if refined else None
        constructor = _Constructor(self, entity, node, scope, site, maker)
        if any(argument.unpack for argument in node.arguments):
            return constructor.unpacked()
        return constructor.indexed() if entity.indexes else constructor.plain()

    def argument(self, read: Read, argument: nodes.Argument) -> Read:  # noqa: ARG002
        """The read of one argument of a constructor, or of the dict of a `**`."""
        return read

    def unpacked(self, value: Any, argument: nodes.Argument) -> Read:  # noqa: ARG002
        """The read of an argument that a `**` brought."""
        return lambda _: value


class _Constructor:
    """One constructor expression, compiled."""

    def __init__(
        self,
        owner: ConstructionCompiler,
        entity: EntityType,
        node: nodes.Construct,
        scope: Scope,
        site: Site,
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
                value = self._owned(argument.value, prop, compiler)
                for part in _parts(value) if prop.is_list else [value]:
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

    def _owned(self, value: nodes.Expression, prop: Property, compiler: Compiler) -> nodes.Expression:
        if prop.reverse is None or prop.name in self.identifying:
            return value
        node, scope = self.node, self.scope
        name = f"@{node.start}"  # no model can write such a name
        owner = nodes.Name(node.start, node.end, name)
        owned = with_owner(value, prop.name, owner, compiler.definitions, scope.space)
        if owned != value and self.own_slot is None:
            self.own_slot = scope.names[name] = scope.layout.slot()
        return owned

    def plain(self) -> Read:
        entity, blank, site, maker = self.entity, self.blank, self.site, self.maker
        writer, engine, refine = self.writer, self.engine, self.refine
        instances, most_instances = engine.instances, engine.most_instances
        # What-if values of an entity with an index need its relations to be named: they come in `indexed`.
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

        def construct(frame: Frame) -> Instance:
            values = blank.copy()
            instance = Instance(entity, values, site, maker(frame) if maker is not None else None)
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
                raise engine.exhausted()
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

    def _relate(self, instance: Instance, frame: Frame, late: list[Any]) -> None:
        for prop, read, argument in self.relations:
            try:
                value = read(frame)
                if type(value) is Flow:
                    value.into_relation(instance, prop, self._put)
                else:
                    self._put(instance, prop, value)
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
        self, instance: Instance, frame: Frame, late: list[tuple[Property, Read, nodes.Argument, Wait]]
    ) -> None:
        for prop, read, argument, wait in late:
            step = Step(self._assigner(instance, prop, read), argument, self.scope)
            step.writes_instance = (instance, prop)
            self.engine.park(step, frame, wait)

    def _assigner(self, instance: Instance, prop: Property, read: Read) -> Any:
        def assign(frame: Frame) -> None:
            value = read(frame)
            if type(value) is Flow:
                value.into_relation(instance, prop, self._put)
            else:
                self._put(instance, prop, value)

        return assign

    def _put(self, instance: Instance, prop: Property, value: Any) -> None:
        if type(value) is RelationValue:
            self.engine.copy(value, instance, prop, self.site)
        else:
            self.writer.assign(instance, prop, value, self.site)

    def indexed(self) -> Read:
        """With indexes: the identifying properties have to be known, and may name an instance that is there."""
        entity = self.entity
        reads = {argument.name: (read, prop) for _, read, prop, argument in self.attributes}
        reads |= {argument.name: (read, prop) for prop, read, argument in self.relations}
        missing = self.identifying - set(reads) - set(entity.defaults)
        keys = [name for name in entity.all_properties if name in self.identifying and name in reads]
        plain = self.plain()
        given = self.engine.given

        def construct(frame: Frame) -> Instance:
            if missing:
                raise self.missing_keys(missing)
            identity = {name: reads[name][0](frame) for name in keys}
            existing = self.existing(identity)
            if existing is not None:
                return self.again(existing, frame)
            for name, value in identity.items():
                self._check_key(reads[name][1], value)
            instance: Instance = plain(frame)
            self.register(instance)
            if given is not None and given.overrides:
                given.apply(instance)
            return instance

        return construct

    def _check_key(self, prop: Property, value: Any) -> None:
        if prop.type is not None:
            if not prop.type.accepts(value):
                probe = Instance(self.entity, self.blank, self.site, None)
                raise self.writer.type_error(probe, prop, value, self.site)
        elif not isinstance(value, Instance) or prop.target not in value.entity.ancestor_set:
            probe = Instance(self.entity, self.blank, self.site, None)
            raise self.writer.type_error(probe, prop, value, self.site)

    def missing_keys(self, missing: set[str]) -> Exception:
        names = ", ".join(repr(name) for name in sorted(missing))
        index = next(index for index in self.entity.indexes if missing & set(index.attributes))
        return stop(
            INDEX_MISSING,
            f"{self.entity.shown!r} is identified by {names}, which this constructor does not set",
            self.site.place,
            hint=f"add {', '.join(name + '=…' for name in sorted(missing))}",
            related=(Related(place=index.place, message="the index is defined here"),),
        )

    def _key(self, index: IndexDef, identity: dict[str, Any]) -> Any:
        defaults = self.entity.defaults
        return tuple(
            hashable(identity[name] if name in identity else defaults[name]) for name in index.attributes
        )

    def existing(self, identity: dict[str, Any]) -> Instance | None:
        existing: Instance | None = None
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

    def _conflict(self, hit: Instance, named: str) -> Exception:
        return stop(
            INDEX_CONFLICT,
            f"the identifying values of this {self.entity.shown!r} already name an instance of {named}",
            self.site.place,
            related=(Related(place=hit.site.place, message="that instance is made here"),),
        )

    def register(self, instance: Instance) -> None:
        for index in self.entity.indexes:
            slots = self.entity.slots
            values = instance.values
            key = tuple(hashable(values[slots[name]]) for name in index.attributes)
            self.engine.indexes.add(index, key, instance)

    def again(self, instance: Instance, frame: Frame) -> Instance:
        """A second construction: the first instance, with the values of both, which must agree."""
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

    def _defaults_again(self, instance: Instance, explicit: set[str]) -> None:
        # A default counts as a value of the second constructor too (decision S-59); so the order of the two is the same.
        for name, value in self.entity.defaults.items():
            if name not in explicit:
                self.writer.assign(instance, self.entity.all_properties[name], value, self.site)

    def unpacked(self) -> Read:
        """With `**dict`: what is set is known only when the dicts are."""
        entity, site = self.entity, self.site

        def construct(frame: Frame) -> Instance:
            entries: dict[str, Any] = {}
            for unpack in self.unpacks:
                for name, value in self._entries(unpack(frame)):
                    if name in entries or name in site.explicit:
                        raise stop(CALL, f"{name!r} is set twice in this constructor", site.place)
                    entries[name] = value
            completed = _FromDict(self, entries)
            missing = self.identifying - completed.names - set(entity.defaults)
            if missing:
                raise self.missing_keys(missing)
            return completed.construct(frame)

        return construct

    def _entries(self, value: Any) -> list[tuple[str, Any]]:
        if not isinstance(value, dict):
            raise stop(TYPE, f"'**' takes a dict, not {shown_value(value)}", self.site.place)
        for name in value:
            if name not in self.entity.all_properties:
                raise stop(
                    UNKNOWN_NAME,
                    f"{self.entity.shown!r} has no attribute {name!r}, which the dict sets",
                    self.site.place,
                    hint=did_you_mean(name, self.entity.property_names),
                )
        return list(value.items())


class _FromDict:
    """One run of a constructor with `**dict`: its entries are arguments whose values are known."""

    def __init__(self, base: _Constructor, entries: dict[str, Any]) -> None:
        site = Site(
            base.site.place,
            base.site.how,
            base.site.refinement,
            base.site.explicit | frozenset(entries),
            base.site.argument_places,
            base.site.commit,
            base.site.expressions,
            base.site.scope,
        )
        self.constructor = object.__new__(_Constructor)
        self.constructor.__dict__.update(base.__dict__)
        self.constructor.site = site
        self.constructor.attributes = list(base.attributes)
        self.constructor.relations = list(base.relations)
        entity = base.entity
        for name, value in entries.items():
            prop = entity.all_properties[name]
            argument = nodes.Argument(base.node.start, base.node.end, name, base.node, False)
            read = base.owner.unpacked(value, argument)
            if prop.target is None:
                self.constructor.attributes.append((entity.slots[name], read, prop, argument))
            else:
                self.constructor.relations.append((prop, read, argument))
        self.names = set(site.explicit)

    def construct(self, frame: Frame) -> Instance:
        construct = (
            self.constructor.indexed() if self.constructor.entity.indexes else self.constructor.plain()
        )
        instance: Instance = construct(frame)
        return instance


def _parts(value: nodes.Expression) -> Sequence[nodes.Expression]:
    """The items of a list for a relation: each is added as soon as it is known."""
    return value.items if isinstance(value, nodes.ListLiteral) else [value]
