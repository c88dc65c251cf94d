"""Scalars of TOSCA 2.0: a number and a unit, whose multiplier brings the number to the base unit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from sabir.languages.tosca.model.scalars import is_number
from sabir.languages.tosca.syntax.nodes import ScalarDefinition, Schema, TypeDefinition

__all__ = ["ScalarUnits", "multipliers", "scalar_units"]

_NUMBER = r"\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*(\S.*?)\s*"


class ScalarUnits(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """What a scalar type and those it derives from say together."""

    units: Mapping[str, float]
    prefixes: Mapping[str, float]
    canonical_unit: str | None
    data_type: Schema | None

    @cached_property
    def multipliers(self) -> Mapping[str, float]:
        """Every way to write a unit: prefixes stand before the one unit that there is then."""
        if not self.prefixes:
            return self.units
        return {
            prefix + unit: size * factor
            for unit, size in self.units.items()
            for prefix, factor in self.prefixes.items()
        }

    @property
    def canonical(self) -> str | None:
        """The unit to give values in: the one that is named, else the one whose multiplier is 1."""
        if self.canonical_unit is not None:
            return self.canonical_unit
        return next((unit for unit, size in self.multipliers.items() if size == 1), None)

    def parts(self, value: Any) -> tuple[str, str] | None:
        """The number, as it is written, and the unit; None when the value is not such a scalar."""
        match = re.fullmatch(_NUMBER, value) if isinstance(value, str) else None
        if match is None or match[2] not in self.multipliers:
            return None
        return match[1], match[2]

    def in_base_unit(self, value: Any) -> float | None:
        """What a value is worth, to be compared with others."""
        parts = self.parts(value)
        return None if parts is None else float(parts[0]) * self.multipliers[parts[1]]


def multipliers(data: Any) -> dict[str, float]:
    """The entries of a map of units or prefixes that are numbers."""
    if not isinstance(data, Mapping):
        return {}
    return {"" if name is None else str(name): float(size) for name, size in data.items() if is_number(size)}


def scalar_units(chain: Iterable[TypeDefinition]) -> ScalarUnits:
    """Of a type and its ancestors, nearest first: units and prefixes are added, the rest is said once."""
    definitions = [type_.scalar for type_ in chain if type_.scalar is not None]
    units: dict[str, float] = {}
    prefixes: dict[str, float] = {}
    for definition in reversed(definitions):
        units.update(multipliers(definition.units.data if definition.units is not None else None))
        prefixes.update(multipliers(definition.prefixes.data if definition.prefixes is not None else None))
    return ScalarUnits(
        units=units,
        prefixes=prefixes,
        canonical_unit=next(filter(None, map(_canonical, definitions)), None),
        data_type=next((found.data_type for found in definitions if found.data_type is not None), None),
    )


def _canonical(definition: ScalarDefinition) -> str | None:
    written = definition.canonical_unit
    return None if written is None else str(written.data)
