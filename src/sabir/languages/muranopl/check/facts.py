"""Facts about a class that are computed once: its method bodies, its ancestors, its members.

`Lineage` answers which members an object of a class may have. It includes the subclasses, because a base
class or mixin may use members that only its subclasses define.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from msgspec import Struct

from sabir.expressions.yaql.nodes import Binary, Call, Node, Variable, Word, child_nodes
from sabir.languages.muranopl.check.class_view import Ancestry, ClassDocument, PackageClasses
from sabir.languages.muranopl.check.code import MethodBody, read_body
from sabir.languages.muranopl.check.contracts import accepts_null
from sabir.languages.muranopl.check.core_library import CoreClass, core_class, core_heirs
from sabir.languages.muranopl.syntax.nodes import ArgumentNode, MethodNode
from sabir.languages.muranopl.syntax.report import FileReporter

# A longer ancestry is generated or hostile input; its members are not checked.
_MOST_RELATIVES = 1000
CONSTRUCTORS = (".init", "initialize")


class MethodSignature(Struct, frozen=True, eq=False):
    """The arguments of a method that a call has to match."""

    standard: tuple[str, ...]
    required: frozenset[str]
    variable: bool
    keywords: bool


class MethodFacts(Struct, frozen=True, eq=False):
    """A method with its body as the checks see it, and the names of its arguments."""

    name: str
    node: MethodNode
    body: MethodBody
    arguments: frozenset[str]
    is_static: bool


class ClassFacts:
    """The facts of one class; created by `Facts`, which also knows the other classes."""

    def __init__(self, facts: Facts, document: ClassDocument) -> None:
        self._facts = facts
        self.document = document
        self.report = FileReporter(document.source)

    @cached_property
    def methods(self) -> tuple[MethodFacts, ...]:
        return tuple(
            MethodFacts(
                node.name,
                node,
                read_body(self.report, node.code),
                frozenset(argument.name for argument in node.arguments),
                node.usage in ("Static", "Extension"),
            )
            for node in self.document.members.methods
        )

    @cached_property
    def assigned(self) -> frozenset[str]:
        """Names x of `$.x` that a method assigns: private properties need no declaration."""
        targets = (
            assignment.target.tree for method in self.methods for assignment in method.body.assignments
        )
        return frozenset(name for name in map(own_property, targets) if name is not None)

    @cached_property
    def read(self) -> frozenset[str]:
        """Names x of `$.x` that a method reads."""
        trees = (expression.tree for method in self.methods for expression in method.body.expressions)
        return frozenset(name for tree in trees for name in _find_property_reads(tree))

    @cached_property
    def lineage(self) -> Lineage | None:
        """The class with its ancestors and subclasses; None if one of them is unknown."""
        return self._facts.lineage_of_document(self.document)

    @cached_property
    def alone(self) -> Lineage:
        """The class without its ancestors."""
        return Lineage((self,), ())


class Facts:
    """The facts of all classes of a package, computed on demand."""

    def __init__(self, table: PackageClasses) -> None:
        self.table = table
        self._by_node: dict[int, ClassFacts] = {}
        self._lineages: dict[str, Lineage | None] = {}

    def of(self, document: ClassDocument) -> ClassFacts:
        facts = self._by_node.get(id(document.node))
        if facts is None:
            facts = self._by_node[id(document.node)] = ClassFacts(self, document)
        return facts

    def relatives(self, name: str) -> tuple[ClassFacts, ...]:
        """Return the classes, here and in required packages, that share members with the objects of a class."""
        lineage = self.lineage_of(name)
        return () if lineage is None else lineage.own

    def lineage_of(self, name: str) -> Lineage | None:
        """Return the members that an object of a class may have; None if they are not all known."""
        document = self.table.document(name)
        if document is not None:
            return self.of(document).lineage
        if name not in self._lineages:
            self._lineages[name] = self._core_lineage(name)
        return self._lineages[name]

    def lineage_of_document(self, document: ClassDocument) -> Lineage | None:
        ancestry = self.table.lineage(document)
        return None if ancestry is None else self._with_heirs(document.name, ancestry)

    def _core_lineage(self, name: str) -> Lineage | None:
        core: dict[str, CoreClass] = {}
        waiting = [name, *core_heirs(name), "io.murano.Object"]
        while waiting:
            ancestor = waiting.pop()
            if ancestor not in core:
                members = core_class(ancestor)
                if members is None:
                    return None
                core[ancestor] = members
                waiting.extend(members.parents)
        return self._with_heirs(name, Ancestry((), tuple(core.values())))

    def _with_heirs(self, name: str | None, ancestry: Ancestry) -> Lineage | None:
        """Add the subclasses: members are looked up in the class of the object, so a base class or a mixin may
        use theirs.
        """
        own = {id(document): document for document in ancestry.own}
        core = dict.fromkeys(ancestry.core)
        heirs = self.table.descendants(name)
        if len(heirs) * len(own) > _MOST_RELATIVES:
            return None
        for heir in heirs:
            more = self.table.lineage(heir)
            if more is None or len(own) + len(more.own) > _MOST_RELATIVES:
                return None
            own.update((id(document), document) for document in more.own)
            core.update(dict.fromkeys(more.core))
        return Lineage(tuple(self.of(document) for document in own.values()), tuple(core))


class Lineage:
    """The members that a class defines or inherits."""

    def __init__(self, own: tuple[ClassFacts, ...], core: tuple[CoreClass, ...]) -> None:
        self.own = own
        self._core = core

    @cached_property
    def methods(self) -> Mapping[str, MethodSignature | None]:
        """Signatures by name; None where the arguments are unknown."""
        found: dict[str, MethodSignature | None] = {}
        for facts in self.own:
            for method in facts.methods:
                found.setdefault(method.name, _build_signature(facts.report, method.node))
        for core in self._core:
            for member in sorted(core.methods):
                found.setdefault(member, None)
        return found

    @cached_property
    def properties(self) -> Mapping[str, str]:
        """Declared properties with their usage; no usage if a misspelled key may have been meant as `Usage`."""
        found: dict[str, str] = {}
        for facts in self.own:
            for declared in facts.document.members.properties:
                found.setdefault(declared.name, "" if declared.is_doubtful else declared.usage)
        for core in self._core:
            found.update((name, "In") for name in core.inputs if name not in found)
            found.update((name, "Runtime") for name in core.properties if name not in found)
        return found

    @cached_property
    def assigned(self) -> frozenset[str]:
        return frozenset().union(*(facts.assigned for facts in self.own))

    @cached_property
    def read(self) -> frozenset[str]:
        return frozenset().union(*(facts.read for facts in self.own))

    @cached_property
    def readable(self) -> frozenset[str]:
        """Properties that are declared, or that some method assigns."""
        return self.assigned.union(self.properties)

    def has_declared(self, name: str) -> bool:
        return name in self.properties or name in self.methods

    def has(self, name: str) -> bool:
        return name in self.readable or name in self.methods

    @cached_property
    def constructing(self) -> frozenset[str]:
        """Methods that run while the object is created: the constructor and, transitively, what it calls."""
        calls: dict[str, set[str]] = {}
        for facts in self.own:
            for method in facts.methods:
                called = calls.setdefault(method.name, set())
                for expression in method.body.expressions:
                    called.update(_find_called_names(expression.tree))
        found: set[str] = set()
        waiting: list[str] = [*CONSTRUCTORS]
        while waiting:
            name = waiting.pop()
            if name in calls and name not in found:
                found.add(name)
                waiting.extend(calls[name])
        return frozenset(found)


def own_property(node: Node) -> str | None:
    """Return the name x of `$.x` or `$this.x`; None for any other expression."""
    match node:
        case Binary(operator=".", left=Variable(name="" | "this"), right=Word(value=name)):
            return name
        case _:
            return None


def _find_property_reads(tree: Node) -> Iterator[str]:
    """Return the properties of the object itself that an expression reads."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        name = own_property(node)
        if name is not None:
            yield name
        waiting.extend(child_nodes(node))


def _find_called_names(tree: Node) -> set[str]:
    """Return the names that an expression calls."""
    found: set[str] = set()
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Call):
            found.add(node.name)
        waiting.extend(child_nodes(node))
    return found


def _build_signature(report: FileReporter, method: MethodNode) -> MethodSignature | None:
    if not method.has_sure_arguments:
        return None
    standard = [argument for argument in method.arguments if argument.usage == "Standard"]
    usages = {argument.usage for argument in method.arguments}
    return MethodSignature(
        tuple(argument.name for argument in standard),
        frozenset(argument.name for argument in standard if _is_required(report, argument)),
        "VarArgs" in usages,
        "KwArgs" in usages,
    )


def _is_required(report: FileReporter, argument: ArgumentNode) -> bool:
    """Tell whether an argument must be passed: it has no default and its contract rejects null."""
    return argument.default is None and not accepts_null(report, argument.contract.node)
