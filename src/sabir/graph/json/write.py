"""The writer of graphs: it yields bytes in chunks, so that a large graph never exists as one string."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from sabir.graph.edges import PLAIN_EDGES, EdgeKind, EdgeKinds
from sabir.graph.graph import Graph, Instance
from sabir.graph.json.values import FORMAT, PLAIN, encode_value
from sabir.graph.origin import AttributeRead, Origin
from sabir.graph.record import Record
from sabir.graph.values import Value
from sabir.text import escape_json_bytes

_PIECE: Final = 1 << 16
_MOST_STEPS: Final = 1000
"""Maximum number of provenance steps written for one origin; `sabir why` follows all of them."""
_DEEPEST: Final = 200
"""Maximum depth of written provenance: deeper steps are dropped, before writers and readers exceed their recursion
limits.
"""


class _Row(msgspec.Struct):
    id: str
    type: str
    language: str
    name: str
    owner: str | None
    attributes: dict[str, Any]
    relations: dict[str, tuple[str, ...]]
    requires: tuple[str, ...]
    status: str | None
    origin: Any
    origins: Any
    kinds: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    library: bool | msgspec.UnsetType = msgspec.UNSET


def graph_chunks(graph: Graph, *, reveal: bool = False) -> Iterator[bytes]:
    """Yield the graph as JSON, one instance per line. Sensitive values are written only if `reveal` is set."""
    encode = msgspec.json.Encoder().encode
    # By identity: origins are shared, and the graph keeps them alive.
    texts: dict[int | tuple[int, int], msgspec.Raw] = {}

    def origin(instance: Instance) -> msgspec.Raw | None:
        if instance.origin is None:
            return None
        text = texts.get(id(instance.origin))
        if text is None:
            text = texts[id(instance.origin)] = msgspec.Raw(
                _encode_json(encode, origin_data(instance.origin))
            )
        return text

    def origins(instance: Instance) -> msgspec.Raw:
        key = (id(instance.origins), id(instance.origin))
        text = texts.get(key)
        if text is None:
            text = texts[key] = msgspec.Raw(_encode_json(encode, _own_origins(instance)))
        return text

    buffer = bytearray(b'{"format":"%s",\n"instances":[' % FORMAT.encode())
    separator = b"\n"
    for instance in graph:
        buffer += separator
        buffer += _encode_json(
            encode, _build_row(instance, origin(instance), origins(instance), reveal=reveal)
        )
        separator = b",\n"
        if len(buffer) >= _PIECE:
            yield escape_json_bytes(buffer)
            buffer.clear()
    buffer += b'],\n"outputs":' + _encode_json(encode, _encode_values(graph.outputs, reveal=reveal))
    if graph.output_origins:
        buffer += b',\n"output_origins":' + _encode_json(encode, _origins_data(graph.output_origins))
    buffer += b"}\n"
    yield escape_json_bytes(buffer)


def instance_data(instance: Instance, *, reveal: bool = False) -> dict[str, Any]:
    """Return an instance as plain data, with the keys in the order of the JSON form."""
    origin = None if instance.origin is None else origin_data(instance.origin)
    data: dict[str, Any] = msgspec.to_builtins(
        _build_row(instance, origin, _own_origins(instance), reveal=reveal)
    )
    return data


def _build_row(instance: Instance, origin: Any, origins: Any, *, reveal: bool) -> _Row:
    return _Row(
        instance.id,
        instance.type,
        instance.language,
        instance.name,
        instance.owner,
        _encode_values(instance.attributes, reveal=reveal),
        dict(zip(instance.relations.layout.keys, instance.relations.row, strict=True)),
        instance.requires,
        instance.status,
        origin,
        origins,
        msgspec.UNSET if instance.kinds is PLAIN_EDGES else _kinds_data(instance.kinds),
        instance.library or msgspec.UNSET,
    )


def _kinds_data(kinds: EdgeKinds) -> dict[str, Any] | msgspec.UnsetType:
    """Return the edge kinds that differ from the default; UNSET when none does."""
    data: dict[str, Any] = {}
    if kinds.owner is not EdgeKind.PART_OF:
        data["owner"] = kinds.owner.value
    if kinds.relations:
        data["relations"] = {name: kind.value for name, kind in kinds.relations.items()}
    return data or msgspec.UNSET


def _encode_values(values: Mapping[str, Value], *, reveal: bool) -> dict[str, Any]:
    if isinstance(values, Record):
        # Attribute names are the user's: a leading `$` needs no escape here, because only names can occur in this
        # position.
        return {
            key: value
            if type(value) in PLAIN or (type(value) is int and -(2**63) <= value < 2**63)
            else encode_value(value, reveal=reveal)
            for key, value in zip(values.layout.keys, values.row, strict=True)
        }
    return {key: encode_value(value, reveal=reveal) for key, value in values.items()}


def origin_data(origin: Origin) -> dict[str, Any]:
    """Return an origin and its sources as plain data. A repeated step is written without its own sources."""
    return _origin_data(origin, set(), 1)


def _origin_data(origin: Origin, seen: set[int], depth: int) -> dict[str, Any]:
    location = origin.location
    data: dict[str, Any] = {
        "file": location.file,
        "line": location.line,
        "column": location.column,
        "how": origin.how.value,
    }
    if origin.note is not None:
        data["note"] = origin.note
    if origin.sources and depth < _DEEPEST and id(origin) not in seen and len(seen) < _MOST_STEPS:
        seen.add(id(origin))
        data["sources"] = [
            {"instance": source.instance, "attribute": source.attribute}
            if isinstance(source, AttributeRead)
            else _origin_data(source, seen, depth + 1)
            for source in origin.sources
        ]
    return data


def _own_origins(instance: Instance) -> dict[str, Any]:
    """Return the origins that differ from the instance's origin; a missing origin means the same one."""
    return {
        name: origin_data(origin)
        for name, origin in instance.origins.items()
        if origin is not instance.origin
    }


def _origins_data(origins: Mapping[str, Origin]) -> dict[str, Any]:
    return {name: origin_data(origin) for name, origin in origins.items()}


def _encode_json(encode: Any, data: Any) -> bytes:
    try:
        text: bytes = encode(data)
    except UnicodeEncodeError:
        # A lone surrogate (YAML can write one) cannot be encoded in UTF-8; write the replacement character instead.
        text = encode(_without_surrogates(data))
    return text


def _without_surrogates(data: Any) -> Any:
    match data:
        case str():
            return data.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case _Row():
            fields = msgspec.structs.asdict(data)
            return _without_surrogates(
                {key: item for key, item in fields.items() if item is not msgspec.UNSET}
            )
        case dict():
            return {_without_surrogates(key): _without_surrogates(item) for key, item in data.items()}
        case list() | tuple():
            return [_without_surrogates(item) for item in data]
        case _:
            return data
