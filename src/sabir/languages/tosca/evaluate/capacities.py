"""What capabilities have left: requirements of 2.0 take a part of their properties (`allocation`)."""

from __future__ import annotations

import re
from typing import Any

from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.values import reveal_deep
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.model.requirements import Link
from sabir.languages.tosca.model.scalars import is_number
from sabir.languages.tosca.syntax.nodes import Written
from sabir.languages.tosca.syntax.scopes import Kind

__all__ = ["Capacities"]

_NUMBER = r"\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*(\S*)\s*"


class Capacities:
    """How much was taken of each property of each capability, of each instance apart."""

    def __init__(self, ensemble: Ensemble) -> None:
        self._ensemble = ensemble
        self._taken: dict[tuple[str, int, str, str], float] = {}

    def take(self, link: Link, position: int) -> bool:
        """Take what a requirement allocates from one instance of its target, when there is enough of everything."""
        target = self._ensemble.nodes.get(link.target or "")
        if target is None or link.capability is None or not link.assignment.allocation:
            return True
        after: dict[tuple[str, int, str, str], float] = {}
        for name, written in link.assignment.allocation.items():
            key = (target.name, position, link.capability, name)
            offered = self._worth(target, link.capability, name, None)
            wanted = self._worth(target, link.capability, name, written)
            if offered is None or wanted is None:
                continue  # the checks say what is wrong with it
            after[key] = self._taken.get(key, 0) + wanted
            if after[key] > offered:
                return False
        self._taken.update(after)
        return True

    def _worth(self, node: NodeInstance, capability: str, name: str, written: Written | None) -> float | None:
        """What a property of the capability is worth, or what is written for it."""
        part = node.capability(capability)
        if part is None:
            return None
        try:
            value = (
                part.get(name) if written is None else self._ensemble.assignment(written, None).value(node)
            )
        except QueryError:
            return None
        return self._number(node, capability, name, reveal_deep(value))

    def _number(self, node: NodeInstance, capability: str, name: str, value: Any) -> float | None:
        if is_number(value):
            return float(value)
        types = self._ensemble.model.types
        declared = node.flat.capabilities[capability].type if node.flat is not None else ""
        flat = types.find(Kind.CAPABILITY, declared)
        definition = None if flat is None else flat.properties.get(name)
        schema = None if definition is None else definition.schema
        data = None if schema is None else types.find(Kind.DATA, schema.name)
        if data is not None and data.scalar is not None:
            return data.scalar.in_base_unit(value)
        match = re.fullmatch(_NUMBER, value) if isinstance(value, str) else None
        return None if match is None else float(match[1])
