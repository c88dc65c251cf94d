"""Statements compiled to steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sabir.diagnostics.finding import RelatedLocation
from sabir.graph.origin import How
from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.comprehensions import Flow
from sabir.languages.inmanta.evaluate.constructors import with_owner
from sabir.languages.inmanta.evaluate.engine import EngineStep
from sabir.languages.inmanta.evaluate.interrupts import Stop, Wait
from sabir.languages.inmanta.evaluate.operators import ConditionOf
from sabir.languages.inmanta.evaluate.reads import no_attribute
from sabir.languages.inmanta.evaluate.scopes import BlockScope, WriteSite
from sabir.languages.inmanta.evaluate.values import Frame, ModelInstance, PendingSlot, Read, RelationValue
from sabir.languages.inmanta.evaluate.writes import DOUBLE, stop
from sabir.languages.inmanta.model.entities import Property
from sabir.languages.inmanta.model.types import TYPE, format_value
from sabir.languages.inmanta.syntax import nodes

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.compiler import ModelCompiler


Run = Callable[[Frame], None]


class StatementCompiler:
    """Compiles assignments, loops, conditions and expression statements."""

    def __init__(self, compiler: ModelCompiler) -> None:
        self.compiler = compiler
        self.engine = compiler.engine

    def block(self, block: nodes.Block, scope: BlockScope) -> list[EngineStep]:
        """Return the steps of a block whose variables the scope already declares."""
        return [self._compile_bounded(statement, scope) for statement in block]

    def _compile_bounded(self, node: nodes.Statement, scope: BlockScope) -> EngineStep:
        """Compile a statement. One that is nested too deeply fails when it runs, not here."""
        try:
            return self._step(node, scope)
        except RecursionError:
            return EngineStep(_run_out_of_stack, node, scope)

    def _step(self, node: nodes.Statement, scope: BlockScope) -> EngineStep:
        match node:
            case nodes.Assign(target=nodes.Name()):
                step = EngineStep(self._assign_variable(node, scope), node, scope)
            case nodes.Assign():
                step = EngineStep(self._assign_attribute(node, scope), node, scope)
            case nodes.ExpressionStatement():
                step = EngineStep(self._root(node.value, scope), node, scope)
            case nodes.If():
                step = EngineStep(self._if(node, scope), node, scope)
            case nodes.For():
                step = self._for(node, scope)
        return step

    def _root(self, value: nodes.Expression, scope: BlockScope) -> Read:
        """Compile the right side of a statement. Once it has a value the statement is done, so no memo is needed."""
        if isinstance(value, nodes.Construct):
            return self.compiler.construction.construct(value, scope)
        if isinstance(value, nodes.Call):
            return self.compiler.calls.call(value, scope)
        return self.compiler.read(value, scope)

    def _assign_variable(self, node: nodes.Assign, scope: BlockScope) -> Run:
        assert isinstance(node.target, nodes.Name)
        name = node.target.name
        place = nodes.place_of(scope.space.source, node)
        if node.extend:
            failure = stop(
                TYPE, f"'+=' adds to a relation, and {name!r} is a variable", place, hint="write '='"
            )
            return _raise_on_run(failure)
        slot = scope.names[name]
        read = self._root(node.value, scope)
        engine = self.engine

        def run(frame: Frame) -> None:
            value = read(frame)
            old = frame[slot]
            if type(old) is PendingSlot:
                frame[slot] = value
                if old.waiters:
                    engine.wake(old.waiters)
            elif not (old is value or old == value):
                raise self._double(node, scope, old, value)

        return run

    def _double(self, node: nodes.Assign, scope: BlockScope, old: Any, value: Any) -> Stop:
        assert isinstance(node.target, nodes.Name)
        name = node.target.name
        source = scope.space.source
        others = [writer for writer in scope.writers.get(name, []) if writer is not node]
        return stop(
            DOUBLE,
            f"variable {name!r} has the value {format_value(old)} and cannot be set to {format_value(value)}",
            nodes.place_of(source, node.target),
            hint="a variable is assigned once; give the second value another name",
            related=tuple(
                RelatedLocation(place=nodes.place_of(source, _write_target(writer)), message="also set here")
                for writer in others
            ),
        )

    def _assign_attribute(self, node: nodes.Assign, scope: BlockScope) -> Run:
        target = node.target
        assert isinstance(target, nodes.AttributeRef)
        base = self.compiler.read(target.base, scope)
        name = target.name
        place = nodes.place_of(scope.space.source, target)
        how = How.REFINEMENT if scope.refinement else How.ASSIGNMENT
        site = WriteSite(
            nodes.place_of(scope.space.source, node),
            how,
            scope.refinement,
            commit=scope.space.module.commit if scope.space.module is not None else None,
            expressions={"": node.value},
            scope=scope,
        )
        value = with_owner(node.value, name, target.base, self.compiler.definitions, scope.space)
        whole = self._root(value, scope)
        parts = self._parts(value, scope)
        writer, engine, extend = self.engine.writer, self.engine, node.extend
        put = self._putter(site)

        def run(frame: Frame) -> None:
            instance = base(frame)
            if type(instance) is not ModelInstance:
                raise stop(
                    TYPE, f"{format_value(instance)} is no instance: {name!r} cannot be set on it", place
                )
            prop = instance.entity.all_properties.get(name)
            if prop is None:
                raise no_attribute(instance.entity, name, place)
            if not prop.is_list:
                if extend:
                    kind = (
                        f"holds one instance {prop.multiplicity()}" if prop.is_relation else "is an attribute"
                    )
                    raise stop(
                        TYPE,
                        f"'+=' adds to a relation of several, and {prop.full_name} {kind}",
                        place,
                        hint="write '='",
                    )
                writer.assign(instance, prop, whole(frame), site)
                return
            for read, step in parts:
                try:
                    value = read(frame)
                except Wait as wait:
                    if len(parts) == 1:
                        raise
                    engine.park(step, frame, wait)
                    continue
                put(instance, prop, value)

        if len(parts) > 1:
            # Each part waits by itself, so that what is there already is not held up by what is not.
            for read, step in parts:
                step.run = self._part(base, name, read, site)
        return run

    def _part(self, base: Read, name: str, read: Read, site: WriteSite) -> Run:
        put = self._putter(site)

        def run(frame: Frame) -> None:
            instance = base(frame)
            prop = instance.entity.all_properties[name]
            put(instance, prop, read(frame))

        return run

    def _putter(self, site: WriteSite) -> Callable[[ModelInstance, Property, Any], None]:
        """Return a function that adds a value to a relation: an instance, a list, a relation or a flow."""
        writer, engine = self.engine.writer, self.engine

        def put(instance: ModelInstance, prop: Property, value: Any) -> None:
            if type(value) is RelationValue:
                engine.copy(value, instance, prop, site)
            elif type(value) is Flow:
                value.into_relation(instance, prop, put)
            else:
                writer.assign(instance, prop, value, site)

        return put

    def _parts(self, value: nodes.Expression, scope: BlockScope) -> list[tuple[Read, EngineStep]]:
        """Return the items to add to a relation. Each is added as soon as it is known."""
        items = value.items if isinstance(value, nodes.ListLiteral) else (value,)
        gradual = self.compiler.expressions.gradual
        parts: list[tuple[Read, EngineStep]] = []
        for item in items:
            argument = nodes.Argument(item.start, item.end, None, item, False)
            parts.append((gradual(item, scope), EngineStep(_do_nothing, argument, scope)))
        return parts

    def _if(self, node: nodes.If, scope: BlockScope) -> Run:
        branches: list[tuple[Read, list[EngineStep]]] = []
        controls: tuple[nodes.Expression, ...] = ()
        for condition, block in node.branches:
            test = self.compiler.expressions.condition(condition, scope, ConditionOf.IF)
            controls += (condition,)
            branches.append((test, self._inner(block, scope, controls)))
        otherwise = self._inner(node.otherwise, scope, controls)
        run_steps = self.engine.run_steps

        def run(frame: Frame) -> None:
            for test, steps in branches:
                decided = test(frame)
                if decided is True:
                    run_steps(steps, frame)
                    return
                if decided is not False:
                    return  # not known before deployment: neither branch
            run_steps(otherwise, frame)

        return run

    def _inner(
        self, block: nodes.Block, scope: BlockScope, controls: tuple[nodes.Expression, ...]
    ) -> list[EngineStep]:
        inner = scope.child()
        inner.controls = controls
        inner.declare_block(block)
        return self.block(block, inner)

    def _for(self, node: nodes.For, scope: BlockScope) -> EngineStep:
        source = self.compiler.expressions.gradual(node.iterable, scope)
        place = nodes.place_of(scope.space.source, node.iterable)
        inner = scope.open_frame()
        inner.names[node.variable] = 1
        inner.writers[node.variable] = [node]
        inner.controls = (node.iterable,)
        inner.declare_block(node.body)
        steps = self.block(node.body, inner)
        layout = inner.layout
        engine = self.engine
        run_steps = engine.run_steps

        def run(frame: Frame) -> None:
            items = source(frame)
            rest = layout.rest()
            if isinstance(items, list):
                for item in items:
                    if type(item) is not Unknown:
                        run_steps(steps, [frame, item, *rest])
            elif type(items) is RelationValue:
                engine.listen(items, step, frame, lambda item: run_steps(steps, [frame, item, *rest]))
            elif type(items) is Flow:
                items.into_loop(node, lambda item: run_steps(steps, [frame, item, *rest]))
            elif not isinstance(items, Unknown):
                hint = "iterate a list of its keys" if isinstance(items, dict) else None
                raise stop(
                    TYPE, f"'for' goes over a list, and {format_value(items)} is none", place, hint=hint
                )

        step = EngineStep(run, node, scope)
        return step


def _raise_on_run(failure: Stop) -> Run:
    def run(_: Frame) -> None:
        raise failure

    return run


def _run_out_of_stack(_: Frame) -> None:
    raise RecursionError


def _do_nothing(_: Frame) -> None:
    return None


def _write_target(writer: nodes.Assign | nodes.For) -> nodes.Node:
    return writer.target if isinstance(writer, nodes.Assign) else writer
