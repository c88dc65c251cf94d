"""Which templates could meet a requirement: by node type, by capability, by filter; in the order they are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from sabir.languages.tosca.model.filters import passes
from sabir.languages.tosca.model.types import FlatType, TypeTable
from sabir.languages.tosca.syntax.nodes import NodeTemplate, RequirementDefinition, Written
from sabir.languages.tosca.syntax.scopes import Kind

__all__ = ["OLD_HOSTS", "Matching"]

OLD_HOSTS: Final = frozenset({"tosca.capabilities.Container", "tosca.capabilities.Compute"})
"""1.0 to 1.2 hosted on Container what 1.3 hosts on Compute; templates mix the two."""

_Key = tuple[str | None, str | None, int]


class Matching:
    """The templates of a topology as candidates; what was found for a requirement of a type serves all its templates."""

    def __init__(
        self, types: TypeTable, nodes: Mapping[str, NodeTemplate], flat: Mapping[str, FlatType | None]
    ) -> None:
        self._types = types
        self._nodes = nodes
        self._flat = flat
        self._by_type: dict[str, list[str]] | None = None
        self._candidates: dict[_Key, list[str]] = {}
        self._capabilities: dict[tuple[int, str], list[str]] = {}
        """Of a type, those of a wanted type."""

    def of_type(self, type_name: str) -> list[str]:
        """The templates of a node type or of one that derives from it."""
        if self._by_type is None:
            self._by_type = {}
            for name, flat in self._flat.items():
                for ancestor in flat.names if flat is not None else (self._nodes[name].type,):
                    self._by_type.setdefault(ancestor, []).append(name)
        definition = self._types.definition(Kind.NODE, type_name)
        return self._by_type.get(definition.name if definition is not None else type_name, [])

    def with_capability(self, wanted: str) -> list[str]:
        """The templates that have a capability of a type (or name)."""
        return [
            name
            for name, flat in self._flat.items()
            if flat is not None
            and any(
                key == wanted or self.is_capability(capability.type, wanted)
                for key, capability in flat.capabilities.items()
            )
        ]

    def is_capability(self, name: str, wanted: str) -> bool:
        if self._types.is_a(Kind.CAPABILITY, name, wanted):
            return True
        return wanted in OLD_HOSTS and self._types.is_a(Kind.CAPABILITY, name, "tosca.capabilities.Container")

    def first(self, asking: str, candidates: Iterable[str], node_filter: Written | None) -> str | None:
        """The first candidate, in the order written, that is not the asking one and passes the filter."""
        return next((name for name in candidates if name != asking and self._passes(name, node_filter)), None)

    def meeting(self, asking: str, definition: RequirementDefinition) -> str | None:
        """The template that meets a requirement which the asking one leaves out."""
        return next((name for name in self._suited(definition) if name != asking), None)

    def capability(self, target: str, wanted: str | None, preferred: str) -> str | None:
        """The capability of a template that is of the wanted type: the one of the preferred name, else the first."""
        flat = self._flat.get(target)
        if flat is None or wanted is None:
            return None
        suited = self._capabilities.get((id(flat), wanted))
        if suited is None:
            suited = self._capabilities[id(flat), wanted] = [
                name
                for name, capability in flat.capabilities.items()
                if self.is_capability(capability.type, wanted)
            ]
        return preferred if preferred in suited else next(iter(suited), None)

    def _suited(self, definition: RequirementDefinition) -> list[str]:
        """Two candidates are enough: the second serves the first, which does not meet its own requirement."""
        key = (definition.node, definition.capability, id(definition.node_filter))
        suited = self._candidates.get(key)
        if suited is not None:
            return suited
        suited = self._candidates[key] = []
        wanted = definition.capability
        if definition.node is not None:
            names = self.of_type(definition.node)
        else:
            names = self.with_capability(wanted) if wanted is not None else []
        for name in names:
            if wanted is not None and self.capability(name, wanted, definition.name) is None:
                continue
            if self._passes(name, definition.node_filter):
                suited.append(name)
                if len(suited) == 2:
                    break
        return suited

    def _passes(self, name: str, node_filter: Written | None) -> bool:
        return node_filter is None or passes(node_filter, self._nodes[name], self._flat.get(name))
