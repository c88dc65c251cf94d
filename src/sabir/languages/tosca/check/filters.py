"""Node filters: whether a template has the properties and capabilities that a requirement asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sabir.languages.tosca.check.values import constraint_check, holds_expression
from sabir.languages.tosca.syntax.nodes import NodeTemplate, Written

if TYPE_CHECKING:
    from sabir.languages.tosca.check.model import Model

__all__ = ["passes"]


def passes(node_filter: Written, template: NodeTemplate, model: Model) -> bool:
    wanted = node_filter.data
    if not isinstance(wanted, Mapping):
        return True
    flat = model.flat.get(template.name)
    defaults = {name: one.default for name, one in flat.properties.items()} if flat else {}
    own = {**defaults, **template.properties}
    if not _all_hold(wanted.get("properties"), {name: _data(one) for name, one in own.items()}):
        return False
    for name, inner in _pairs(wanted.get("capabilities")):
        assigned = template.capabilities.get(name)
        if flat is not None and name not in flat.capabilities:
            named = [key for key, one in flat.capabilities.items() if one.type == name]
            if not named:
                return False
            assigned = template.capabilities.get(named[0])
        values = {key: _data(one) for key, one in assigned.properties.items()} if assigned else {}
        if isinstance(inner, Mapping) and not _all_hold(inner.get("properties"), values):
            return False
    return True


def _data(written: Written | None) -> Any:
    return None if written is None else written.data


def _pairs(section: Any) -> Iterator[tuple[str, Any]]:
    """The entries of a map or of a list of maps."""
    for one in section if isinstance(section, list) else [section]:
        if isinstance(one, Mapping):
            yield from ((str(key), value) for key, value in one.items())


def _all_hold(section: Any, values: Mapping[str, Any]) -> bool:
    for name, conditions in _pairs(section):
        value = values.get(name)
        if value is None:
            return False
        if holds_expression(value):
            continue
        for condition in conditions if isinstance(conditions, list) else [conditions]:
            if isinstance(condition, Mapping):
                if not all(
                    constraint_check(operator, argument, value) for operator, argument in condition.items()
                ):
                    return False
            elif condition != value:
                return False
    return True
