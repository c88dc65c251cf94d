"""The instance graph as resources, so that a graph of any language can be asked.

Instances without an owner hang below one root, called `root`, whose attribute `outputs` holds the outputs of the graph. A
relation of an instance is both a key that leads to the instances it names and a requirement. Capabilities and requirements
are not children of their owner but what `.capabilities` and `.requirements` give, as Unfurl has it.

A language that knows more of its instances than the graph holds brings a kind of `GraphResource` of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from sabir.expressions.query.resource import Resource, one_or_many
from sabir.expressions.query.session import Session
from sabir.expressions.query.values import MISSING, Status
from sabir.graph.edges import EdgeKind
from sabir.graph.graph import Graph
from sabir.graph.instance import Instance
from sabir.graph.values import Ref, Sensitive

if TYPE_CHECKING:
    from sabir.provenance import Source

__all__ = ["GraphResource", "GraphTree", "MakeResource", "read_from_graph", "resources_of"]

_SECTIONS = {
    EdgeKind.CAPABILITY_OF: "capabilities",
    EdgeKind.REQUIREMENT_OF: "requirements",
    EdgeKind.ARTIFACT_OF: "artifacts",
    EdgeKind.OPERATION_OF: "operations",
}
_STATUS = {member.name: member for member in Status}


class GraphTree:
    """What the resources of one graph share."""

    __slots__ = ("by_id", "graph", "root", "session", "sources")

    def __init__(self, graph: Graph, session: Session) -> None:
        self.graph = graph
        self.session = session
        self.by_id: dict[str, GraphResource] = {}
        self.sources: dict[str, list[Resource]] | None = None
        self.root: _Root = _Root(self)

    def relations_to(self, id_: str) -> Sequence[Resource]:
        if self.sources is None:
            self.sources = {}
            for resource in self.by_id.values():
                for relation in resource.requirements:
                    if isinstance(relation, _Relation):
                        self.sources.setdefault(relation.target_id, []).append(relation)
                    elif isinstance(relation, GraphResource) and isinstance(relation.target, GraphResource):
                        self.sources.setdefault(relation.target.id, []).append(relation)
        return self.sources.get(id_, ())


MakeResource = Callable[[Instance, GraphTree], "GraphResource"]


def resources_of(graph: Graph, session: Session | None = None, make: MakeResource | None = None) -> Resource:
    """The root resource of a graph. `make` makes the resource of an instance."""
    tree = GraphTree(graph, session or Session())
    by_id = tree.by_id
    make = make or GraphResource
    for instance in graph:
        by_id[instance.id] = make(instance, tree)
    for resource in by_id.values():
        owner = resource.instance.owner
        above = by_id.get(owner) if owner is not None else None
        if above is None or above is resource:
            tree.root.owned.append(resource)
            continue
        resource.above = above
        # Sections have no sections: in a ring of them, which only a file could have, all are plain parts.
        if above.instance.kinds.owner not in _SECTIONS:
            resource.section = _SECTIONS.get(resource.instance.kinds.owner)
        if resource.section is None:
            above.owned.append(resource)
        else:
            above.parts.setdefault(resource.section, []).append(resource)
    _break_rings(tree)
    return tree.root


def _break_rings(tree: GraphTree) -> None:
    """Owners that own one another hang below the root, so that every walk ends."""
    reached = len(tree.root.descendents())
    if reached > len(tree.by_id):
        return
    seen = {id(resource) for resource in tree.root.descendents()}
    for resource in tree.by_id.values():
        if id(resource) in seen or resource.section is not None:
            continue
        if resource.above is not None:
            resource.above.owned.remove(resource)
        resource.above = None
        tree.root.owned.append(resource)
        seen.update(id(below) for below in resource.descendents())


def read_from_graph(reads: Iterable[Source]) -> list[tuple[Instance, str]]:
    """The attributes and relations among the cells that were read; the way down to an owned instance is no value."""
    cells = [
        (cell[0].instance, cell[1])
        for cell in dict.fromkeys(reads)
        if isinstance(cell, tuple) and isinstance(cell[0], GraphResource)
    ]
    return [
        (instance, key) for instance, key in cells if key in instance.attributes or key in instance.relations
    ]


class _Root(Resource):
    __slots__ = ("owned", "tree")

    def __init__(self, tree: GraphTree) -> None:
        super().__init__()
        self.tree = tree
        self.owned: list[Resource] = []

    @property
    def session(self) -> Session:
        return self.tree.session

    @property
    def name(self) -> str:
        return "root"

    @property
    def type(self) -> str:
        return "sabir.Root"

    @property
    def parent(self) -> Resource | None:
        return None

    @property
    def children(self) -> Sequence[Resource]:
        return self.owned

    def keys(self) -> Sequence[str]:
        return ("inputs", "outputs") if self.session.input_names() else ("outputs",)

    def get(self, key: str) -> Any:
        if key == "inputs" and (names := self.session.input_names()):
            return {name: self.session.input(name) for name in names}
        if key == "outputs":
            return {name: _value(value, self.tree) for name, value in self.tree.graph.outputs.items()}
        return MISSING

    def all(self) -> dict[str, Resource]:
        """By name, those right below the root first; one whose name another has, too, is there by its id."""
        by_name = self._all
        if by_name is None:
            by_name = self._all = {}
            for child in self.owned:
                by_name.setdefault(child.name, child)
            for below in self.everything():
                by_name.setdefault(below.name, below)
            for id_, resource in self.tree.by_id.items():
                by_name.setdefault(id_, resource)
        return by_name


class GraphResource(Resource):
    """An instance of the graph."""

    __slots__ = ("_named", "_parts", "above", "instance", "owned", "section", "tree")

    def __init__(self, instance: Instance, tree: GraphTree) -> None:
        self._all = None
        self._everything = None
        self.instance = instance
        self.tree = tree
        self.above: GraphResource | None = None
        self.section: str | None = None
        self.owned: list[Resource] = []
        self._named: dict[str, Resource] | None = None
        self._parts: dict[str, list[GraphResource]] | None = None

    @property
    def parts(self) -> dict[str, list[GraphResource]]:
        if self._parts is None:
            self._parts = {}
        return self._parts

    @property
    def session(self) -> Session:
        return self.tree.session

    @property
    def name(self) -> str:
        return self.instance.name

    @property
    def type(self) -> str:
        return self.instance.type

    @property
    def id(self) -> str:
        return self.instance.id

    @property
    def parent(self) -> Resource | None:
        return self.above or self.tree.root

    @property
    def children(self) -> Sequence[Resource]:
        return self.owned

    @property
    def status(self) -> Status | str | None:
        if self.section is not None and self.above is not None:
            return self.above.status
        status = self.instance.status
        return Status.absent if status is None else _STATUS.get(status, status)

    def keys(self) -> Sequence[str]:
        return (*self.instance.attributes, *self.instance.relations)

    def get(self, key: str) -> Any:
        record = self.instance.attributes
        position = record.layout.index.get(key)
        if position is not None:
            value = record.row[position]
            kind = type(value)
            return value if kind is str or kind is int or kind is bool else _value(value, self.tree)
        if key in self.instance.relations:
            by_id = self.tree.by_id
            targets = [by_id[id_] for id_ in self.instance.relations[key] if id_ in by_id]
            return targets[0] if len(targets) == 1 else targets
        if self.owned:
            return self._child(key)
        # `.capabilities::endpoint` maps over the list of capabilities; the one of that name answers with itself.
        is_named_part = key == self.instance.name and self.section == "capabilities"
        return self if is_named_part else MISSING

    def _child(self, name: str) -> Any:
        """An instance that this one owns, by its name: `::db::mysql` is the mysql of db."""
        by_name = self._named
        if by_name is None:
            by_name = self._named = {}
            for child in self.owned:
                by_name.setdefault(child.name, child)
        return by_name.get(name, MISSING)

    @property
    def owner(self) -> Resource | None:
        """Of a capability or requirement the instance that has it."""
        return self.above if self.section in ("capabilities", "requirements") else self

    @property
    def capabilities(self) -> Sequence[Resource]:
        return self.parts.get("capabilities", ())

    @property
    def operations(self) -> Sequence[Resource]:
        return self.parts.get("operations", ())

    @property
    def source(self) -> Resource | None:
        return self.above if self.section == "requirements" else None

    @property
    def target(self) -> Resource | None:
        ids = self.instance.relations.get("target") if self.section == "requirements" else None
        return self.tree.by_id.get(ids[0]) if ids else None

    @property
    def requirements(self) -> Sequence[Resource]:
        if self._parts is not None and "requirements" in self._parts:
            return self._parts["requirements"]
        if self.section is not None:
            return ()  # where a requirement leads is its target
        return [
            _Relation(self, name, id_, self.tree)
            for name, ids in self.instance.relations.items()
            for id_ in ids
            if id_ in self.tree.by_id
        ]

    @property
    def relationships(self) -> Sequence[Resource]:
        return self.tree.relations_to(self.instance.id)

    @property
    def sources(self) -> Mapping[str, Any]:
        by_name: dict[str, list[Resource]] = {}
        for relation in self.tree.relations_to(self.instance.id):
            if relation.source is not None:
                by_name.setdefault(relation.name, []).append(relation.source)
        return one_or_many(by_name)


class _Relation(Resource):
    """One instance named by a relation of another."""

    __slots__ = ("_name", "_source", "target_id", "tree")

    kind: ClassVar[str] = "relationship"

    def __init__(self, source: GraphResource, name: str, target_id: str, tree: GraphTree) -> None:
        super().__init__()
        self._source = source
        self._name = name
        self.target_id = target_id
        self.tree = tree

    @property
    def session(self) -> Session:
        return self.tree.session

    @property
    def name(self) -> str:
        return self._name

    @property
    def type(self) -> str:
        return "sabir.Relation"

    @property
    def id(self) -> str:
        return f"{self._source.id}::.requirements::[.name={self._name}]"

    @property
    def parent(self) -> Resource | None:
        return self._source

    @property
    def children(self) -> Sequence[Resource]:
        return ()

    @property
    def source(self) -> GraphResource:
        return self._source

    @property
    def target(self) -> GraphResource:
        return self.tree.by_id[self.target_id]

    def get(self, key: str) -> Any:
        del key
        return MISSING


def _value(value: Any, tree: GraphTree) -> Any:
    """A value of the graph as expressions know values: references become the instances they name."""
    if isinstance(value, Ref):
        return tree.by_id.get(value.id)
    if isinstance(value, Sensitive):
        return Sensitive(_value(value.value, tree))
    if isinstance(value, Mapping):
        return {key: _value(item, tree) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_value(item, tree) for item in value]
    return value
