"""Variables that do not exist, found without evaluating.

Where a statement always runs this is an error; inside a block that may not run it is a warning, because an unknown
variable in a branch that is never taken does no harm.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.languages.inmanta.model.definitions import UNKNOWN_NAME, Definitions
from sabir.languages.inmanta.model.entities import EntityType
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.languages.inmanta.syntax.project import Namespace
from sabir.languages.inmanta.syntax.walking import children

__all__ = ["UNKNOWN_IN_BRANCH", "check_variables"]

UNKNOWN_IN_BRANCH: Final = inmanta_rule(
    "INM:W004",
    "an unknown variable in a block that may not run",
    "It is an error as soon as the block runs.",
    "a = 1\nif a > 1:\n    b = nosuch\nend\n",
    "a = 1\nif a > 1:\n    b = a\nend\n",
)

_Names = frozenset[str]


def check_variables(definitions: Definitions) -> list[Finding]:
    return list(_Checker(definitions).run())


class _Checker:
    def __init__(self, definitions: Definitions) -> None:
        self.definitions = definitions
        self.tops = {
            name: frozenset(_assigned(space.statements))
            for name, space in definitions.project.namespaces.items()
        }

    def run(self) -> Iterator[Finding]:
        for space in self.definitions.project.namespaces.values():
            known = self.tops[space.name]
            for statement in space.statements:
                yield from self._statement(statement, space, known, sure=True)

    def _statement(
        self, node: nodes.TopStatement, space: Namespace, known: _Names, *, sure: bool
    ) -> Iterator[Finding]:
        match node:
            case nodes.Assign():
                yield from self._names(node.value, space, known, sure=sure)
                if isinstance(node.target, nodes.AttributeRef):
                    yield from self._names(node.target.base, space, known, sure=sure)
            case nodes.ExpressionStatement():
                yield from self._names(node.value, space, known, sure=sure)
            case nodes.For():
                yield from self._names(node.iterable, space, known, sure=sure)
                inner = known | {node.variable} | frozenset(_assigned(node.body))
                yield from self._block(node.body, space, inner)
            case nodes.If():
                for position, (condition, block) in enumerate(node.branches):
                    yield from self._names(condition, space, known, sure=sure and position == 0)
                    yield from self._block(block, space, known | frozenset(_assigned(block)))
                yield from self._block(node.otherwise, space, known | frozenset(_assigned(node.otherwise)))
            case nodes.Implementation():
                entity = self.definitions.entity(node.entity.name, space)
                inner = known | self._attributes(entity) | frozenset(_assigned(node.body))
                yield from self._block(node.body, space, inner)
            case nodes.Implement() if node.condition is not None:
                entity = self.definitions.entity(node.entity.name, space)
                yield from self._names(node.condition, space, known | self._attributes(entity), sure=False)
            case nodes.Typedef() if node.condition is not None:
                yield from self._names(node.condition, space, known | {"self"}, sure=False)
            case _:
                pass  # the other definitions read no variables

    def _attributes(self, entity: EntityType | None) -> _Names:
        """What an implementation sees of its instance, which may be of a child entity."""
        if entity is None:
            return frozenset()
        found = {"self", *entity.all_properties}
        todo = [*entity.children]
        while todo:
            one = todo.pop()
            found |= one.properties.keys()
            todo.extend(one.children)
        return frozenset(found)

    def _block(self, block: nodes.Block, space: Namespace, known: _Names) -> Iterator[Finding]:
        for statement in block:
            yield from self._statement(statement, space, known, sure=False)

    def _names(self, node: nodes.Node, space: Namespace, known: _Names, *, sure: bool) -> Iterator[Finding]:
        todo: list[tuple[nodes.Node, _Names, bool]] = [(node, known, sure)]
        while todo:
            one, names, certain = todo.pop()
            if isinstance(one, nodes.Name):
                finding = self._unknown(one, space, names, sure=certain)
                if finding is not None:
                    yield finding
            elif isinstance(one, nodes.Comprehension):
                inner = names | {variable for variable, _ in one.loops}
                todo += [(part, inner, False) for part in (one.element, *one.guards)]
                todo += [(iterable, inner, certain) for _, iterable in one.loops]
            elif isinstance(one, nodes.Conditional):
                todo += [
                    (one.then, names, False),
                    (one.otherwise, names, False),
                    (one.condition, names, certain),
                ]
            elif isinstance(one, nodes.Logic):
                todo += [(part, names, certain and not at) for at, part in enumerate(one.operands)]
            else:
                todo += [(part, names, certain) for part in children(one)]

    def _unknown(self, node: nodes.Name, space: Namespace, known: _Names, *, sure: bool) -> Finding | None:
        head, _, last = node.name.rpartition("::")
        home = space.imports.get(head) if head else None
        if not head:
            if node.name in known:
                return None
            message = f"there is no variable {node.name!r} here"
            hint = did_you_mean(node.name, known)
        elif home is None:
            return None  # reported with the names that must exist
        elif last in self.tops.get(home, ()):
            return None
        else:
            message = f"there is no variable {last!r} in {home!r}"
            hint = did_you_mean(last, self.tops.get(home, ()))
        rule = UNKNOWN_NAME if sure else UNKNOWN_IN_BRANCH
        return rule.at(space.place(node.start, node.end), message, hint=hint)


def _assigned(statements: tuple[nodes.TopStatement, ...]) -> Iterator[str]:
    for one in statements:
        if isinstance(one, nodes.Assign) and isinstance(one.target, nodes.Name):
            yield one.target.name
