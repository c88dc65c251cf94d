"""Values of expressions as the graph and deployments have them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from enum import Enum
from typing import Any, Final

from sabir.expressions.query.resource import Artifact, Resource
from sabir.expressions.query.values import External
from sabir.graph.values import Ref, Sensitive, Unknown, Value
from sabir.languages.tosca.graph.addresses import id_of

__all__ = ["plain_value", "written_value"]

_SCALARS: Final = (str, int, float, bool, bytes, type(None))


def plain_value(value: Any) -> Value:
    """The value without anything that only lives while expressions are computed."""
    if type(value) in _SCALARS or isinstance(value, date | Unknown):
        return value  # type: ignore[no-any-return]
    if isinstance(value, Sensitive):
        return Sensitive(plain_value(value.value))
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, Resource):
        return Ref(id_of(value))
    if isinstance(value, Artifact):
        return value.location
    if isinstance(value, External):
        return plain_value(value.result())
    if isinstance(value, Mapping):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    return str(value)


def written_value(data: Any) -> Value:
    """What a description says, as it is written: expressions are not computed."""
    if isinstance(data, Mapping):
        return {str(key): written_value(item) for key, item in data.items()}
    return [written_value(item) for item in data] if isinstance(data, list) else data
