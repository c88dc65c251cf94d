"""Why a path matches nothing: the first segment that does, and the name that may have been meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import FindingError
from sabir.expressions.query import Resource, evaluate
from sabir.expressions.query.syntax import Empty, Name, parse

__all__ = ["unmatched"]


def unmatched(expression: Any, start: Resource, variables: Mapping[str, Any]) -> str | None:
    """One sentence on where the path ends, or None when there is nothing to add to \"no match\"."""
    if isinstance(expression, dict):
        expression = expression.get("eval")
    if not isinstance(expression, str):
        return None
    try:
        path = parse(expression)
    except FindingError:
        return None
    before: list[Any] = [start]
    reached = ""
    for segment in path.segments:
        if isinstance(segment.key, Empty) and not reached:
            before = [start.root.all()]
            continue
        text = path.source.text[: segment.span.end]
        try:
            values = list(evaluate(text, start, variables).values)
        except FindingError:
            return None
        if not values:
            return _missing(segment.key, reached, before)
        before, reached = values, text
    return None


def _missing(key: object, reached: str, before: Iterable[Any]) -> str | None:
    if not isinstance(key, Name):
        return None
    keys = _keys(before)
    where = f"{reached!r} has" if reached else "there is"
    if key.text in keys:
        return f"{where} {key.text!r}, but the filters let nothing through"
    near = did_you_mean(key.text, keys)
    return f"{where} no {key.text!r}" + (f": {near}" if near else "")


def _keys(values: Iterable[Any]) -> set[str]:
    keys: set[str] = set()
    for value in values:
        if isinstance(value, Resource):
            keys.update(value.keys())
        elif isinstance(value, Mapping):
            keys.update(str(key) for key in value)
        elif isinstance(value, list | tuple):
            keys |= _keys(value)
    return keys
