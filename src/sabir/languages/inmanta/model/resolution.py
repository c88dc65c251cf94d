"""Resolves all definitions of a project: types, entities, relations, indexes, implementations.

An unknown or duplicate name is a finding even where nothing would run it, and all are reported
together.
"""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.finding import RelatedLocation
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.inmanta.model.definitions import UNKNOWN_NAME, Definitions
from sabir.languages.inmanta.model.entities import (
    TYPE_CYCLE,
    EntityType,
    ImplementationDef,
    ImplementDef,
    IndexDef,
    Property,
    break_cycles,
    check_overrides,
)
from sabir.languages.inmanta.model.types import (
    ANY,
    LITERALS,
    PRIMITIVES,
    TYPE,
    ConstrainedType,
    ValueType,
    format_value,
    list_of,
    nullable_type,
    regex_test,
)
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.languages.inmanta.syntax.nodes import DictLiteral, Expression, ListLiteral, Literal, walk
from sabir.languages.inmanta.syntax.project import DUPLICATE, InmantaProject, Namespace
from sabir.text import Place


def literal_value(node: Expression) -> object:
    """Return the Python value of a literal, list or dict, as in defaults of attributes."""
    match node:
        case Literal(value=value):
            return value
        case ListLiteral(items=items):
            return [literal_value(item) for item in items]
        case DictLiteral(items=pairs):
            return {str(literal_value(key)): literal_value(item) for key, item in pairs}
        case _:
            raise AssertionError(f"the parser let {node!r} through as a literal")


BAD_IMPLEMENT: Final = inmanta_rule(
    "INM:E006",
    "an implement statement that cannot be",
    "An implementation fits the entity it was written for and its children. `parents` takes no condition: what it "
    "brings keeps its own.",
)
BAD_INDEX: Final = inmanta_rule(
    "INM:E007",
    "an index that cannot identify",
    "An index holds attributes and relations [1]; a relation that may be empty or hold several does not name one instance.",
)


def resolve_definitions(project: InmantaProject) -> Definitions:
    """Return the definitions of a project, with findings for everything that does not resolve."""
    return _Resolver(project).run()


