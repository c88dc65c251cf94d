"""Kinds of edges: what an edge of the graph means, independent of the language.

The language or the user names a relation (`host`, `depends_on`). Its kind is one of a closed set, so that a reader of
a graph in several languages need not know these names. Instances of a type have the same kinds and share one record,
which costs an instance one reference.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Final, cast

from msgspec import Struct

from sabir.graph.record import EMPTY_RECORD, Record


class EdgeKind(Enum):
    """The kind of an edge.

    The first six lead from an instance to its owner; `hosted-on` is also a kind of relation.
    """

    PART_OF = "part-of"
    HOSTED_ON = "hosted-on"
    CAPABILITY_OF = "capability-of"
    REQUIREMENT_OF = "requirement-of"
    ARTIFACT_OF = "artifact-of"
    OPERATION_OF = "operation-of"
    RELATION = "relation"
    REQUIREMENT = "requirement"
    DEPENDS_ON = "depends-on"
    CONNECTS_TO = "connects-to"
    ATTACHES_TO = "attaches-to"
    USES = "uses"
    MADE_FROM = "made-from"


class EdgeKinds(Struct, frozen=True):
    """The kinds of the outgoing edges of an instance: to its owner, and by relation name."""

    owner: EdgeKind = EdgeKind.PART_OF
    relations: Record[EdgeKind] = cast("Record[EdgeKind]", EMPTY_RECORD)
    """Only relations with a kind other than `relation`."""

    def of_relation(self, name: str) -> EdgeKind:
        """Return the kind of a relation; `relation` where none was declared."""
        return self.relations.get(name, EdgeKind.RELATION)


PLAIN_EDGES: Final = EdgeKinds()
"""The default where a language declares no kinds: part of its owner, all relations plain."""


@lru_cache(maxsize=1024)
def edge_kinds(
    owner: EdgeKind = EdgeKind.PART_OF, relations: tuple[tuple[str, EdgeKind], ...] = ()
) -> EdgeKinds:
    """Return the shared record of these kinds; the same arguments give the same object."""
    special = {name: kind for name, kind in relations if kind is not EdgeKind.RELATION}
    if owner is EdgeKind.PART_OF and not special:
        return PLAIN_EDGES
    return EdgeKinds(owner, Record.of(special))
