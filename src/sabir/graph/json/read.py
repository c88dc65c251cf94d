"""The reader. Origins and keys that many instances share are read once and shared again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NoReturn, TypeVar

import msgspec

from sabir.errors import UnusableInput
from sabir.graph.graph import Graph
from sabir.graph.instance import Instance
from sabir.graph.json.values import FORMAT, decoded
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.record import Layout, Record
from sabir.graph.values import Value
from sabir.source.collector import collector_paused
from sabir.source.text import Location

__all__ = ["load"]

_NONE: Final = msgspec.Raw(b"null")
_EMPTY: Final = msgspec.Raw(b"{}")
_NESTED: Final = frozenset({dict, list})
T = TypeVar("T")


class _Row(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    type: str
    language: str
    name: str
    owner: str | None = None
    attributes: dict[str, Any] = {}
    relations: dict[str, tuple[str, ...]] = {}
    requires: tuple[str, ...] = ()
    status: str | None = None
    origin: msgspec.Raw = _NONE
    origins: msgspec.Raw = _EMPTY


class _File(msgspec.Struct, forbid_unknown_fields=True):
    format: str
    instances: list[msgspec.Raw]
    outputs: dict[str, Any] = {}
    output_origins: msgspec.Raw = _EMPTY


def load(data: bytes, *, name: str) -> Graph:
    """The graph that was saved. UnusableInput names the file and the place of what is wrong with it."""
    with collector_paused():
        return _Reader(data, name).graph()


class _Layouts(dict[tuple[str, ...], Layout]):
    """Layouts by their keys."""

    def __missing__(self, keys: tuple[str, ...]) -> Layout:
        self[keys] = layout = Layout(keys)
        return layout


class _Reader:
    def __init__(self, data: bytes, name: str) -> None:
        self.data = data
        self.name = name
        self.words: dict[str, str] = {}
        self.origins: dict[bytes, Record[Origin]] = {}
        self.origin: dict[bytes, Origin | None] = {}
        self.layout = _Layouts().__getitem__

    def graph(self) -> Graph:
        file = self.decode(msgspec.json.Decoder(_File), self.data, "", 0)
        if file.format != FORMAT:
            self.fail(f"format {file.format!r} is not known here; this sabir reads {FORMAT!r}", 0)
        instances = self.instances(file.instances)
        try:
            outputs = {name: decoded(one) for name, one in file.outputs.items()}
            output_origins = self.origin_record(bytes(file.output_origins), "output_origins")
        except (ValueError, RecursionError) as error:
            self.fail(f"outputs: {_reason(error)}", max(self.data.rfind(b'"outputs"'), 0))
        return Graph(instances, outputs=outputs, output_origins=output_origins)

    def instances(self, raws: list[msgspec.Raw]) -> Iterable[Instance]:
        # One long loop with its names at hand: calls here would cost as much as the work (measured: 8.5 → 5 µs each).
        seen: dict[str, Instance] = {}
        decode, share, layout = msgspec.json.Decoder(_Row).decode, self.words.setdefault, self.layout
        index = -1
        try:
            for index, raw in enumerate(raws):  # noqa: B007 -- the handler below names it
                row = decode(raw)
                attributes, relations = row.attributes, row.relations
                values: Iterable[Value] = attributes.values()
                if not _NESTED.isdisjoint(map(type, values)):
                    values = [decoded(one) for one in values]
                targets = [tuple(map(share, ids, ids)) for ids in relations.values()]
                origin, origins = bytes(row.origin), bytes(row.origins)
                id_ = share(row.id, row.id)
                one = Instance(
                    id=id_,
                    type=share(row.type, row.type),
                    language=share(row.language, row.language),
                    name=row.name,
                    owner=None if row.owner is None else share(row.owner, row.owner),
                    attributes=Record(layout(tuple(attributes)), tuple(values)),
                    relations=Record(layout(tuple(relations)), tuple(targets)),
                    requires=tuple(map(share, row.requires, row.requires)) if row.requires else (),
                    status=None if row.status is None else share(row.status, row.status),
                    origin=self.origin[origin] if origin in self.origin else self.one_origin(origin),
                    origins=self.origins.get(origins) or self.origin_record(origins, "origins"),
                )
                if seen.setdefault(id_, one) is not one:
                    raise ValueError(f"a second instance has the id {id_!r}")
        except (ValueError, RecursionError) as error:  # of which msgspec's errors are kinds
            where = f"instances[{index}]"
            offset = max(self.data.find(bytes(raws[index])), 0)
            self.decode(msgspec.json.Decoder(_Row), raws[index], where, offset)
            self.fail(f"{where}: {_reason(error)}", offset)
        return seen.values()

    def one_origin(self, raw: bytes) -> Origin | None:
        data = msgspec.json.decode(raw)
        self.origin[raw] = origin = None if data is None else _origin(data, "origin")
        return origin

    def origin_record(self, raw: bytes, what: str) -> Record[Origin]:
        data = msgspec.json.decode(raw)
        if not isinstance(data, dict):
            raise ValueError(f"{what} must be an object")
        record = Record.of({name: _origin(one, f"{what}.{name}") for name, one in data.items()})
        self.origins[raw] = record
        return record

    def decode(self, decoder: msgspec.json.Decoder[T], data: Any, where: str, offset: int) -> T:
        """Decode, and turn what goes wrong into a place and a reason."""
        try:
            return decoder.decode(data)
        except msgspec.ValidationError as error:
            reason, _, path = str(error).partition(" - at `$")
            path = where + path.rstrip("`")
            self.fail(f"{path.lstrip('.')}: {reason}" if path else reason, offset)
        except msgspec.DecodeError as error:
            reason, _, byte = str(error).rstrip(")").partition(" (byte ")
            self.fail(reason, offset + int(byte) if byte.isdigit() else len(self.data))
        except UnicodeDecodeError as error:
            self.fail("not UTF-8 text", offset + error.start)
        except RecursionError:
            self.fail("nested too deeply", offset)

    def fail(self, reason: str, offset: int) -> NoReturn:
        line = self.data.count(b"\n", 0, offset) + 1
        column = offset - (self.data.rfind(b"\n", 0, offset) + 1) + 1
        raise UnusableInput(f"{self.name}:{line}:{column}: not a saved graph: {reason}")


def _reason(error: BaseException) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def _origin(data: Any, where: str) -> Origin:
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
    return Origin(Location(file, line, column), how, tuple(_source(one, where) for one in sources), note)


def _source(data: Any, where: str) -> Origin | AttributeRead:
    if isinstance(data, dict) and "instance" in data:
        instance, attribute = data["instance"], data.get("attribute")
        if not (isinstance(instance, str) and (attribute is None or isinstance(attribute, str))):
            raise ValueError(f"{where}.sources: an instance and an attribute must be named by strings")
        return AttributeRead(instance, attribute)
    return _origin(data, f"{where}.sources")
