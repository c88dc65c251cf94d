"""Names of a model file: entities with their attributes and relations, types, implementations, variables, and their uses.

A name without a namespace is of the file's own or of `std`, which every file may use without an import; a name with one is of
the module that it, or an import under another name, says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.parser import parse
from sabir.languages.inmanta.syntax.walking import walk
from sabir.source.packages import PackageFile
from sabir.source.symbols import FileNames, Mention, Symbol, SymbolKind
from sabir.text import Source, Span

__all__ = ["member_key", "model_names", "type_key"]


def type_key(name: str) -> str:
    return f"type {name}"


def member_key(name: str) -> str:
    return f"member {name}"


def model_names(file: PackageFile, namespace: str) -> FileNames:
    statements = parse(file.source).statements
    scope = _Scope(namespace, statements, file.source)
    return FileNames(tuple(scope.symbols()), tuple(scope.mentions()))


class _Scope:
    """One file."""

    def __init__(self, namespace: str, statements: tuple[nodes.TopStatement, ...], source: Source) -> None:
        self.namespace = namespace
        self.statements = statements
        self.source = source
        self.modules: Mapping[str, str] = {
            statement.alias or statement.name: statement.name
            for statement in statements
            if isinstance(statement, nodes.Import)
        }

    # Definitions

    def symbols(self) -> Iterator[Symbol]:
        assigned: set[str] = set()
        for statement in self.statements:
            match statement:
                case nodes.Entity():
                    yield self._entity(statement)
                case nodes.Typedef(name=name, base=base):
                    yield self._symbol(
                        statement, name, type_key(self._own(name.name)), SymbolKind.ENUM, base.name
                    )
                case nodes.Relation():
                    yield from self._relation(statement)
                case nodes.Implementation(name=name, entity=entity, doc=doc):
                    key = f"implementation {self._own(name.name)}"
                    yield self._symbol(statement, name, key, SymbolKind.METHOD, f"for {entity.name}", doc)
                case nodes.Assign(target=nodes.Name(name=name) as target) if name not in assigned:
                    assigned.add(name)
                    key = f"variable {self._own(name)}"
                    yield self._symbol(statement, target, key, SymbolKind.VARIABLE)
                case _:
                    pass

    def _symbol(
        self,
        whole: nodes.Node,
        name: nodes.QualifiedName | nodes.Name,
        key: str,
        kind: SymbolKind,
        detail: str | None = None,
        about: str | None = None,
    ) -> Symbol:
        return Symbol(
            key=key,
            name=name.name,
            kind=kind,
            span=_span(name),
            extent=_span(whole),
            detail=detail,
            about=about,
        )

    def _entity(self, entity: nodes.Entity) -> Symbol:
        full = self._own(entity.name.name)
        parents = ", ".join(parent.name for parent in entity.parents)
        return Symbol(
            key=type_key(full),
            name=entity.name.name,
            kind=SymbolKind.CLASS,
            span=_span(entity.name),
            extent=_span(entity),
            detail=f"entity {full} extends {parents}" if parents else f"entity {full}",
            about=entity.doc,
            children=tuple(self._attribute(full, attribute) for attribute in entity.attributes),
        )

    def _attribute(self, entity: str, attribute: nodes.AttributeDef) -> Symbol:
        start = self.source.text.find(attribute.name, attribute.type.end, attribute.end)
        span = Span(start, start + len(attribute.name)) if start >= 0 else _span(attribute)
        return Symbol(
            key=f"attribute {entity}.{attribute.name}",
            name=attribute.name,
            kind=SymbolKind.PROPERTY,
            span=span,
            extent=_span(attribute),
            detail=" ".join(self.source.shown(_span(attribute)).split()),
            aliases=(member_key(attribute.name),),
        )

    def _relation(self, relation: nodes.Relation) -> Iterator[Symbol]:
        for end in (relation.left, relation.right):
            if end.name is None:
                continue
            start = self.source.text.find(end.name, end.entity.end, end.end)
            yield Symbol(
                key=f"attribute {self._own(end.entity.name)}.{end.name}",
                name=end.name,
                kind=SymbolKind.PROPERTY,
                span=Span(start, start + len(end.name)) if start >= 0 else _span(end),
                extent=_span(relation),
                detail=" ".join(self.source.shown(_span(relation)).split()),
                about=relation.doc,
                aliases=(member_key(end.name),),
            )

    # Uses

    def mentions(self) -> Iterator[Mention]:
        for node in walk(*self.statements):
            match node:
                case nodes.Entity(parents=parents):
                    yield from (self._type(parent, parent.name) for parent in parents)
                case nodes.TypeRef(name=name):
                    yield self._type(node, name)
                case nodes.RelationEnd(entity=entity) | nodes.Index(entity=entity):
                    yield self._type(entity, entity.name)
                case nodes.Implementation(entity=entity):
                    yield self._type(entity, entity.name)
                case nodes.Implement(entity=entity, implementations=implementations):
                    yield self._type(entity, entity.name)
                    for implementation in implementations:
                        yield self._mention(implementation, "implementation", implementation.name)
                case nodes.Construct(entity=name) | nodes.IndexLookup(entity=name):
                    yield self._type(node, name)
                    yield from self._arguments(node, name)
                case nodes.Call(function=name):
                    yield self._mention(node, "function", name)
                case nodes.Name(name=name):
                    yield self._mention(node, "variable", name)
                case nodes.AttributeRef(base=base, name=name):
                    start = self.source.text.rfind(name, base.end, node.end)
                    yield Mention(Span(max(start, base.end), node.end), (member_key(name),))
                case _:
                    pass

    def _arguments(self, node: nodes.Construct | nodes.IndexLookup, entity: str) -> Iterator[Mention]:
        full = self._full(entity)
        for argument in node.arguments:
            if argument.name is not None:
                span = Span(argument.start, argument.start + len(argument.name))
                keys = (*(f"attribute {name}.{argument.name}" for name in full), member_key(argument.name))
                yield Mention(span, keys)

    def _type(self, node: nodes.Node, name: str) -> Mention:
        return self._mention(node, "type", name)

    def _mention(self, node: nodes.Node, kind: str, name: str) -> Mention:
        span = Span(node.start, min(node.start + len(name), node.end))
        return Mention(span, tuple(f"{kind} {full}" for full in self._full(name)))

    def _own(self, name: str) -> str:
        return f"{self.namespace}::{name}"

    def _full(self, name: str) -> tuple[str, ...]:
        """What a name may mean, by its own file alone."""
        module, colons, short = name.rpartition("::")
        if not colons:
            return self._own(name), f"std::{name}"
        first, _, rest = module.partition("::")
        meant = self.modules.get(module) or ("::".join(filter(None, (self.modules.get(first, first), rest))))
        return (f"{meant}::{short}",)


def _span(node: nodes.Node) -> Span:
    return Span(node.start, node.end)
