"""What waiting statements may still write, and which open relation depends on which other.

The effects of a statement are found from its source. This is the basis for deciding that a relation is
complete, so the result may be too large but never too small. A write to `x.files` where `x` is known
concerns one instance. Where `x` is not known it concerns any instance that has a property of that name.
A constructor includes what the refinements of its entity may write, transitively.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from sabir.languages.inmanta.evaluate.interrupts import Wait, WaitForKey
from sabir.languages.inmanta.evaluate.scopes import BlockScope
from sabir.languages.inmanta.evaluate.values import ModelInstance, Read
from sabir.languages.inmanta.model.entities import EntityType, Property
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.nodes import walk

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.compiler import ModelCompiler
    from sabir.languages.inmanta.evaluate.engine import EngineStep, ParkedStatement
    from sabir.languages.inmanta.evaluate.relation_closure import RelationClosure


Key = tuple[ModelInstance, int]
"""A property of an instance: the instance and its slot."""


class Writers:
    """Waiting statements by what they may write: a property, any property of a name, or a variable."""

    def __init__(self) -> None:
        self.by_key: dict[Key, list[ParkedStatement]] = {}
        self.by_name: dict[str, list[ParkedStatement]] = {}
        self.by_variable: dict[tuple[int, int], list[ParkedStatement]] = {}

    def add(self, activity: ParkedStatement, promises: Iterable[Key | str]) -> None:
        for promise in promises:
            target: dict[Any, list[ParkedStatement]] = (
                self.by_name if isinstance(promise, str) else self.by_key
            )
            target.setdefault(promise, []).append(activity)
        slot = find_assigned_slot(activity.step)
        if slot is not None:
            self.by_variable.setdefault((id(activity.frame), slot), []).append(activity)

    def of_property(self, key: Key) -> list[ParkedStatement]:
        return self.by_key.get(key, []) + self.by_name.get(key[0].entity.by_slot[key[1]].name, [])

    def of_variable(self, wait: Wait) -> list[ParkedStatement]:
        return self.by_variable.get((id(wait.slots), wait.slot), [])


class Dependencies:
    """The dependencies between candidates for closing.

    r needs s if a statement that may write r waits, directly or through other statements, for s.
    """

    def __init__(self, closing: RelationClosure, candidates: list[Key]) -> None:
        self.closing = closing
        self.candidates = candidates
        self.wanted = set(candidates)
        self.parked = Writers()
        for activity in closing.engine.parked:
            self.parked.add(activity, activity.promises or ())

    def writers(self, key: Key) -> list[ParkedStatement]:
        activities = self.parked.of_property(key)
        for source in self.closing.sources_of(key):
            activities = activities + self.parked.by_key.get(source, [])
        return activities

    def needs(self, key: Key) -> set[Key]:
        needed: set[Key] = set()
        seen: set[int] = set()
        todo = self.writers(key)
        while todo:
            activity = todo.pop()
            if id(activity) in seen:
                continue
            seen.add(id(activity))
            wait = activity.wait
            # A lookup waits for an instance to be made, which names no relation that has to come first.
            if isinstance(wait, WaitForKey):
                continue
            if wait.owner is not None:
                cell = (wait.owner, wait.slot)
                if cell in self.wanted:
                    needed.add(cell)
                else:
                    todo += self.writers(cell)
            else:
                todo += self.parked.of_variable(wait)
        needed.discard(key)
        return needed

    def first(self) -> Key:
        """Return the most preferred candidate of a group that needs nothing outside the group."""
        needs = {key: self.needs(key) for key in self.candidates}
        reach: dict[Key, set[Key]] = {}
        for key in self.candidates:
            seen: set[Key] = set()
            todo = [key]
            while todo:
                for other in needs.get(todo.pop(), ()):
                    if other not in seen:
                        seen.add(other)
                        todo.append(other)
            reach[key] = seen
        # What an earlier run closed too soon comes last, even when nothing else keeps it back.
        for key in self.candidates:
            if not self.closing.is_late(key) and all(key in reach.get(other, ()) for other in reach[key]):
                return key
        for key in self.candidates:
            if all(key in reach.get(other, ()) for other in reach[key]):
                return key
        return self.candidates[0]


def find_assigned_slot(step: EngineStep) -> int | None:
    """Return the slot of the variable that a statement assigns, or None."""
    node = step.node
    if isinstance(node, nodes.Assign) and isinstance(node.target, nodes.Name):
        return step.scope.names.get(node.target.name)
    return None


_Path = tuple[str, ...]


class PropertyWrites(Struct, frozen=True, eq=False):
    """Properties that a statement may write.

    `paths` are writes to an instance that can be found by reading; `names` are writes to any instance.
    """

    paths: tuple[tuple[Read, str], ...]
    names: frozenset[str]


class _Writes(Struct, eq=False):
    paths: set[tuple[_Path, str]]
    names: set[str]
    entities: set[EntityType]
    inner: set[str]
    """Names that are bound inside the statement: nothing outside can be reached by them before it runs."""
    fresh: set[str]
    """Inner names that hold a new instance, which nobody can be waiting for."""


class EffectFinder:
    """Finds the effects of statements from their source, cached per entity."""

    def __init__(self, compiler: ModelCompiler) -> None:
        self.compiler = compiler
        self._entities: dict[EntityType, tuple[frozenset[str], frozenset[EntityType]]] = {}
        self._closed: dict[EntityType, frozenset[str]] = {}
        self._reverse: dict[str, frozenset[str]] | None = None

    def of(self, step: EngineStep) -> PropertyWrites:
        effects: PropertyWrites | None = step.effects
        if effects is None:
            effects = step.effects = self._find(step)
        return effects

    def _find(self, step: EngineStep) -> PropertyWrites:
        writes = _Writes(set(), set(), set(), set(), set())
        node = step.node
        if isinstance(node, nodes.Argument):
            self._expression(node.value, step.scope, writes)
        elif isinstance(node, nodes.Implement):
            for implementation in step.implementations:
                scope = step.scope
                self._block(
                    implementation.node.body,
                    BlockScope(
                        implementation.namespace, scope.layout, scope.parent, entity=implementation.entity
                    ),
                    writes,
                )
        elif isinstance(node, nodes.Assign | nodes.ExpressionStatement | nodes.For | nodes.If):
            self._statement(node, step.scope, writes)
        names = set(writes.names)
        for entity in writes.entities:
            names |= self.entity_names(entity)
        paths: list[tuple[Read, str]] = []
        for path, name in writes.paths:
            read = self._path_reader(path, step.scope)
            # The path begins at a name that means nothing out here, so any instance may be meant.
            if read is None:
                names.add(name)
            else:
                paths.append((read, name))
        return PropertyWrites(tuple(paths), frozenset(names))

    def _path_reader(self, path: _Path, scope: BlockScope) -> Read | None:
        place = scope.space.place(0, 0)
        read = self.compiler.expressions.find(path[0], scope, place)
        if read is None:
            return None
        from sabir.languages.inmanta.evaluate.reads import attribute_reader

        for name in path[1:]:
            read = attribute_reader(read, name, place)
        return read

    def entity_names(self, entity: EntityType) -> frozenset[str]:
        """Return the properties that refining a new instance may write on existing instances."""
        closed = self._closed.get(entity)
        if closed is None:
            names: set[str] = set()
            seen: set[EntityType] = set()
            todo = [entity]
            while todo:
                refined = todo.pop()
                if refined in seen:
                    continue
                seen.add(refined)
                written, constructed = self._direct(refined)
                names |= written
                todo.extend(constructed)
            closed = self._closed[entity] = frozenset(names)
        return closed

    def _direct(self, entity: EntityType) -> tuple[frozenset[str], frozenset[EntityType]]:
        direct = self._entities.get(entity)
        if direct is None:
            # `self` is the new instance: what its refinement writes on it is no write to one that is there already.
            writes = _Writes(set(), set(), set(), {"self"}, {"self"})
            for implement, _ in entity.selected:
                for implementation in implement.implementations:
                    home = self.compiler.scopes[implementation.namespace.name]
                    scope = BlockScope(
                        implementation.namespace, home.layout, home, entity=implementation.entity
                    )
                    self._block(implementation.node.body, scope, writes)
            # No frame of these implementations is there yet to read the paths in: the names of the properties remain.
            names = writes.names | {name for _, name in writes.paths}
            direct = self._entities[entity] = (frozenset(names), frozenset(writes.entities))
        return direct

    def reverse_names(self, name: str) -> frozenset[str]:
        """Return the names of the reverse ends of all relations with this name."""
        if self._reverse is None:
            reverse: dict[str, set[str]] = {}
            for entity in self.compiler.definitions.entities.values():
                for prop in entity.properties.values():
                    if prop.reverse is not None:
                        reverse.setdefault(prop.name, set()).add(prop.reverse.name)
            self._reverse = {prop_name: frozenset(names) for prop_name, names in reverse.items()}
        return self._reverse.get(name, frozenset())

    def _block(self, block: nodes.Block, scope: BlockScope, writes: _Writes) -> None:
        # All names before all statements: one may use what a later one assigns.
        for statement in block:
            if isinstance(statement, nodes.Assign) and isinstance(statement.target, nodes.Name):
                writes.inner.add(statement.target.name)
                if self._is_new(statement.value, scope):
                    writes.fresh.add(statement.target.name)
        for statement in block:
            self._statement(statement, scope, writes)

    def _is_new(self, value: nodes.Expression, scope: BlockScope) -> bool:
        if not isinstance(value, nodes.Construct):
            return False
        entity = self.compiler.definitions.find_constructed(value, scope.space)
        # With an index, the constructor may answer an instance that is there already.
        return entity is not None and not entity.indexes

    def _statement(self, node: nodes.Statement, scope: BlockScope, writes: _Writes) -> None:
        if isinstance(node, nodes.Assign):
            self._expression(node.value, scope, writes)
            if isinstance(node.target, nodes.AttributeRef):
                self._write(node.target.base, node.target.name, writes)
                for name in self.reverse_names(node.target.name):
                    self._write_values(node.value, name, scope, writes)
        elif isinstance(node, nodes.ExpressionStatement):
            self._expression(node.value, scope, writes)
        elif isinstance(node, nodes.For):
            self._expression(node.iterable, scope, writes)
            writes.inner.add(node.variable)
            self._block(node.body, scope, writes)
        else:
            for condition, block in node.branches:
                self._expression(condition, scope, writes)
                self._block(block, scope, writes)
            self._block(node.otherwise, scope, writes)

    def _write(self, base: nodes.Expression, name: str, writes: _Writes) -> None:
        path = _attribute_path(base)
        if path is None:
            if not isinstance(base, nodes.Construct):
                writes.names.add(name)
        elif path[0] in writes.inner:
            # `x.a` on a new x concerns nobody; `x.a.b` may lead from it to an instance that is there already.
            if path[0] not in writes.fresh or len(path) > 1:
                writes.names.add(name)
        else:
            writes.paths.add((path, name))

    def _write_values(self, value: nodes.Expression, name: str, scope: BlockScope, writes: _Writes) -> None:
        """Add the reverse end, which is written on every instance that a value contains."""
        if isinstance(value, nodes.ListLiteral):
            for item in value.items:
                self._write_values(item, name, scope, writes)
        elif isinstance(value, nodes.Conditional):
            self._write_values(value.then, name, scope, writes)
            self._write_values(value.otherwise, name, scope, writes)
        elif not self._is_new(value, scope) and not isinstance(value, nodes.Literal):
            self._write(value, name, writes)

    def _expression(self, node: nodes.Expression, scope: BlockScope, writes: _Writes) -> None:
        writes.inner.update(_variables_in(node))
        for construct in constructs_in(node):
            entity = self.compiler.definitions.find_constructed(construct, scope.space)
            if entity is None:
                continue
            writes.entities.add(entity)
            for argument in construct.arguments:
                if argument.name is None:
                    self._any_property(entity, writes)
                    continue
                prop = entity.all_properties.get(argument.name)
                if prop is not None:
                    self._construct_argument(entity, prop, argument, scope, writes)

    def _construct_argument(
        self, entity: EntityType, prop: Property, argument: nodes.Argument, scope: BlockScope, writes: _Writes
    ) -> None:
        # A second construction by index writes its arguments on the first instance.
        if entity.indexes:
            writes.names.add(prop.name)
        if prop.reverse is not None:
            self._write_values(argument.value, prop.reverse.name, scope, writes)

    def _any_property(self, entity: EntityType, writes: _Writes) -> None:
        for prop in entity.all_properties.values():
            if entity.indexes:
                writes.names.add(prop.name)
            if prop.reverse is not None:
                writes.names.add(prop.reverse.name)


def _attribute_path(node: nodes.Expression) -> _Path | None:
    """Return the names in `a.b.c`, or None if the expression is anything else."""
    names: list[str] = []
    while isinstance(node, nodes.AttributeRef):
        names.append(node.name)
        node = node.base
    if not isinstance(node, nodes.Name):
        return None
    return (node.name, *reversed(names))


def constructs_in(expression: nodes.Expression) -> list[nodes.Construct]:
    """Return every constructor inside an expression."""
    return [node for node in walk(expression) if isinstance(node, nodes.Construct)]


def _variables_in(expression: nodes.Expression) -> set[str]:
    """Return the variables of all comprehensions inside an expression."""
    return {
        variable
        for node in walk(expression)
        if isinstance(node, nodes.Comprehension)
        for variable, _ in node.loops
    }
