"""Node filters: whether a template has the properties and capabilities that a requirement asks for.

Which templates could meet a requirement: by node type, by capability, by filter; in the order they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from sabir.languages.tosca.model.constraints import constraint_holds
from sabir.languages.tosca.model.types import FlatType, TypeTable
from sabir.languages.tosca.model.values import holds_expression
from sabir.languages.tosca.syntax.nodes import NodeTemplate, RequirementDefinition, SourceValue
from sabir.languages.tosca.syntax.scopes import TypeKind


def matches_filter(node_filter: SourceValue, template: NodeTemplate, flat: FlatType | None) -> bool:
    """Whether a template of this type has what the filter asks for, as far as that is known without an evaluation."""
    wanted = node_filter.data
    if not isinstance(wanted, Mapping):
        return True
    defaults = {name: definition.default for name, definition in flat.properties.items()} if flat else {}
    values = {name: _value_data(written) for name, written in {**defaults, **template.properties}.items()}
    return filter_holds(wanted, values, lambda name: _find_capability(name, template, flat))


def filter_holds(
    wanted: Mapping[str, Any],
    properties: Mapping[str, Any],
    capability: Callable[[str], Mapping[str, Any] | None],
) -> bool:
    """Whether values pass a filter of 1.x; `capability` gives the properties of one, None when there is none of that name."""
    return _all_hold(wanted.get("properties"), properties) and all(
        _capability_passes(conditions, capability(name))
        for name, conditions in _list_pairs(wanted.get("capabilities"))
    )


def _capability_passes(conditions: Any, values: Mapping[str, Any] | None) -> bool:
    if values is None:
        return False
    return not isinstance(conditions, Mapping) or _all_hold(conditions.get("properties"), values)


def _find_capability(name: str, template: NodeTemplate, flat: FlatType | None) -> Mapping[str, Any] | None:
    """A filter names a capability of the node, or the type of one."""
    if flat is not None and name not in flat.capabilities:
        of_type = [key for key, capability in flat.capabilities.items() if capability.type == name]
        if not of_type:
            return None
        name = of_type[0]
    assigned = template.capabilities.get(name)
    return {key: _value_data(written) for key, written in assigned.properties.items()} if assigned else {}


def _value_data(written: SourceValue | None) -> Any:
    return None if written is None else written.data


def _list_pairs(section: Any) -> Iterator[tuple[str, Any]]:
    """The entries of a map or of a list of maps."""
    for mapping in section if isinstance(section, list) else [section]:
        if isinstance(mapping, Mapping):
            yield from ((str(key), value) for key, value in mapping.items())


def _all_hold(section: Any, values: Mapping[str, Any]) -> bool:
    return all(_conditions_hold(conditions, values.get(name)) for name, conditions in _list_pairs(section))


def _conditions_hold(conditions: Any, value: Any) -> bool:
    if value is None:
        return False
    if holds_expression(value):
        # Only an evaluation can tell; until then the template stays a candidate.
        return True
    for condition in conditions if isinstance(conditions, list) else [conditions]:
        if isinstance(condition, Mapping):
            if not all(constraint_holds(name, argument, value) for name, argument in condition.items()):
                return False
        elif condition != value:
            return False
    return True


OLD_HOSTS: Final = frozenset({"tosca.capabilities.Container", "tosca.capabilities.Compute"})
"""1.0 to 1.2 hosted on Container what 1.3 hosts on Compute; templates mix the two."""

_Key = tuple[str | None, str | None, int]


class TemplateMatcher:
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
        definition = self._types.definition(TypeKind.NODE, type_name)
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
        if self._types.is_a(TypeKind.CAPABILITY, name, wanted):
            return True
        return wanted in OLD_HOSTS and self._types.is_a(
            TypeKind.CAPABILITY, name, "tosca.capabilities.Container"
        )

    def first(self, asking: str, candidates: Iterable[str], node_filter: SourceValue | None) -> str | None:
        """The first candidate, in the order written, that is not the asking one and passes the filter."""
        return next((name for name in candidates if name != asking and self._passes(name, node_filter)), None)

    def find_match(self, asking: str, definition: RequirementDefinition) -> str | None:
        """The template that meets a requirement which the asking one leaves out."""
        return next((name for name in self._find_candidates(definition) if name != asking), None)

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

    def _find_candidates(self, definition: RequirementDefinition) -> list[str]:
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

    def _passes(self, name: str, node_filter: SourceValue | None) -> bool:
        return node_filter is None or matches_filter(node_filter, self._nodes[name], self._flat.get(name))
