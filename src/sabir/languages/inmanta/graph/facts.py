"""Facts: what handlers told about resources, as the state of an environment keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sabir.graph.address import Address
from sabir.graph.values import Value

__all__ = ["FACTS", "ID", "facts_of"]

ID: Final = "id"
"""The field with the id of a resource."""
FACTS: Final = "facts"
"""The result with what a handler found out about a resource; beside it stands its id."""


def facts_of(observed: Mapping[str, Value]) -> dict[tuple[str, str], str]:
    """What handlers found out in earlier deployments, by the ids of resources and the names of facts."""
    facts: dict[tuple[str, str], str] = {}
    for text, value in observed.items():
        address = Address.parse(text)
        if address.attribute == FACTS and isinstance(value, Mapping):
            resource = observed.get(str(address.of(ID)))
            facts.update({(str(resource), name): str(fact) for name, fact in value.items()})
    return facts
