"""One instance of the graph."""

from __future__ import annotations

from typing import Any, cast

from msgspec import Struct

from sabir.graph.edges import PLAIN_EDGES, EdgeKinds
from sabir.graph.origin import Origin
from sabir.graph.record import EMPTY_RECORD, Record
from sabir.graph.values import Value

__all__ = ["Instance"]

_NOTHING = cast("Record[Any]", EMPTY_RECORD)


class Instance(Struct, frozen=True, eq=False, kw_only=True):
    """What a language evaluated: an object, an entity instance, a service, a node.

    `id` is unique in the graph and stable between runs; `name` is what people call it; `owner` the id of the instance
    it is part of. `relations` hold ids; `requires` the ids that must be there before this one.
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
    """Origins of attributes and relations, by name; share one record among the instances of a statement."""
    kinds: EdgeKinds = PLAIN_EDGES
    """What its edges mean: the one to its owner, and those of its relations."""
    library: bool = False
    """Made by a statement of a library and not of the package: views may leave it out unless something shown refers to it."""
