"""Expressions compiled to closures.

Names become slots and constants are bound at compile time, so that nothing walks the tree at run time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.suggestions import did_you_mean, join_names
from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate import operators
from sabir.languages.inmanta.evaluate.budget import LARGE_LIST, Budget
from sabir.languages.inmanta.evaluate.comprehensions import compile_comprehension, compile_flow
from sabir.languages.inmanta.evaluate.reads import (
    attribute_reader,
    definition_reader,
    frame_reader,
    gradual_reader,
    is_defined,
    self_reader,
    variable_reader,
)
from sabir.languages.inmanta.evaluate.scopes import BlockScope
from sabir.languages.inmanta.evaluate.texts import TextCompiler
from sabir.languages.inmanta.evaluate.values import Frame, Read, flatten_into
from sabir.languages.inmanta.evaluate.writes import stop
from sabir.languages.inmanta.model.definitions import UNKNOWN_NAME
from sabir.languages.inmanta.model.types import TYPE, format_value
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.languages.inmanta.syntax.project import DUPLICATE
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.compiler import ModelCompiler


_SHOWN: Final = 8
"""So many names are listed."""

KEY: Final = inmanta_rule(
    "INM:E022",
    "a dict has no such key",
    "All members of a dict are set where it is written; a key is tested with `in`.",
    when="evaluate",
)


class ExpressionCompiler:
    """Compiles expressions of one scope each. Constructors and calls have separate compilers."""

    def __init__(self, compiler: ModelCompiler) -> None:
        self.compiler = compiler
        self.budget = Budget()
        self.texts = TextCompiler(self)
        self._compilers: dict[type, Callable[[Any, BlockScope], Read]] = {
            nodes.Literal: self._literal,
            nodes.Text: self.texts.text,
            nodes.FormatText: self.texts.format_text,
            nodes.ListLiteral: self._list,
            nodes.DictLiteral: self._dict,
            nodes.Name: self._name,
            nodes.AttributeRef: self._attribute,
            nodes.Lookup: self._lookup,
            nodes.IndexLookup: compiler.lookups.index_lookup,
            nodes.SelectorLookup: compiler.lookups.selector_lookup,
            nodes.Call: compiler.calls.call_once,
            nodes.Construct: compiler.construction.construct_once,
            nodes.Not: self._not,
            nodes.Unary: self._unary,
            nodes.Logic: self._logic,
            nodes.Binary: self._binary,
            nodes.IsDefined: self._is_defined,
            nodes.Conditional: self._conditional,
            nodes.Comprehension: self.comprehension,
        }

    def read(self, node: nodes.Expression, scope: BlockScope) -> Read:
        return self._compilers[type(node)](node, scope)

    # All reads of variables and properties are compiled by these four.

    def variable_read(self, scope: BlockScope, depth: int, slot: int) -> Read:
        """Return a read of a variable `depth` frames up. The frame of a namespace is bound directly."""
        if scope.parent is None:
            return frame_reader(self.compiler.frame(scope.space.name), slot)
        return variable_reader(depth, slot)

    def attribute_read(self, base: Read, name: str, place: Place) -> Read:
        return attribute_reader(base, name, place)

    def gradual_read(self, base: Read, name: str, place: Place) -> Read:
        return gradual_reader(base, name, place)

    def definition_read(self, base: Read, name: str, place: Place) -> Read:
        return definition_reader(base, name, place)

    def place(self, node: nodes.Node, scope: BlockScope) -> Place:
        return nodes.place_of(scope.space.source, node)

    def gradual(self, node: nodes.Expression, scope: BlockScope) -> Read:
        """Return a read like `read`, except that an open relation or a comprehension can be consumed item by item."""
        if isinstance(node, nodes.Comprehension):
            return compile_flow(self, node, scope)
        if isinstance(node, nodes.Conditional):
            return self._choice(node, scope, self.gradual)
        if isinstance(node, nodes.AttributeRef):
            return self.gradual_read(self.read(node.base, scope), node.name, self.place(node, scope))
        if isinstance(node, nodes.Name):
            place = self.place(node, scope)
            read = self.find(node.name, scope, place, self.gradual_read)
            if read is not None:
                return read
        return self.read(node, scope)

    def _attribute_by_name(self, name: str, scope: BlockScope) -> int | None:
        """Return the depth of the instance whose attribute a plain name is, or None."""
        for inner, depth in scope.chain():
            if name in inner.names:
                return None
            if inner.entity is not None:
                return depth if name in inner.entity.all_properties else None
        return None

    def condition(self, node: nodes.Expression, scope: BlockScope, role: operators.ConditionOf) -> Read:
        """Return a read of a condition, which is true, false, or unknown."""
        read = self.read(node, scope)
        place = self.place(node, scope)

        def test(frame: Frame) -> Any:
            value = read(frame)
            if value is True or value is False or isinstance(value, Unknown):
                return value
            raise operators.condition_error(value, role.value, place)

        return test

    def _literal(self, node: nodes.Literal, _: BlockScope) -> Read:
        value = node.value
        return lambda _: value

    def _list(self, node: nodes.ListLiteral, scope: BlockScope) -> Read:
        reads = tuple(self.read(item, scope) for item in node.items)
        if all(isinstance(item, nodes.Literal | nodes.Text) for item in node.items):
            return lambda frame: [read(frame) for read in reads]

        budget, place = self.budget, self.place(node, scope)

        def read_list(frame: Frame) -> list[Any]:
            out: list[Any] = []
            for read in reads:
                value = read(frame)
                if isinstance(value, list):
                    if len(value) > LARGE_LIST:
                        budget.items(len(value) + len(out), place)
                    flatten_into(value, out)  # lists inside a list join it, as the existing engine has it
                else:
                    out.append(value)
            return out

        return read_list

    def _dict(self, node: nodes.DictLiteral, scope: BlockScope) -> Read:
        pairs = tuple((self.read(key, scope), self.read(value, scope)) for key, value in node.items)
        if all(isinstance(key, nodes.Literal) for key, _ in node.items):
            fixed = tuple(
                (key.value, read)
                for (key, _), (_, read) in zip(node.items, pairs, strict=True)
                if isinstance(key, nodes.Literal)
            )
            return lambda frame: {key: read(frame) for key, read in fixed}
        place = self.place(node, scope)

        def read_dict(frame: Frame) -> dict[str, Any]:
            out: dict[str, Any] = {}
            for key, value in pairs:
                name = key(frame)
                if name in out:
                    raise stop(DUPLICATE, f"the key {name!r} stands twice in this dict", place)
                out[name] = value(frame)
            return out

        return read_dict

    def _name(self, node: nodes.Name, scope: BlockScope) -> Read:
        return self.read_name(node.name, scope, self.place(node, scope))

    def read_name(self, name: str, scope: BlockScope, place: Place) -> Read:
        """Return a read of a name in a scope. An undefined name is an error only when it is read."""
        read = self.find(name, scope, place)
        if read is not None:
            return read
        message, hint = self._describe_unknown_name(name, scope)

        def unknown(_: Frame) -> Any:
            raise stop(UNKNOWN_NAME, message, place, hint=hint)

        return unknown

    def find(
        self,
        name: str,
        scope: BlockScope,
        place: Place,
        attribute_read: Callable[[Read, str, Place], Read] | None = None,
    ) -> Read | None:
        """Return a read of a name, and how an attribute of the refined instance is read."""
        attribute_read = attribute_read or self.attribute_read
        if "::" in name:
            return self._find_qualified(name, scope)
        for inner, depth in scope.chain():
            slot = inner.names.get(name)
            if slot is not None:
                return self.variable_read(inner, depth, slot)
            if inner.entity is not None:
                if name in inner.entity.all_properties:
                    return attribute_read(self_reader(depth), name, place)
                child = self._of_a_child(name, inner, depth, place, attribute_read)
                if child is not None:
                    return child
        return None

    def _of_a_child(
        self,
        name: str,
        scope: BlockScope,
        depth: int,
        place: Place,
        attribute_read: Callable[[Read, str, Place], Read],
    ) -> Read | None:
        """Return a read of an attribute that only child entities of the implementation's entity have."""
        assert scope.entity is not None
        if not any(name in entity.all_properties for entity in scope.entity.descendants):
            return None
        instance_of = self_reader(depth)
        attribute = attribute_read(instance_of, name, place)
        outer = self.find(name, scope.parent, place) if scope.parent is not None else None

        def read(frame: Frame) -> Any:
            instance = instance_of(frame)
            if name in instance.entity.slots or outer is None:
                return attribute(frame)
            for _ in range(depth + 1):
                frame = frame[0]
            return outer(frame)

        return read

    def _find_qualified(self, name: str, scope: BlockScope) -> Read | None:
        head, _, last = name.rpartition("::")
        home = scope.space.imports.get(head)
        target = self.compiler.scopes.get(home) if home is not None else None
        if target is None or last not in target.names:
            return None
        return self.variable_read(target, 0, target.names[last])

    def _describe_unknown_name(self, name: str, scope: BlockScope) -> tuple[str, str | None]:
        head, _, last = name.rpartition("::")
        if not head:
            hint = did_you_mean(name, *scope.visible())
            if hint is None and name in scope.space.imports:
                hint = f"{name!r} is a module; its members are read as {name}::member"
            return f"there is no variable {name!r} here", hint
        home = scope.space.imports.get(head)
        if home is None:
            hint = self.compiler.definitions.import_hint(head, scope.space)
            return f"variable {name!r}: the namespace {head!r} is not imported here", hint
        variables = self.compiler.scopes[home].names if home in self.compiler.scopes else {}
        return f"there is no variable {last!r} in {home!r}", did_you_mean(last, variables)

    def _attribute(self, node: nodes.AttributeRef, scope: BlockScope) -> Read:
        return self.attribute_read(self.read(node.base, scope), node.name, self.place(node, scope))

    def _lookup(self, node: nodes.Lookup, scope: BlockScope) -> Read:
        base, key = self.read(node.base, scope), self.read(node.key, scope)
        place = self.place(node, scope)

        def read(frame: Frame) -> Any:
            container, wanted = base(frame), key(frame)
            if isinstance(container, dict):
                if isinstance(wanted, str) and wanted in container:
                    return container[wanted]
                if isinstance(wanted, Unknown):
                    return wanted
                if not isinstance(wanted, str):
                    raise stop(TYPE, f"keys of a dict are strings, and {format_value(wanted)} is none", place)
                hint = did_you_mean(wanted, container) or _describe_keys(container)
                raise stop(KEY, f"the dict has no key {wanted!r}", place, hint=hint)
            if isinstance(container, Unknown):
                return container
            of_list = (
                "an item of a list is read with std::at(list, 0)" if isinstance(container, list) else None
            )
            raise stop(
                TYPE, f"{format_value(container)} is no dict and cannot be looked up in", place, hint=of_list
            )

        return read

    def _not(self, node: nodes.Not, scope: BlockScope) -> Read:
        return operators.negation_reader(self.read(node.operand, scope), self.place(node.operand, scope))

    def _unary(self, node: nodes.Unary, scope: BlockScope) -> Read:
        operand, place = self.read(node.operand, scope), self.place(node, scope)

        def read(frame: Frame) -> Any:
            value = operand(frame)
            if isinstance(value, int | float):
                return -value
            if isinstance(value, Unknown):
                return value
            raise stop(TYPE, f"'-' takes a number, not {format_value(value)}", place)

        return read

    def _logic(self, node: nodes.Logic, scope: BlockScope) -> Read:
        reads = [self.read(operand, scope) for operand in node.operands]
        return operators.logic_reader(
            node.operator, reads, [self.place(operand, scope) for operand in node.operands]
        )

    def _binary(self, node: nodes.Binary, scope: BlockScope) -> Read:
        left, right = self.read(node.left, scope), self.read(node.right, scope)
        return operators.binary_reader(node.operator, left, right, self.place(node, scope))

    def _is_defined(self, node: nodes.IsDefined, scope: BlockScope) -> Read:
        operand = node.operand
        place = self.place(operand, scope)
        if isinstance(operand, nodes.AttributeRef):
            return self.definition_read(self.read(operand.base, scope), operand.name, place)
        if isinstance(operand, nodes.Lookup):
            base, key = self.read(operand.base, scope), self.read(operand.key, scope)

            def has_key(frame: Frame) -> Any:
                container = base(frame)
                if isinstance(container, Unknown):
                    return container
                return isinstance(container, dict) and is_defined(container.get(key(frame)))

            return has_key
        if isinstance(operand, nodes.Name):
            depth = self._attribute_by_name(operand.name, scope)
            if depth is not None:
                return self.definition_read(self_reader(depth), operand.name, place)
        read = self.read(operand, scope)
        return lambda frame: is_defined(read(frame))

    def _conditional(self, node: nodes.Conditional, scope: BlockScope) -> Read:
        return self._choice(node, scope, self.read)

    def _choice(
        self,
        node: nodes.Conditional,
        scope: BlockScope,
        compiled: Callable[[nodes.Expression, BlockScope], Read],
    ) -> Read:
        test = self.condition(node.condition, scope, operators.ConditionOf.CHOICE)
        then, otherwise = compiled(node.then, scope), compiled(node.otherwise, scope)

        def read(frame: Frame) -> Any:
            decided = test(frame)
            if decided is True:
                return then(frame)
            return otherwise(frame) if decided is False else decided

        return read

    def comprehension(self, node: nodes.Comprehension, scope: BlockScope) -> Read:
        return compile_comprehension(self, node, scope)


def _describe_keys(container: dict[str, Any]) -> str:
    """Return the available keys for a message, or nothing if there are too many."""
    names = sorted(map(str, container))
    if not names:
        return "it is empty"
    return f"it has: {join_names(names, _SHOWN)}"
