"""The graph: instances in a fixed order, found by id, name or number, and the outputs of the project."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import Struct

from sabir.graph.address import Address
from sabir.graph.edges import PLAIN_EDGES, EdgeKinds
from sabir.graph.origin import Origin
from sabir.graph.record import EMPTY_RECORD, Record
from sabir.graph.values import Ref, Value

if TYPE_CHECKING:
    from sabir.graph.dependence import Dependence


_NOTHING = cast("Record[Any]", EMPTY_RECORD)


class Instance(Struct, frozen=True, eq=False, kw_only=True):
    """An evaluated instance: an object, an entity instance, a service, a node.

    `id` is unique in the graph and stable between runs; `name` is for display and need not be unique; `owner` is the
    id of the instance it is part of. `relations` hold ids; `requires` holds the ids that must exist before this one.
    """

    id: str
    type: str
    language: str
    name: str
    owner: str | None = None
    attributes: Record[Value] = _NOTHING
    relations: Record[tuple[str, ...]] = _NOTHING
    requires: tuple[str, ...] = ()
    status: str | None = None
    origin: Origin | None = None
    origins: Record[Origin] = _NOTHING
    """Origins of attributes and relations, by name; the instances of a statement share one record."""
    kinds: EdgeKinds = PLAIN_EDGES
    """The kinds of its edges: to its owner, and of its relations."""
    library: bool = False
    """Created by a statement of a library, not of the package: views hide it unless a visible instance refers to it."""


PART_TYPE: Final = "sabir.Part"
"""The type of the instances that represent the parts of an environment and own their instances."""


_LONGEST_NUMBER: Final = 9


def _short_type(name: str) -> str:
    """Return a type without its namespace."""
    return name.rpartition("::")[2]


class Graph:
    """Instances in the order they were given, which is the order of all output.

    A graph is built once and then only read, so indexes are computed on first use and kept.
    """

    def __init__(
        self,
        instances: Iterable[Instance],
        *,
        outputs: Mapping[str, Value] | None = None,
        output_origins: Mapping[str, Origin] | None = None,
    ) -> None:
        listed = tuple(instances)
        self._instances = {instance.id: instance for instance in listed}
        if len(self._instances) != len(listed):
            twice, _ = Counter(instance.id for instance in listed).most_common(1)[0]
            raise ValueError(f"two instances have the id {twice!r}")
        self.outputs: Mapping[str, Value] = outputs or {}
        self.output_origins: Mapping[str, Origin] = output_origins or {}

    def __iter__(self) -> Iterator[Instance]:
        return iter(self._instances.values())

    def __len__(self) -> int:
        return len(self._instances)

    def __contains__(self, id_: object) -> bool:
        return id_ in self._instances

    def __getitem__(self, id_: str) -> Instance:
        return self._instances[id_]

    def get(self, id_: str) -> Instance | None:
        """Return the instance of an id, or None."""
        return self._instances.get(id_)

    @cached_property
    def roots(self) -> tuple[Instance, ...]:
        """Instances without an owner in this graph."""
        return tuple(
            instance for instance in self if instance.owner is None or instance.owner not in self._instances
        )

    @cached_property
    def _owned(self) -> Mapping[str, tuple[Instance, ...]]:
        owned: defaultdict[str, list[Instance]] = defaultdict(list)
        for instance in self:
            if instance.owner is not None:
                owned[instance.owner].append(instance)
        return {owner: tuple(parts) for owner, parts in owned.items()}

    def list_parts(self, id_: str) -> tuple[Instance, ...]:
        """Return the instances that an instance owns directly, in graph order."""
        return self._owned.get(id_, ())

    @cached_property
    def dependence(self) -> Dependence:
        """Which values depend on which lines; built in one walk over the graph on first use."""
        from sabir.graph.dependence import Dependence

        return Dependence(self)

    @cached_property
    def _named(self) -> Mapping[str, tuple[Instance, ...]]:
        named: defaultdict[str, list[Instance]] = defaultdict(list)
        for instance in self:
            named[instance.name].append(instance)
        return {name: tuple(instances) for name, instances in named.items()}

    def find_by_name(self, name: str) -> tuple[Instance, ...]:
        """Return all instances of this name; else the one that an output of this name or `TYPE#N` refers to."""
        instances = self._named.get(name)
        if instances is not None:
            return instances
        output = self.outputs.get(name)
        alias = self._instances.get(output.id) if isinstance(output, Ref) else self.find_by_number(name)
        return () if alias is None else (alias,)

    def find_by_number(self, words: str) -> Instance | None:
        """Return the instance that `[PART/]TYPE#N` refers to, the N-th of its type, or None.

        The number depends on the current order, so it must not be stored. A type without its namespace is accepted
        when only one type has that short name.
        """
        type_, _, number = words.rpartition("#")
        if not type_ or not number.isdecimal() or len(number) > _LONGEST_NUMBER:
            return None
        part, slash, inner = type_.partition("/")
        prefix = ""
        if slash and part in self._instances:
            type_, prefix = inner, f"{part}/"
        there = [instance for instance in self if instance.id.startswith(prefix)]
        types = {instance.type for instance in there}
        if type_ not in types:
            short = [name for name in types if _short_type(name) == type_]
            if len(short) != 1:
                return None
            type_ = short[0]
        fitting = [instance for instance in there if instance.type == type_]
        return fitting[int(number) - 1] if 0 < int(number) <= len(fitting) else None

    @cached_property
    def parts(self) -> frozenset[str]:
        """The names of the parts of the environment; empty for the graph of one package."""
        return frozenset(instance.id for instance in self.roots if instance.type == PART_TYPE)

    def address(self, id_: str) -> Address:
        """Return the address of an id of this graph."""
        return Address.parse(id_, self.parts)
