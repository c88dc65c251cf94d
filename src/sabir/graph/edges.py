"""What an edge of the graph means, whatever its language calls it.

A relation's name is the language's or the user's (`host`, `depends_on`); its kind is one of a closed set, so that who reads a
graph of several languages need not know their names. Instances of a type have the same kinds: they share one record of
them, which costs an instance one reference.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Final, cast

from msgspec import Struct

from sabir.graph.record import EMPTY_RECORD, Record


class EdgeKind(Enum):
    """The first six lead from an instance to its owner; `hosted-on` is also a kind of relation."""

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
    """The kinds of the edges that leave an instance: to its owner, and by the names of its relations."""

    owner: EdgeKind = EdgeKind.PART_OF
    relations: Record[EdgeKind] = cast("Record[EdgeKind]", EMPTY_RECORD)
    """Only those that are more than a relation."""

    def of_relation(self, name: str) -> EdgeKind:
        return self.relations.get(name, EdgeKind.RELATION)


PLAIN_EDGES: Final = EdgeKinds()
"""Part of its owner, and related to everything else: what holds where a language says no more."""


@lru_cache(maxsize=1024)
def edge_kinds(
    owner: EdgeKind = EdgeKind.PART_OF, relations: tuple[tuple[str, EdgeKind], ...] = ()
) -> EdgeKinds:
    """The shared record of these kinds."""
    special = {name: kind for name, kind in relations if kind is not EdgeKind.RELATION}
    if owner is EdgeKind.PART_OF and not special:
        return PLAIN_EDGES
    return EdgeKinds(owner, Record.of(special))
