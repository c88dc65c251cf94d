"""One instance of the graph."""

from __future__ import annotations

from typing import Any, Final, cast

from sabir.dataclasses import dataclass
from sabir.graph.origin import Origin
from sabir.graph.record import EMPTY_RECORD, Record
from sabir.graph.values import Value

__all__ = ["Instance"]

_NOTHING = cast("Record[Any]", EMPTY_RECORD)


# Not `frozen`, which makes building one three times as dear (2.1 µs against 0.6 µs, and there may be a million):
# `Final` has the type checkers keep it so.
@dataclass(slots=True, eq=False, kw_only=True)
class Instance:
    """What a language evaluated: an object, an entity instance, a service, a node.

    `id` is unique in the graph and stable between runs; `name` is what people call it; `owner` the id of the instance
    it is part of. `relations` hold ids; `requires` the ids that must be there before this one.
    """

    id: Final[str]
    type: Final[str]
    language: Final[str]
    name: Final[str]
    owner: Final[str | None] = None
    attributes: Final[Record[Value]] = _NOTHING
    relations: Final[Record[tuple[str, ...]]] = _NOTHING
    requires: Final[tuple[str, ...]] = ()
    status: Final[str | None] = None
    origin: Final[Origin | None] = None
    origins: Final[Record[Origin]] = _NOTHING
    """Origins of attributes and relations, by name; share one record among the instances of a statement."""
