"""The validator of Inmanta packages, and the rules that only `sabir check` applies.

Nothing is evaluated and no Python of the project runs. Rules that evaluation needs as well are in
`model`. The rules here are unused values (an expression statement without effect) and unknown
variables. An unknown variable is an error where the statement always runs. Inside a block that may not
run it is only a warning, because a branch that is never taken does no harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar, Final

from sabir.checks.selection import FileSelection
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding, Severity
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.inmanta.model.definitions import UNKNOWN_NAME, Definitions
from sabir.languages.inmanta.model.entities import EntityType
from sabir.languages.inmanta.model.functions import function_names
from sabir.languages.inmanta.model.names import check_names
from sabir.languages.inmanta.model.resolution import resolve_definitions
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.cache import cache_directory
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.languages.inmanta.syntax.nodes import children, walk
from sabir.languages.inmanta.syntax.project import Namespace, load_project

UNUSED_VALUE: Final = inmanta_rule(
    "INM:W007",
    "a value that nobody uses",
    "A value may stand where a statement does, and nothing comes of it: a name before `=` may be missing, or a `.name` "
    "before the multiplicity of a relation.",
)


def check_values(definitions: Definitions) -> list[Finding]:
    """Report expression statements that are neither a call nor a constructor, so have no effect."""
    findings: list[Finding] = []
    for space in definitions.project.namespaces.values():
        for node in walk(*space.statements):
            if isinstance(node, nodes.ExpressionStatement) and not isinstance(
                node.value, nodes.Call | nodes.Construct
            ):
                message = "this is a value, and nothing is done with it"
                findings.append(
                    UNUSED_VALUE.at(space.place(node.start, node.end), message, hint="assign it to a name")
                )
    return findings


UNKNOWN_IN_BRANCH: Final = inmanta_rule(
    "INM:W004",
    "an unknown variable in a block that may not run",
    "It is an error as soon as the block runs.",
)

_Names = tuple[frozenset[str], ...]
"""One set for each block around, which all blocks inside share."""


def check_variables(definitions: Definitions) -> list[Finding]:
    """Report variables that no visible scope assigns, with a warning inside blocks that may not run."""
    return list(_Checker(definitions).run())


class _Checker:
    def __init__(self, definitions: Definitions) -> None:
        self.definitions = definitions
        self.seen: dict[str, frozenset[str]] = {}
        self.tops = {
            name: frozenset(_find_assigned_names(space.statements))
            for name, space in definitions.project.namespaces.items()
        }

    def run(self) -> Iterator[Finding]:
        for space in self.definitions.project.namespaces.values():
            visible = (self.tops[space.name],)
            for statement in space.statements:
                yield from self._statement(statement, space, visible, sure=True)

    def _statement(
        self, node: nodes.TopStatement, space: Namespace, visible: _Names, *, sure: bool
    ) -> Iterator[Finding]:
        match node:
            case nodes.Assign():
                yield from self._names(node.value, space, visible, sure=sure)
                if isinstance(node.target, nodes.AttributeRef):
                    yield from self._names(node.target.base, space, visible, sure=sure)
            case nodes.ExpressionStatement():
                yield from self._names(node.value, space, visible, sure=sure)
            case nodes.For():
                yield from self._names(node.iterable, space, visible, sure=sure)
                inner = (*visible, frozenset({node.variable, *_find_assigned_names(node.body)}))
                yield from self._block(node.body, space, inner)
            case nodes.If():
                for position, (condition, block) in enumerate(node.branches):
                    yield from self._names(condition, space, visible, sure=sure and position == 0)
                    yield from self._block(block, space, (*visible, frozenset(_find_assigned_names(block))))
                inner = (*visible, frozenset(_find_assigned_names(node.otherwise)))
                yield from self._block(node.otherwise, space, inner)
            case nodes.Implementation():
                entity = self.definitions.entity(node.entity.name, space)
                inner = (*visible, self._attributes(entity), frozenset(_find_assigned_names(node.body)))
                yield from self._block(node.body, space, inner)
            case nodes.Implement() if node.condition is not None:
                entity = self.definitions.entity(node.entity.name, space)
                inner = (*visible, self._attributes(entity))
                yield from self._names(node.condition, space, inner, sure=False)
            case nodes.Typedef() if node.condition is not None:
                inner = (*visible, frozenset({"self"}))
                yield from self._names(node.condition, space, inner, sure=False)
            case _:
                pass  # the other definitions read no variables

    def _attributes(self, entity: EntityType | None) -> frozenset[str]:
        """Return the names that an implementation sees of its instance, which may be of a child entity."""
        if entity is None:
            return frozenset()
        if entity.name not in self.seen:
            self.seen[entity.name] = self._properties_below(entity)
        return self.seen[entity.name]

    def _properties_below(self, entity: EntityType) -> frozenset[str]:
        names = {"self", *entity.all_properties}
        todo = [*entity.children]
        while todo:
            child = todo.pop()
            names |= child.properties.keys()
            todo.extend(child.children)
        return frozenset(names)

    def _block(self, block: nodes.Block, space: Namespace, visible: _Names) -> Iterator[Finding]:
        for statement in block:
            yield from self._statement(statement, space, visible, sure=False)

    def _names(self, node: nodes.Node, space: Namespace, visible: _Names, *, sure: bool) -> Iterator[Finding]:
        todo: list[tuple[nodes.Node, _Names, bool]] = [(node, visible, sure)]
        while todo:
            current, names, certain = todo.pop()
            if isinstance(current, nodes.Name):
                finding = self._check_name(current, space, names, sure=certain)
                if finding is not None:
                    yield finding
            elif isinstance(current, nodes.Comprehension):
                inner = (*names, frozenset(variable for variable, _ in current.loops))
                todo += [(part, inner, False) for part in (current.element, *current.guards)]
                todo += [(iterable, inner, certain) for _, iterable in current.loops]
            elif isinstance(current, nodes.Conditional):
                todo += [
                    (current.then, names, False),
                    (current.otherwise, names, False),
                    (current.condition, names, certain),
                ]
            elif isinstance(current, nodes.Logic):
                todo += [(part, names, certain and not at) for at, part in enumerate(current.operands)]
            else:
                todo += [(part, names, certain) for part in children(current)]

    def _check_name(
        self, node: nodes.Name, space: Namespace, visible: _Names, *, sure: bool
    ) -> Finding | None:
        head, _, last = node.name.rpartition("::")
        home = space.imports.get(head) if head else None
        if not head:
            if any(node.name in names for names in (*visible, self.definitions.lost)):
                return None
            message = f"there is no variable {node.name!r} here"
            hint = did_you_mean(node.name, *visible)
        elif home is None:
            return None  # reported with the names that must exist
        elif last in self.tops.get(home, ()):
            return None
        else:
            message = f"there is no variable {last!r} in {home!r}"
            hint = did_you_mean(last, self.tops.get(home, ()))
        rule = UNKNOWN_NAME if sure else UNKNOWN_IN_BRANCH
        return rule.at(space.place(node.start, node.end), message, hint=hint)


def _find_assigned_names(statements: tuple[nodes.TopStatement, ...]) -> Iterator[str]:
    for statement in statements:
        if isinstance(statement, nodes.Assign) and isinstance(statement.target, nodes.Name):
            yield statement.target.name


class InmantaValidator(BaseValidator):
    """Checks syntax, modules, types, entities, relations, implementations, functions and variables."""

    short_name: ClassVar[str] = "INM"
    long_name: ClassVar[str] = "Inmanta"

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        from sabir.diagnostics.rules import collect_rules

        return collect_rules("sabir.languages.inmanta")

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        findings = sorted(self._findings(), key=lambda finding: finding.sort_key)
        yield from FileSelection.of(files).only(findings)

    def _findings(self) -> list[Finding]:
        search_path = tuple(map(Path, self.options.search_path))
        project = load_project(self.package, search_path, cache=cache_directory(self.session.environment))
        findings = project.findings
        if any(finding.severity is Severity.ERROR for finding in findings):
            return findings
        definitions = resolve_definitions(project)
        findings += definitions.findings
        findings += check_names(definitions, function_names(project))
        return findings + check_variables(definitions) + check_values(definitions)
