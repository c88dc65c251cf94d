"""Checks the names in statements: entities, functions and properties must exist.

Variables differ: an undefined one is an error only when it is read, so that a branch that is never
taken does no harm (recorded behavior). Only the namespace of a variable is checked here. `sabir check`
finds undefined variables with `check_variables`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Final

from sabir.diagnostics.finding import Finding, RelatedLocation
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.inmanta.model.definitions import UNKNOWN_NAME, Definitions, did_you_mean_one_of
from sabir.languages.inmanta.model.entities import EntityType
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.languages.inmanta.syntax.nodes import walk
from sabir.languages.inmanta.syntax.project import DUPLICATE, Namespace

CALL: Final = inmanta_rule(
    "INM:E020",
    "wrong arguments",
    "A constructor takes its values by name, each once; a function takes what its parameters say.",
)

_CASTS = frozenset({"int", "float", "number", "string", "bool"})


def check_names(definitions: Definitions, functions: Collection[str]) -> list[Finding]:
    """Return all findings about names of entities, functions and properties in the loaded files."""
    checker = _Checker(definitions, functions)
    for space in definitions.project.namespaces.values():
        checker.check(space)
    return checker.findings


class _Checker:
    def __init__(self, definitions: Definitions, functions: Collection[str]) -> None:
        self.definitions = definitions
        self.functions = functions
        self.findings: list[Finding] = []
        self._candidates: dict[tuple[str, int], list[str]] = {}
        """Entities that a constructor set to a relation may mean, where there are several."""
        self._checks: dict[type, Callable[..., None]] = {
            nodes.Construct: self._construct,
            nodes.IndexLookup: self._index_lookup,
            nodes.SelectorLookup: self._twice,
            nodes.Call: self._call,
            nodes.DictLiteral: self._dict,
            nodes.Name: self._name,
            nodes.Relation: self._relation,
        }

    def check(self, space: Namespace) -> None:
        self._block(space.statements, space, self._find_instances(space))
        checks = self._checks
        for node in walk(*space.statements):
            check = checks.get(type(node))
            if check is not None:
                check(node, space)

    def _find_instances(self, space: Namespace) -> dict[str, EntityType]:
        """The variables of a file that hold an instance, as far as their assignments tell its entity."""
        entities: dict[str, EntityType] = {}
        for statement in space.statements:
            match statement:
                case nodes.Assign(target=nodes.Name(name=name), value=nodes.Construct() as value):
                    entity = self.definitions.entity(value.entity, space)
                    if entity is not None and name not in entities:
                        entities[name] = entity
                case _:
                    pass
        return entities

    def _block(
        self, block: Iterable[nodes.TopStatement], space: Namespace, made: dict[str, EntityType]
    ) -> None:
        """An attribute that is set must exist, also in a branch that is never taken (recorded behaviour)."""
        for statement in block:
            match statement:
                case nodes.Assign(target=nodes.AttributeRef(base=nodes.Name(name=name)) as target):
                    entity = made.get(name)
                    if entity is not None and not self._has(entity, target.name):
                        self.findings.append(
                            UNKNOWN_NAME.at(
                                space.place(target.start, target.end),
                                f"{entity.shown!r} has no attribute {target.name!r}",
                                hint=did_you_mean(target.name, entity.property_names),
                            )
                        )
                case nodes.If(branches=branches, otherwise=otherwise):
                    for _, inner in branches:
                        self._block(inner, space, _remove_assigned(made, inner))
                    self._block(otherwise, space, _remove_assigned(made, otherwise))
                case nodes.For(variable=variable, body=body):
                    outer = {name: entity for name, entity in made.items() if name != variable}
                    self._block(body, space, _remove_assigned(outer, body))
                case _:
                    pass

    def _entity(
        self, name: str, node: nodes.Construct | nodes.IndexLookup, space: Namespace
    ) -> EntityType | None:
        if isinstance(node, nodes.Construct):
            entity = self.definitions.find_constructed(node, space)
        else:
            entity = self.definitions.entity(name, space)
        if entity is None:
            message, hint = self.definitions.describe_unknown(
                "entity", name, space, self.definitions.entities
            )
            candidates = self._candidates.get((space.name, node.start))
            if candidates is not None:
                message = f"{name!r} is the name of {len(candidates)} entities that fit here"
                hint = did_you_mean_one_of(candidates)
            place = space.place(node.start, node.start + len(name))
            self.findings.append(UNKNOWN_NAME.at(message=message, place=place, hint=hint))
        return entity

    def _construct(self, node: nodes.Construct, space: Namespace) -> None:
        entity = self._entity(node.entity, node, space)
        seen: dict[str, nodes.Argument] = {}
        for argument in node.arguments:
            place = space.place(argument.start, argument.end)
            if argument.unpack:
                continue
            if argument.name is None:
                self.findings.append(self._positional(node, argument, entity, space))
            elif argument.name in seen:
                first = seen[argument.name]
                self.findings.append(
                    CALL.at(
                        message=f"{argument.name!r} is set twice in this constructor",
                        place=place,
                        related=(
                            RelatedLocation(
                                place=space.place(first.start, first.end), message="first set here"
                            ),
                        ),
                    )
                )
            elif entity is not None and not self._has(entity, argument.name):
                self.findings.append(
                    UNKNOWN_NAME.at(
                        message=f"{entity.shown!r} has no attribute {argument.name!r}",
                        place=space.place(argument.start, argument.start + len(argument.name)),
                        hint=did_you_mean(argument.name, entity.property_names),
                    )
                )
            if argument.name is not None:
                seen.setdefault(argument.name, argument)
                prop = entity.all_properties.get(argument.name) if entity is not None else None
                if prop is not None and prop.target is not None:
                    self._infer(argument.value, prop.target, space)

    def _has(self, entity: EntityType, name: str) -> bool:
        """Whether an entity has a property, or would have it were its definition right."""
        return name in entity.all_properties or name in self.definitions.lost or entity.lacks_parents

    def _infer(self, value: nodes.Expression, target: EntityType, space: Namespace) -> None:
        """A constructor set to a relation may leave the namespace out when only one fitting entity has its name."""
        if isinstance(value, nodes.ListLiteral):
            for item in value.items:
                self._infer(item, target, space)
        elif isinstance(value, nodes.Conditional):
            self._infer(value.then, target, space)
            self._infer(value.otherwise, target, space)
        elif isinstance(value, nodes.Comprehension):
            self._infer(value.element, target, space)
        elif isinstance(value, nodes.Construct) and "::" not in value.entity:
            if self.definitions.entity(value.entity, space) is not None:
                return
            fitting = [
                entity
                for entity in (target, *target.descendants)
                if entity.name.rpartition("::")[2] == value.entity
            ]
            if len(fitting) == 1:
                self.definitions.inferred[space.name, value.start] = fitting[0]
            elif fitting:
                self._candidates[space.name, value.start] = [entity.shown for entity in fitting]

    def _positional(
        self, node: nodes.Construct, argument: nodes.Argument, entity: EntityType | None, space: Namespace
    ) -> Finding:
        attributes = entity.node.attributes if entity is not None else ()
        name = attributes[0].name if attributes else "name"
        text = space.source.text[argument.start : argument.end]
        return CALL.at(
            message=f"the constructor of {node.entity!r} takes its values by name",
            place=space.place(argument.start, argument.end),
            hint=f"write {name}={text}",
        )

    def _index_lookup(self, node: nodes.IndexLookup, space: Namespace) -> None:
        self._entity(node.entity, node, space)
        self._twice(node, space)
        for argument in node.arguments:
            if argument.name is None and not argument.unpack:
                self.findings.append(
                    CALL.at(
                        message="a look-up takes its values by name",
                        place=space.place(argument.start, argument.end),
                        hint=f"write {node.entity}[name=…]",
                    )
                )

    def _twice(self, node: nodes.IndexLookup | nodes.SelectorLookup, space: Namespace) -> None:
        seen: set[str] = set()
        for argument in node.arguments:
            if argument.name is not None and argument.name in seen:
                place = space.place(argument.start, argument.end)
                self.findings.append(CALL.at(place, f"{argument.name!r} is set twice in this look-up"))
            seen.add(argument.name or "")

    def _call(self, node: nodes.Call, space: Namespace) -> None:
        if node.function in _CASTS:
            return
        if any(name in self.functions for name in self.definitions.full_names(node.function, space)):
            return
        message, hint = self.definitions.describe_unknown(
            "function", node.function, space, frozenset(self.functions)
        )
        place = space.place(node.start, node.start + len(node.function))
        self.findings.append(UNKNOWN_NAME.at(message=message, place=place, hint=hint))

    def _name(self, node: nodes.Name, space: Namespace) -> None:
        """A namespace must be imported, also where the variable of it is never read (recorded behaviour)."""
        head, _, _ = node.name.rpartition("::")
        if not head or head in space.imports:
            return
        self.findings.append(
            UNKNOWN_NAME.at(
                message=f"variable {node.name!r}: the namespace {head!r} is not imported here",
                place=space.place(node.start, node.end),
                hint=self.definitions.import_hint(head, space),
            )
        )

    def _relation(self, node: nodes.Relation, space: Namespace) -> None:
        """What annotates a relation are values, so their names must exist."""
        wanted = [
            annotation
            for annotation in node.annotations
            if isinstance(annotation, nodes.Name) and "::" not in annotation.name
        ]
        if not wanted:
            return
        variables = {
            statement.target.name
            for statement in space.statements
            if isinstance(statement, nodes.Assign) and isinstance(statement.target, nodes.Name)
        }
        self.findings += [
            UNKNOWN_NAME.at(
                message=f"there is no variable {annotation.name!r} to annotate this relation with",
                place=space.place(annotation.start, annotation.end),
                hint=did_you_mean(annotation.name, variables) or "define it, or write '--'",
            )
            for annotation in wanted
            if annotation.name not in variables
        ]

    def _dict(self, node: nodes.DictLiteral, space: Namespace) -> None:
        seen: dict[object, nodes.Literal] = {}
        for key, _ in node.items:
            if not isinstance(key, nodes.Literal):
                continue
            if key.value in seen:
                first = seen[key.value]
                self.findings.append(
                    DUPLICATE.at(
                        message=f"the key {key.value!r} stands twice in this dict",
                        place=space.place(key.start, key.end),
                        related=(
                            RelatedLocation(place=space.place(first.start, first.end), message="first here"),
                        ),
                    )
                )
            seen.setdefault(key.value, key)


def _remove_assigned(made: dict[str, EntityType], block: nodes.Block) -> dict[str, EntityType]:
    """Return what is visible in a block: a variable that it assigns hides an outer one."""
    hidden = {
        statement.target.name
        for statement in block
        if isinstance(statement, nodes.Assign) and isinstance(statement.target, nodes.Name)
    }
    return {name: entity for name, entity in made.items() if name not in hidden}
