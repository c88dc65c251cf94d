"""Comparing a value with what the object model of the last run holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sabir.languages.muranopl.model.objects import MuranoObject

__all__ = ["same_value"]


def same_value(value: Any, written: Any) -> bool:
    """Whether a value is what the model says; an object is compared by its id."""
    if isinstance(value, MuranoObject):
        if isinstance(written, Mapping):
            header = written.get("?")
            return isinstance(header, Mapping) and header.get("id") == value.id
        return bool(written == value.id)
    if isinstance(value, list) and isinstance(written, list):
        return len(value) == len(written) and all(map(same_value, value, written))
    if isinstance(value, Mapping) and isinstance(written, Mapping):
        return value.keys() == written.keys() and all(same_value(value[key], written[key]) for key in value)
    return bool(value == written)
