"""Validation clauses of 2.0: functions of `$value`, nested in one another, that must come out true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sabir.expressions.patterns import PatternRefused
from sabir.expressions.query.functions.tosca2 import PURE
from sabir.languages.tosca.model.units import ScalarUnits

__all__ = ["clause_holds"]

# As they are called when a document has been read.
_READ: Final = frozenset(
    {"get_input", "get_property", "get_attribute", "get_artifact", "get_operation_output", "join", "token"}
)


class _Unknown(Exception):
    """Something that only an evaluation can tell."""


def clause_holds(clause: Mapping[str, Any], value: Any, units: ScalarUnits | None) -> bool:
    """Whether a value passes; what cannot be told without an evaluation passes.

    TypeError or ValueError when the value cannot be tested so.
    """
    try:
        return _computed(clause, value, units) is not False
    except _Unknown:
        return True
    except PatternRefused as error:
        raise ValueError(str(error)) from error


def _computed(raw: Any, value: Any, units: ScalarUnits | None) -> Any:
    if raw == "$value":
        return _worth(value, units)
    if isinstance(raw, list):
        return [_computed(item, value, units) for item in raw]
    if not isinstance(raw, Mapping) or len(raw) != 1:
        return _worth(raw, units)
    ((name, argument),) = raw.items()
    if name in _READ:
        raise _Unknown
    if not isinstance(name, str) or not name.startswith("$"):
        return raw
    if name == "$value":
        return _into(value, argument)
    function = PURE.get(name[1:])
    count = len(argument) if isinstance(argument, list) else 1
    if function is None or count < function.least or (function.most is not None and count > function.most):
        raise _Unknown  # of a wrong number of arguments the check of the clause itself speaks
    return function(
        [_computed(item, value, units) for item in argument] if isinstance(argument, list) else [argument]
    )


def _into(value: Any, path: Any) -> Any:
    for key in path if isinstance(path, list) else [path]:
        try:
            value = value[key]
        except (LookupError, TypeError):
            raise _Unknown from None
    return value


def _worth(value: Any, units: ScalarUnits | None) -> Any:
    """A scalar in its base unit, so that 1 kg is more than 10 g."""
    size = None if units is None else units.in_base_unit(value)
    return value if size is None else size
