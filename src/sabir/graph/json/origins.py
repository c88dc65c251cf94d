"""Origins of a saved graph: read from plain data, with a reason when they are none."""

from __future__ import annotations

from typing import Any

from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.record import Record
from sabir.text import Location

__all__ = ["origin_of", "origins_of"]


def origins_of(data: Any, where: str) -> Record[Origin]:
    """Origins by the names of what they made."""
    if not isinstance(data, dict):
        raise ValueError(f"{where} must be an object")
    return Record.of({name: origin_of(item, f"{where}.{name}") for name, item in data.items()})


def origin_of(data: Any, where: str) -> Origin:
    if not isinstance(data, dict):
        raise ValueError(f"{where} must be an object")
    file, line, column = (data.get(key) for key in ("file", "line", "column"))
    if not (isinstance(file, str) and isinstance(line, int) and isinstance(column, int)):
        raise ValueError(f"{where} must have a file, a line and a column")
    try:
        how = How(data.get("how", How.LITERAL.value))
    except ValueError:
        raise ValueError(f"{where}: {data['how']!r} is no way in which a value is made") from None
    note = data.get("note")
    if not (note is None or isinstance(note, str)):
        raise ValueError(f"{where}.note must be a string")
    sources = data.get("sources", ())
    if not isinstance(sources, list | tuple):
        raise ValueError(f"{where}.sources must be a list")
    return Origin(
        Location(file, line, column), how, tuple(_source(source, where) for source in sources), note
    )


def _source(data: Any, where: str) -> Origin | AttributeRead:
    if isinstance(data, dict) and data.get("instance") is not None:
        instance, attribute = data["instance"], data.get("attribute")
        if not (isinstance(instance, str) and (attribute is None or isinstance(attribute, str))):
            raise ValueError(f"{where}.sources: an instance and an attribute must be named by strings")
        return AttributeRead(instance, attribute)
    return origin_of(data, f"{where}.sources")
