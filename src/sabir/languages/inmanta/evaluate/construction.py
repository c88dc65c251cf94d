"""Compilation of constructors and of refinements.

An instance is created as soon as its identifying properties are known. Its refinements follow: which
implementations apply to an instance is decided once per entity (`_Plan`), only conditions are tested
per instance.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from sabir.diagnostics.suggestions import did_you_mean
from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.constructors import Constructor, IdentifiedConstructor
from sabir.languages.inmanta.evaluate.engine import EngineStep
from sabir.languages.inmanta.evaluate.operators import ConditionOf
from sabir.languages.inmanta.evaluate.reads import memo_reader, self_reader
from sabir.languages.inmanta.evaluate.scopes import BlockScope, FrameLayout, WriteSite
from sabir.languages.inmanta.evaluate.values import Frame, ModelInstance, Read
from sabir.languages.inmanta.evaluate.writes import stop
from sabir.languages.inmanta.model.definitions import UNKNOWN_NAME
from sabir.languages.inmanta.model.entities import EntityType, ImplementationDef, ImplementDef
from sabir.languages.inmanta.model.names import CALL
from sabir.languages.inmanta.model.types import TYPE, format_value
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.examples import inmanta_rule

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.compiler import ModelCompiler


class ConstructionCompiler:
    """Compiles constructor expressions."""

    def __init__(self, compiler: ModelCompiler) -> None:
        self.compiler = compiler
        self.engine = compiler.engine

    def construct_once(self, node: nodes.Construct, scope: BlockScope) -> Read:
        """Compile a nested constructor so that it runs once, even if the statement waits and reruns."""
        return memo_reader(self.construct(node, scope), scope.layout.slot())

    def construct(self, node: nodes.Construct, scope: BlockScope) -> Read:
        entity = self.compiler.definitions.find_constructed(node, scope.space)
        place = nodes.place_of(scope.space.source, node)
        if entity is None:  # reported before anything runs
            raise AssertionError(node.entity)
        refined = [depth for inner, depth in scope.chain() if inner.entity is not None]
        site = WriteSite(
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
        kind = IdentifiedConstructor if entity.indexes else Constructor
        constructor = kind(self, entity, node, scope, site, maker)
        if any(argument.unpack for argument in node.arguments):
            return _construct_from_dicts(constructor)
        return constructor.reader()

    def argument(self, read: Read, argument: nodes.Argument) -> Read:  # noqa: ARG002
        """Return the read of one constructor argument, or of the dict of a `**`."""
        return read

    def entry_reader(self, value: Any, argument: nodes.Argument) -> Read:  # noqa: ARG002
        """Return the read of an argument that came from a `**` dict."""
        return lambda _: value


def _construct_from_dicts(constructor: Constructor) -> Read:
    """Compile a constructor with `**dict`, whose properties are known only when the dicts are."""
    site = constructor.site

    def construct(frame: Frame) -> ModelInstance:
        entries: dict[str, Any] = {}
        for unpack in constructor.unpacks:
            for name, value in _check_entries(constructor, unpack(frame)):
                if name in entries or name in site.explicit:
                    raise stop(CALL, f"{name!r} is set twice in this constructor", site.place)
                entries[name] = value
        instance: ModelInstance = _add_entries(constructor, entries).reader()(frame)
        return instance

    return construct


def _check_entries(constructor: Constructor, value: Any) -> list[tuple[str, Any]]:
    entity, place = constructor.entity, constructor.site.place
    if not isinstance(value, dict):
        raise stop(TYPE, f"'**' takes a dict, not {format_value(value)}", place)
    for name in value:
        if name not in entity.all_properties:
            raise stop(
                UNKNOWN_NAME,
                f"{entity.shown!r} has no attribute {name!r}, which the dict sets",
                place,
                hint=did_you_mean(name, entity.property_names),
            )
    return list(value.items())


def _add_entries(base: Constructor, entries: dict[str, Any]) -> Constructor:
    """Return the node of one run of a constructor with `**dict`; its entries are arguments with known values."""
    constructor, entity = copy(base), base.entity
    constructor.site = replace(base.site, explicit=base.site.explicit | frozenset(entries))
    constructor.attributes = list(base.attributes)
    constructor.relations = list(base.relations)
    for name, value in entries.items():
        prop = entity.all_properties[name]
        argument = nodes.Argument(base.node.start, base.node.end, name, base.node, False)
        read = base.owner.entry_reader(value, argument)
        if prop.target is None:
            constructor.attributes.append((entity.slots[name], read, prop, argument))
        else:
            constructor.relations.append((prop, read, argument))
    return constructor


NO_IMPLEMENTATION: Final = inmanta_rule(
    "INM:E016",
    "no refinement for an instance",
    "Every instance is refined by at least one implementation whose condition holds. `std::none` says that there is "
    "nothing to refine. Implement statements are not inherited; `using parents` takes them over.",
    when="evaluate",
)

Refiner = Callable[[ModelInstance], None]


class RefinementCompiler:
    """Compiles the implementations that run for new instances."""

    def __init__(self, compiler: ModelCompiler) -> None:
        self.compiler = compiler
        self.engine = compiler.engine
        self._bodies: dict[ImplementationDef, tuple[FrameLayout, list[EngineStep]]] = {}
        self._plans: dict[EntityType, _Plan] = {}

    def refiner(self, entity: EntityType) -> Refiner | None:
        """Return the function that refines a new instance of an entity, or None if nothing has to run."""
        if not entity.selected:
            return lambda instance: self._none(instance)
        plain = [
            implementation
            for implement, _ in entity.selected
            if implement.node.condition is None
            for implementation in implement.implementations
        ]
        conditional = [implement for implement, _ in entity.selected if implement.node.condition is not None]
        if not conditional and not plain:
            return lambda instance: self._none(instance)
        if not conditional and not any(implementation.node.body for implementation in plain):
            return None
        queue = self.engine.queue

        def refine(instance: ModelInstance) -> None:
            queue.append((self._run, instance))

        return refine

    def _none(self, instance: ModelInstance) -> None:
        entity = instance.entity
        hint = f"write 'implement {entity.shown} using std::none' when there is nothing to refine"
        if any(parent.selected for parent in entity.parents):
            hint = f"implement statements are not inherited; write 'implement {entity.shown} using parents'"
        self.engine.fail_instance(
            instance,
            stop(
                NO_IMPLEMENTATION,
                f"there is no implementation for {entity.shown!r}",
                instance.site.place,
                hint=hint,
            ),
        )

    def _run(self, instance: ModelInstance) -> None:
        entity = instance.entity
        plan = self._plans.get(entity)
        if plan is None:
            plan = self._plans[entity] = _Plan(self, entity)
        if plan.conditions and not plan.always:
            self.engine.undecided[instance] = len(plan.conditions)
        for body in plan.bodies:
            if body not in plan.repeated or self.engine.first_time(instance, body):
                self.run_body(body, instance)
        for step, space_frame in plan.conditions:
            self.engine.run_step(step, [space_frame, instance, *step.rest])

    def body(self, implementation: ImplementationDef) -> tuple[FrameLayout, list[EngineStep], Frame]:
        compiled = self._bodies.get(implementation)
        if compiled is None:
            layout = FrameLayout()
            scope = BlockScope(
                implementation.namespace,
                layout,
                self.compiler.scopes[implementation.namespace.name],
                entity=implementation.entity,
                refinement=implementation.name,
            )
            scope.names["self"] = 1
            scope.declare_block(implementation.node.body)
            compiled = self._bodies[implementation] = (
                layout,
                self.compiler.statements.block(implementation.node.body, scope),
            )
        return (*compiled, self.compiler.frame(implementation.namespace.name))

    def run_body(self, implementation: ImplementationDef, instance: ModelInstance) -> None:
        layout, steps, space_frame = self.body(implementation)
        self.engine.run_steps(steps, [space_frame, instance, *layout.rest()])

    def nothing_selected(self, instance: ModelInstance) -> None:
        entity = instance.entity
        self.engine.fail_instance(
            instance,
            stop(
                NO_IMPLEMENTATION,
                f"no implementation of {entity.shown!r} is selected: the condition of none of them holds",
                instance.site.place,
                hint=f"add 'implement {entity.shown} using std::none' for the other cases",
            ),
        )


class _Plan:
    """The refinements of an entity: implementations that always run, and conditions to test."""

    def __init__(self, owner: RefinementCompiler, entity: EntityType) -> None:
        self.bodies: list[ImplementationDef] = []
        self.conditions: list[tuple[Any, Frame]] = []
        self.always = False
        every = [
            implementation for implement, _ in entity.selected for implementation in implement.implementations
        ]
        self.repeated = {implementation for implementation in every if every.count(implementation) > 1}
        for implement, declared in entity.selected:
            if implement.node.condition is None:
                self.always = self.always or bool(implement.implementations)
                self.bodies += [
                    implementation
                    for implementation in implement.implementations
                    if implementation not in self.bodies
                ]
            else:
                self.conditions.append(self._condition(owner, implement, declared))
        self.bodies = [implementation for implementation in self.bodies if implementation.node.body]

    def _condition(
        self, owner: RefinementCompiler, implement: ImplementDef, entity: EntityType
    ) -> tuple[Any, Frame]:
        compiler, engine = owner.compiler, owner.engine
        layout = FrameLayout()
        scope = BlockScope(
            implement.namespace, layout, compiler.scopes[implement.namespace.name], entity=entity
        )
        scope.names["self"] = 1
        assert implement.node.condition is not None
        test = compiler.expressions.condition(implement.node.condition, scope, ConditionOf.WHEN)

        def decide(frame: Frame) -> None:
            selected = test(frame)
            instance = frame[1]
            if instance in engine.undecided:
                if selected is True:
                    del engine.undecided[instance]
                else:
                    engine.undecided[instance] -= 1
            if selected is True:
                for implementation in implement.implementations:
                    if implementation.node.body and (
                        implementation not in self.repeated or engine.first_time(instance, implementation)
                    ):
                        owner.run_body(implementation, instance)

        step = EngineStep(decide, implement.node, scope)
        step.rest = layout.rest()
        step.implementations = implement.implementations
        return step, compiler.frame(implement.namespace.name)
