"""What a constructor does: arguments first, then the instance, then what could not be known yet.

An argument that has to wait becomes an assignment of its own, so that two instances may name each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from sabir.languages.inmanta.evaluate.budget import LIMIT
from sabir.languages.inmanta.evaluate.comprehensions import Flow
from sabir.languages.inmanta.evaluate.engine import Step
from sabir.languages.inmanta.evaluate.interrupts import Stop, Wait
from sabir.languages.inmanta.evaluate.owners import with_owner
from sabir.languages.inmanta.evaluate.scopes import Scope
from sabir.languages.inmanta.evaluate.sites import Site
from sabir.languages.inmanta.evaluate.values import EMPTY, Frame, Instance, Read, RelationValue
from sabir.languages.inmanta.evaluate.writing import stop
from sabir.languages.inmanta.model.entities import EntityType, Property
from sabir.languages.inmanta.syntax import nodes

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.compiler import Compiler
    from sabir.languages.inmanta.evaluate.construction import ConstructionCompiler

__all__ = ["Constructor"]

MAX_REFINEMENT_DEPTH: Final = 500


class Constructor:
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
        self, instance: Instance, frame: Frame, late: list[tuple[Property, Read, nodes.Argument, Wait]]
    ) -> None:
        for prop, read, argument, wait in late:
            step = Step(partial(self._assign_late, instance, prop, read), argument, self.scope)
            step.writes_instance = (instance, prop)
            self.engine.park(step, frame, wait)

    def _assign_late(self, instance: Instance, prop: Property, read: Read, frame: Frame) -> None:
        self._assign(instance, prop, read(frame))

    def _assign(self, instance: Instance, prop: Property, value: Any) -> None:
        if type(value) is Flow:
            value.into_relation(instance, prop, self._put)
        else:
            self._put(instance, prop, value)

    def _put(self, instance: Instance, prop: Property, value: Any) -> None:
        if type(value) is RelationValue:
            self.engine.copy(value, instance, prop, self.site)
        else:
            self.writer.assign(instance, prop, value, self.site)


def _parts(value: nodes.Expression) -> Sequence[nodes.Expression]:
    """The items of a list for a relation: each is added as soon as it is known."""
    return value.items if isinstance(value, nodes.ListLiteral) else [value]