class _Resolver:
    def __init__(self, project: InmantaProject) -> None:
        self.project = project
        self.out = Definitions(project)
        self.places: dict[tuple[str, str], Place] = {}

    def run(self) -> Definitions:
        spaces = list(self.project.namespaces.values())
        for space in spaces:
            self._declare(space)
        for space in spaces:
            for statement in space.statements:
                if isinstance(statement, nodes.Typedef):
                    self._typedef(space, statement)
        for entity in [*self.out.entities.values()]:
            self._parents(entity)
        self.out.findings += break_cycles(self.out.entities.values())
        for entity in self.out.entities.values():
            self._attributes(entity)
        for space in spaces:
            for statement in space.statements:
                if isinstance(statement, nodes.Relation):
                    self._relation(space, statement)
        for entity in self.out.entities.values():
            self.out.findings += check_overrides(entity)
        for space in spaces:
            for statement in space.statements:
                if isinstance(statement, nodes.Index):
                    self._index(space, statement)
                elif isinstance(statement, nodes.Implementation):
                    self._implementation(space, statement)
        for space in spaces:
            for statement in space.statements:
                if isinstance(statement, nodes.Implement):
                    self._implement(space, statement)
        return self.out

    def report(
        self,
        rule: Rule,
        message: str,
        place: Place,
        *,
        hint: str | None = None,
        related: tuple[RelatedLocation, ...] = (),
    ) -> None:
        self.out.findings.append(rule.at(place, message, hint=hint, related=related))

    def _duplicate(self, kind: str, name: str, place: Place, first: Place) -> None:
        self.report(
            DUPLICATE,
            f"{kind} {name!r} is defined twice",
            place,
            related=(RelatedLocation(place=first, message="first defined here"),),
        )

    def _declare(self, space: Namespace) -> None:
        types: dict[str, Place] = {}
        for statement in space.statements:
            if not isinstance(statement, nodes.Entity | nodes.Typedef):
                continue
            place = nodes.place_of(space.source, statement.name)
            name = statement.name.name
            full = f"{space.name}::{name}"
            if name in types:
                self._duplicate("type", name, place, types[name])
            elif isinstance(statement, nodes.Entity):
                types[name] = place
                self.out.entities[full] = EntityType(full, space, place, statement)
            elif name in PRIMITIVES:
                self.report(DUPLICATE, f"{name!r} is a type of the language itself", place)
            else:
                types[name] = place
                self.out.typedefs[full] = ConstrainedType(
                    name, ANY.accepts, node=statement, base=ANY, place=place
                )
        self._variables_against_types(space, types)

    def _variables_against_types(self, space: Namespace, types: dict[str, Place]) -> None:
        """A constrained type and a variable of one scope share their names (spec 002, "Primitive types")."""
        seen: set[str] = set()
        for statement in space.statements:
            if isinstance(statement, nodes.Assign) and isinstance(statement.target, nodes.Name):
                name = statement.target.name
                if name in types and name not in seen:
                    seen.add(name)
                    self.report(
                        DUPLICATE,
                        f"{name!r} is a type here and cannot be a variable too",
                        nodes.place_of(space.source, statement.target),
                        related=(RelatedLocation(place=types[name], message="the type is defined here"),),
                    )

    def _typedef(self, space: Namespace, node: nodes.Typedef) -> None:
        typedef = self.out.typedefs.get(f"{space.name}::{node.name.name}")
        if typedef is None or typedef.node is not node:
            return
        base = self._type(space, node.base)
        if base is None:
            return
        seen = base
        while isinstance(seen, ConstrainedType):
            if seen is typedef:
                self.report(TYPE_CYCLE, f"type {typedef.name!r} is made from itself", typedef.place)
                return
            seen = seen.base
        typedef.base = base
        if node.condition is not None and not _reads_variable(node.condition, "self"):
            self.report(
                TYPE, f"the condition of type {typedef.name!r} says nothing about 'self'", typedef.place
            )
        for name in _free_names(node.condition) if node.condition is not None else ():
            if name.name != "self":
                self.report(
                    TYPE,
                    f"the condition of type {typedef.name!r} reads the variable {name.name!r}: it can read 'self' only",
                    nodes.place_of(space.source, name),
                    hint="write the value itself, or give it to a function",
                )
        if node.regex is not None:
            test, inner = regex_test(node.regex), base
            typedef.accepts = lambda value: inner.accepts(value) and test(value)

    def _type(self, space: Namespace, ref: nodes.TypeRef) -> ValueType | None:
        value_type = self.out.value_type(ref.name, space)
        if value_type is None:
            place = nodes.place_of(space.source, ref)
            if self.out.entity(ref.name, space) is not None:
                self.report(
                    TYPE,
                    f"{ref.name!r} is an entity; an attribute has a primitive type",
                    place,
                    hint=f"define a relation to {ref.name} instead",
                )
            else:
                message, hint = self.out.describe_unknown("type", ref.name, space, self.out.typedefs)
                self.report(UNKNOWN_NAME, message, place, hint=hint)
            return None
        value_type = LITERALS.get(ref.name, value_type)
        if ref.is_list:
            value_type = list_of(value_type)
        return nullable_type(value_type) if ref.nullable else value_type

    def _find_entity(self, space: Namespace, name: nodes.QualifiedName) -> EntityType | None:
        entity = self.out.entity(name.name, space)
        if entity is None:
            message, hint = self.out.describe_unknown("entity", name.name, space, self.out.entities)
            self.report(UNKNOWN_NAME, message, nodes.place_of(space.source, name), hint=hint)
        return entity

    def _parents(self, entity: EntityType) -> None:
        space = entity.namespace
        for name in entity.node.parents:
            parent = self._find_entity(space, name)
            if parent is None:
                entity.is_incomplete = True
                continue
            if parent in entity.parents:
                self.report(
                    DUPLICATE,
                    f"entity {entity.shown!r} names its parent {name.name!r} twice",
                    nodes.place_of(space.source, name),
                )
                continue
            entity.parents.append(parent)
        root = self.out.entities.get("std::Entity")
        if not entity.parents and root is not None and entity is not root:
            entity.parents.append(root)

    def _attributes(self, entity: EntityType) -> None:
        space = entity.namespace
        for node in entity.node.attributes:
            place = nodes.place_of(space.source, node)
            first = entity.properties.get(node.name)
            if first is not None:
                self._duplicate("attribute", f"{entity.shown}.{node.name}", place, first.place)
                continue
            kind = self._type(space, node.type)
            if kind is None:
                kind = ANY
            prop = Property(
                node.name, entity, place, type=kind, nullable=node.type.nullable, undef=node.undef
            )
            if node.default is not None:
                prop.default = literal_value(node.default)
                fits = isinstance(kind, ConstrainedType) or kind.accepts(prop.default)
                if not fits or (prop.default is None and not node.type.nullable):
                    self.report(
                        TYPE,
                        f"the default {format_value(prop.default)} of {node.name!r} is no {kind.name}",
                        place,
                        hint=f'did you mean "{kind.name}? {node.name} = null"?'
                        if prop.default is None
                        else None,
                    )
            entity.properties[node.name] = prop

    def _relation(self, space: Namespace, node: nodes.Relation) -> None:
        left = self._find_entity(space, node.left.entity)
        right = self._find_entity(space, node.right.entity)
        assert node.left.name is not None
        if left is None or right is None:
            self.out.lost.update((node.left.name, node.right.name or node.left.name))
            return
        place = nodes.place_of(space.source, node)
        near = _relation_end(node.left, left, target=right, relation=node, place=place)
        self._add_relation(left, near)
        if node.right.name is not None:
            far = _relation_end(node.right, right, target=left, relation=node, place=place)
            if left is right and far.name == near.name:
                near.reverse = near  # one relation that is its own reverse
                return
            self._add_relation(right, far)
            near.reverse, far.reverse = far, near

    def _add_relation(self, entity: EntityType, prop: Property) -> None:
        first = entity.properties.get(prop.name)
        if first is not None:
            self._duplicate("attribute", f"{entity.shown}.{prop.name}", prop.place, first.place)
            return
        entity.properties[prop.name] = prop

    def _index(self, space: Namespace, node: nodes.Index) -> None:
        entity = self._find_entity(space, node.entity)
        if entity is None:
            return
        good = True
        for name in node.attributes:
            place = nodes.place_of(space.source, name)
            prop = entity.all_properties.get(name.name)
            if prop is None and (name.name in self.out.lost or entity.lacks_parents):
                good = False
            elif prop is None:
                hint = did_you_mean(name.name, entity.property_names)
                self.report(BAD_INDEX, f"{entity.shown!r} has no attribute {name.name!r}", place, hint=hint)
                good = False
            elif prop.is_relation and not (prop.low == prop.high == 1):
                self.report(
                    BAD_INDEX,
                    f"{prop.full_name} {prop.multiplicity()} cannot identify an instance",
                    place,
                    hint="an index holds attributes and relations [1]",
                )
                good = False
            elif prop.type is not None and prop.type.name.rstrip("?").endswith(("[]", "list")):
                self.report(BAD_INDEX, f"{prop.full_name} is a list and cannot identify an instance", place)
                good = False
        if good:
            attributes = tuple(name.name for name in node.attributes)
            entity.own_indexes.append(IndexDef(entity, attributes, nodes.place_of(space.source, node)))

    def _implementation(self, space: Namespace, node: nodes.Implementation) -> None:
        place = nodes.place_of(space.source, node.name)
        full = f"{space.name}::{node.name.name}"
        first = self.out.implementations.get(full)
        if first is not None:
            self._duplicate("implementation", node.name.name, place, first.place)
            return
        entity = self._find_entity(space, node.entity)
        if entity is None:
            self.out.lost.add(node.name.name)
        else:
            self.out.implementations[full] = ImplementationDef(node.name.name, space, node, entity, place)

    def _implement(self, space: Namespace, node: nodes.Implement) -> None:
        entity = self._find_entity(space, node.entity)
        implementations: list[ImplementationDef] = []
        parents = False
        for name in node.implementations:
            place = nodes.place_of(space.source, name)
            if name.name == "parents":
                parents = True
                if node.condition is not None:
                    self.report(
                        BAD_IMPLEMENT,
                        "'parents' cannot have a condition",
                        place,
                        hint="the implementations of the parents keep their own conditions",
                    )
                continue
            implementation = self._find_implementation(space, name)
            if implementation is None or entity is None:
                continue
            if implementation.entity not in entity.ancestor_set and not entity.lacks_parents:
                self.report(
                    BAD_IMPLEMENT,
                    f"implementation {name.name!r} is for {implementation.entity.shown!r}, which {entity.shown!r} is not",
                    place,
                    related=(
                        RelatedLocation(place=implementation.place, message="the implementation is here"),
                    ),
                )
                continue
            implementations.append(implementation)
        if entity is not None:
            place = nodes.place_of(space.source, node)
            entity.implements.append(ImplementDef(space, node, tuple(implementations), parents, place))

    def _find_implementation(self, space: Namespace, name: nodes.QualifiedName) -> ImplementationDef | None:
        implementation = self.out.implementation(name.name, space)
        if implementation is None and name.name not in self.out.lost:
            message, hint = self.out.describe_unknown(
                "implementation", name.name, space, self.out.implementations
            )
            self.report(UNKNOWN_NAME, message, nodes.place_of(space.source, name), hint=hint)
        return implementation


def _relation_end(
    end: nodes.RelationEnd, entity: EntityType, *, target: EntityType, relation: nodes.Relation, place: Place
) -> Property:
    """Return a relation as a property of the entity at one of its ends."""
    assert end.name is not None
    return Property(
        end.name,
        entity,
        place,
        target=target,
        low=end.low,
        high=end.high,
        annotations=relation.annotations,
    )


def _free_names(expression: nodes.Expression) -> list[nodes.Name]:
    """Return the variables that an expression reads, except those of its own comprehensions."""
    every = list(walk(expression))
    bound = {name for node in every if isinstance(node, nodes.Comprehension) for name, _ in node.loops}
    return [node for node in every if isinstance(node, nodes.Name) and node.name not in bound]


def _reads_variable(expression: nodes.Expression, name: str) -> bool:
    """Return whether an expression reads a variable."""
    return any(isinstance(node, nodes.Name) and node.name == name for node in walk(expression))
