"""Node filters: whether a template has the properties and capabilities that a requirement asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sabir.languages.tosca.model.constraints import constraint_holds
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.model.values import holds_expression
from sabir.languages.tosca.syntax.nodes import NodeTemplate, Written

__all__ = ["filter_holds", "passes"]


def passes(node_filter: Written, template: NodeTemplate, flat: FlatType | None) -> bool:
    """Whether a template of this type has what the filter asks for, as far as that is known without an evaluation."""
    wanted = node_filter.data
    if not isinstance(wanted, Mapping):
        return True
    defaults = {name: definition.default for name, definition in flat.properties.items()} if flat else {}
    values = {name: _data(written) for name, written in {**defaults, **template.properties}.items()}
    return filter_holds(wanted, values, lambda name: _capability(name, template, flat))


def filter_holds(
    wanted: Mapping[str, Any],
    properties: Mapping[str, Any],
    capability: Callable[[str], Mapping[str, Any] | None],
) -> bool:
    """Whether values pass a filter of 1.x; `capability` gives the properties of one, None when there is none of that name."""
    return _all_hold(wanted.get("properties"), properties) and all(
        _capability_passes(conditions, capability(name))
        for name, conditions in _pairs(wanted.get("capabilities"))
    )


def _capability_passes(conditions: Any, values: Mapping[str, Any] | None) -> bool:
    if values is None:
        return False
    return not isinstance(conditions, Mapping) or _all_hold(conditions.get("properties"), values)


def _capability(name: str, template: NodeTemplate, flat: FlatType | None) -> Mapping[str, Any] | None:
    """A filter names a capability of the node, or the type of one."""
    if flat is not None and name not in flat.capabilities:
        of_type = [key for key, capability in flat.capabilities.items() if capability.type == name]
        if not of_type:
            return None
        name = of_type[0]
    assigned = template.capabilities.get(name)
    return {key: _data(written) for key, written in assigned.properties.items()} if assigned else {}


def _data(written: Written | None) -> Any:
    return None if written is None else written.data


def _pairs(section: Any) -> Iterator[tuple[str, Any]]:
    """The entries of a map or of a list of maps."""
    for mapping in section if isinstance(section, list) else [section]:
        if isinstance(mapping, Mapping):
            yield from ((str(key), value) for key, value in mapping.items())


def _all_hold(section: Any, values: Mapping[str, Any]) -> bool:
    return all(_holds(conditions, values.get(name)) for name, conditions in _pairs(section))


def _holds(conditions: Any, value: Any) -> bool:
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
