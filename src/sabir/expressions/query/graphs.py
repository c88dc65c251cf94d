"""The instance graph as resources, so that a graph of any language can be asked.

Instances without an owner hang below one root, called `root`, whose attribute `outputs` holds the outputs of the graph. A
relation of an instance is both a key that leads to the instances it names and a requirement. Capabilities and requirements
are not children of their owner but what `.capabilities` and `.requirements` give, as Unfurl has it.

A language that knows more of its instances than the graph holds brings a kind of `GraphTree` of its own, and of `GraphResource`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from sabir.expressions.query.resource import QueryResource, one_or_many
from sabir.expressions.query.session import QuerySession
from sabir.expressions.query.values import MISSING, InstanceStatus
from sabir.graph.edges import EdgeKind
from sabir.graph.graph import Graph, Instance
from sabir.graph.values import Ref, Sensitive
from sabir.interpreter import collector_paused

if TYPE_CHECKING:
    from sabir.provenance import ValueSource


_SECTIONS = {
    EdgeKind.CAPABILITY_OF: "capabilities",
    EdgeKind.REQUIREMENT_OF: "requirements",
    EdgeKind.ARTIFACT_OF: "artifacts",
    EdgeKind.OPERATION_OF: "operations",
}
_SECTION_KINDS = tuple(_SECTIONS)
"""To look through four members takes less than to hash one."""
_FEW = 20
"""So many names are looked through sooner than a dictionary of them is made."""
_STATUS = {member.name: member for member in InstanceStatus}


class GraphTree:
    """What the resources of one graph share.

    Most instances of a graph may be capabilities and requirements, which few questions ask for: resources of such parts are made
    when somebody does, those of all others at once.
    """

    __slots__ = ("_by_id", "_sources", "graph", "root", "session")

    def __init__(self, graph: Graph, session: QuerySession, plain: Sequence[Instance] | None = None) -> None:
        """`plain`: what `plain_instances` gave for the graph, from who keeps it for the next question."""
        self.graph = graph
        self.session = session
        self._by_id: dict[str, GraphResource] = {}
        self._sources: dict[str, list[QueryResource]] | None = None
        self.root: _Root = _Root(self)
        with collector_paused():
            self._break_rings(self._hang(plain_instances(graph) if plain is None else plain))

    def make(self, instance: Instance) -> GraphResource:
        """The resource of an instance, alone."""
        return GraphResource(instance, self)

    def resource(self, id_: str) -> GraphResource | None:
        resource = self._by_id.get(id_)
        if resource is not None:
            return resource
        instance = self.graph.get(id_)
        if instance is None:
            return None
        # Whatever is not in a section of its owner was made when the tree was.
        resource = self._by_id[id_] = self.make(instance)
        resource.section = _SECTIONS[instance.kinds.owner]
        resource.above = None if instance.owner is None else self._by_id[instance.owner]
        return resource

    def resources(self, ids: Iterable[str]) -> list[GraphResource]:
        """The resources of those ids that the graph has, in their order."""
        return [resource for id_ in ids if (resource := self.resource(id_)) is not None]

    def everything(self) -> list[GraphResource]:
        """All resources in the order of the graph, sections included."""
        with collector_paused():
            return self.resources(instance.id for instance in self.graph)

    def relations_to(self, id_: str) -> Sequence[QueryResource]:
        if self._sources is None:
            self._sources = {}
            for resource in self.everything():
                for relation in resource.requirements:
                    if isinstance(relation, _Relation):
                        self._sources.setdefault(relation.target_id, []).append(relation)
                    elif isinstance(relation, GraphResource) and isinstance(relation.target, GraphResource):
                        self._sources.setdefault(relation.target.id, []).append(relation)
        return self._sources.get(id_, ())

    def _hang(self, instances: Iterable[Instance]) -> Sequence[GraphResource]:
        """Make all that is not in a section, and hang it below its owner."""
        by_id, make = self._by_id, self.make
        for instance in instances:
            by_id[instance.id] = make(instance)
        plain = [*by_id.values()]
        below_root = self.root.owned
        for resource in plain:
            owner = resource.instance.owner
            above = None if owner is None else by_id.get(owner) or self.resource(owner)
            if above is None or above is resource:
                below_root.append(resource)
                continue
            resource.above = above
            if above.owned:
                above.owned.append(resource)
            else:
                above.owned = [resource]
        return plain

    def _break_rings(self, plain: Sequence[GraphResource]) -> None:
        """Owners that own one another hang below the root, so that every walk ends."""
        if len(self.root.everything()) > len(plain):
            return
        seen = {id(resource) for resource in self.root.everything()}
        for resource in plain:
            if id(resource) in seen:
                continue
            if resource.above is not None:
                resource.above.owned.remove(resource)
            resource.above = None
            self.root.owned.append(resource)
            seen.update(id(below) for below in resource.descendents())
        self.root.forget()


def plain_instances(graph: Graph) -> list[Instance]:
    """Those that are in no section of their owner."""
    plain: list[Instance] = []
    with_sections = ""  # parts come behind their owner, mostly, and need no look for it
    for instance in graph:
        if instance.kinds.owner not in _SECTION_KINDS:
            with_sections = instance.id
        elif instance.owner == with_sections:
            continue
        elif _is_in_section(instance, graph):
            with_sections = instance.owner or ""
            continue
        plain.append(instance)
    return plain


def _is_in_section(instance: Instance, graph: Graph) -> bool:
    above = None if instance.owner is None else graph.get(instance.owner)
    # Sections have no sections: in a ring of them, which only a file could have, all are plain parts.
    return above is not None and above is not instance and above.kinds.owner not in _SECTION_KINDS


def resources_of(graph: Graph, session: QuerySession | None = None) -> QueryResource:
    """The root resource of a graph."""
    return GraphTree(graph, session or QuerySession()).root


def read_from_graph(reads: Iterable[ValueSource]) -> list[tuple[Instance, str]]:
    """The attributes and relations among the cells that were read; the way down to an owned instance is no value."""
    cells = [
        (cell[0].instance, cell[1])
        for cell in dict.fromkeys(reads)
        if isinstance(cell, tuple) and isinstance(cell[0], GraphResource)
    ]
    return [
        (instance, key) for instance, key in cells if key in instance.attributes or key in instance.relations
    ]


class _Names(Mapping[str, QueryResource]):
    """Names first, then ids: the resource of an id is made when it is asked for."""

    def __init__(self, by_name: Mapping[str, QueryResource], tree: GraphTree) -> None:
        self._by_name = by_name
        self._tree = tree

    def __getitem__(self, name: str) -> QueryResource:
        resource = self._by_name.get(name) or self._tree.resource(name)
        if resource is None:
            raise KeyError(name)
        return resource

    def __iter__(self) -> Iterator[str]:
        yield from self._by_name
        yield from (instance.id for instance in self._tree.graph if instance.id not in self._by_name)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Root(QueryResource):
    __slots__ = ("_names", "owned", "tree")

    def __init__(self, tree: GraphTree) -> None:
        super().__init__()
        self.tree = tree
        self.owned: list[GraphResource] = []
        self._names: _Names | None = None

    @property
    def session(self) -> QuerySession:
        return self.tree.session

    @property
    def name(self) -> str:
        return "root"

    @property
    def type(self) -> str:
        return "sabir.Root"

    @property
    def children(self) -> Sequence[QueryResource]:
        return self.owned

    def keys(self) -> Sequence[str]:
        return ("inputs", "outputs") if self.session.input_names() else ("outputs",)

    def get(self, key: str) -> Any:
        if key == "inputs" and (names := self.session.input_names()):
            return {name: self.session.input(name) for name in names}
        if key == "outputs":
            return {name: _resolve_value(value, self.tree) for name, value in self.tree.graph.outputs.items()}
        return MISSING

    def forget(self) -> None:
        """What is below has changed."""
        self._everything = None

    def all(self) -> Mapping[str, QueryResource]:
        """By name, those right below the root first; one whose name another has, too, is there by its id."""
        if self._names is None:
            by_name: dict[str, QueryResource] = {}
            for child in self.owned:
                by_name.setdefault(child.name, child)
            for below in self.everything():
                by_name.setdefault(below.name, below)
            self._names = _Names(by_name, self.tree)
        return self._names


class GraphResource(QueryResource):
    """An instance of the graph. One is made for each instance and question: most of it is said when it is needed."""

    _all: dict[str, QueryResource] | None = None
    _everything: list[QueryResource] | None = None
    above: GraphResource | None = None
    section: str | None = None
    owned: list[GraphResource] = []  # noqa: RUF012  # nobody adds to this one: it stands for none
    _named: dict[str, QueryResource] | None = None
    _parts: dict[str, list[GraphResource]] | None = None

    def __init__(self, instance: Instance, tree: GraphTree) -> None:
        self.instance = instance
        self.tree = tree

    @property
    def parts(self) -> dict[str, list[GraphResource]]:
        """What is in its sections, by their names."""
        if self._parts is None:
            self._parts = {}
            for resource in self.tree.resources(part.id for part in self.tree.graph.list_parts(self.id)):
                if resource.section is not None:
                    self._parts.setdefault(resource.section, []).append(resource)
        return self._parts

    @property
    def session(self) -> QuerySession:
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
    def parent(self) -> QueryResource | None:
        return self.above or self.tree.root

    @property
    def children(self) -> Sequence[QueryResource]:
        return self.owned

    @property
    def status(self) -> InstanceStatus | str | None:
        if self.section is not None and self.above is not None:
            return self.above.status
        status = self.instance.status
        return InstanceStatus.absent if status is None else _STATUS.get(status, status)

    def keys(self) -> Sequence[str]:
        return (*self.instance.attributes, *self.instance.relations)

    def get(self, key: str) -> Any:
        record = self.instance.attributes
        position = record.layout.index.get(key)
        if position is not None:
            value = record.row[position]
            kind = type(value)
            return value if kind is str or kind is int or kind is bool else _resolve_value(value, self.tree)
        if key in self.instance.relations:
            targets = self.tree.resources(self.instance.relations[key])
            return targets[0] if len(targets) == 1 else targets
        if self.owned and (child := self._child(key)) is not MISSING:
            return child
        return self.elsewhere(key)

    def elsewhere(self, key: str) -> Any:
        """What a key means that is neither an attribute nor leads anywhere."""
        # `.capabilities::endpoint` maps over the list of capabilities; the one of that name answers with itself.
        is_named_part = key == self.instance.name and self.section == "capabilities"
        return self if is_named_part else MISSING

    def _child(self, name: str) -> Any:
        """An instance that this one owns, by its name: `::db::mysql` is the mysql of db."""
        by_name = self._named
        if by_name is None:
            if len(self.owned) < _FEW:
                return next((child for child in self.owned if child.instance.name == name), MISSING)
            by_name = self._named = {}
            for child in self.owned:
                by_name.setdefault(child.name, child)
        return by_name.get(name, MISSING)

    @property
    def owner(self) -> QueryResource | None:
        """Of a capability or requirement the instance that has it."""
        return self.above if self.section in ("capabilities", "requirements") else self

    @property
    def capabilities(self) -> Sequence[QueryResource]:
        return self.parts.get("capabilities", ())

    @property
    def operations(self) -> Sequence[QueryResource]:
        return self.parts.get("operations", ())

    @property
    def source(self) -> QueryResource | None:
        return self.above if self.section == "requirements" else None

    @property
    def target(self) -> QueryResource | None:
        ids = self.instance.relations.get("target") if self.section == "requirements" else None
        return self.tree.resource(ids[0]) if ids else None

    @property
    def requirements(self) -> Sequence[QueryResource]:
        if "requirements" in self.parts:
            return self.parts["requirements"]
        if self.section is not None:
            return ()  # where a requirement leads is its target
        return [
            _Relation(self, name, id_, self.tree)
            for name, ids in self.instance.relations.items()
            for id_ in ids
            if id_ in self.tree.graph
        ]

    @property
    def relationships(self) -> Sequence[QueryResource]:
        return self.tree.relations_to(self.instance.id)

    @property
    def sources(self) -> Mapping[str, Any]:
        by_name: dict[str, list[QueryResource]] = {}
        for relation in self.tree.relations_to(self.instance.id):
            if relation.source is not None:
                by_name.setdefault(relation.name, []).append(relation.source)
        return one_or_many(by_name)


class _Relation(QueryResource):
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
    def session(self) -> QuerySession:
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
    def parent(self) -> QueryResource | None:
        return self._source

    @property
    def source(self) -> GraphResource:
        return self._source

    @property
    def target(self) -> GraphResource:
        target = self.tree.resource(self.target_id)
        assert target is not None  # a relation is made for ids of the graph only
        return target

    def get(self, key: str) -> Any:
        del key
        return MISSING


def _resolve_value(value: Any, tree: GraphTree) -> Any:
    """A value of the graph as expressions know values: references become the instances they name."""
    if isinstance(value, Ref):
        return tree.resource(value.id)
    if isinstance(value, Sensitive):
        return Sensitive(_resolve_value(value.value, tree))
    if isinstance(value, Mapping):
        return {key: _resolve_value(item, tree) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_resolve_value(item, tree) for item in value]
    return value
