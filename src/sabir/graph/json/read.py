"""The reader of saved graphs.

The whole file is validated when it is loaded, with one pass of msgspec over each line. The content of an instance is
decoded only when it is first used (`sabir.graph.json.saved`). That second decoding must not fail any more, so
everything that could make it fail is checked here: values with a special meaning (`$…`), and nesting that is too deep
for the decoder's recursion.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, NoReturn, TypeVar

import msgspec

from sabir.diagnostics.decoding import UNDECODED, parse_decode_error
from sabir.errors import InputError
from sabir.graph.edges import EdgeKind
from sabir.graph.graph import Graph, Instance
from sabir.graph.json.saved import InternTable, SavedInstance, build_saved_instance, clear_content
from sabir.graph.json.values import FORMAT, decode_value, has_words, origins_of
from sabir.graph.origin import How
from sabir.interpreter import collector_paused

DEEPEST: Final = 1000


def refuse_deep(text: bytes) -> None:
    """Raise RecursionError when values are nested more deeply than any that sabir writes."""
    if text.count(b"[") + text.count(b"{") > DEEPEST and _measure_depth(text) > DEEPEST:
        raise RecursionError


def _measure_depth(text: bytes) -> int:
    depth = deepest = 0
    for bracket in _string_pattern().sub(b"", text).translate(None, _NO_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


@cache
def _string_pattern() -> re.Pattern[bytes]:
    return re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


_NO_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")


_EMPTY: Final = msgspec.Raw(b"{}")
_NESTED: Final = frozenset({dict, list})
_MOST_MISSES: Final = 100
_DEEP: Final = 32
"""A line with more brackets may be nested so deeply that decoding it later, deep inside other calls, could fail."""
T = TypeVar("T")


# The shape of a line, validated by the msgspec decoder, which is much faster than Python code. Only the fields that
# identify the instance are used. Error messages come from a second, slower decoding of the line that failed.
class _Origin(msgspec.Struct, gc=False):
    file: str
    line: int
    column: int
    how: How = How.LITERAL
    note: str | None = None
    sources: list[_Source] = []


class _Source(msgspec.Struct, gc=False):
    file: str | None = None
    line: int | None = None
    column: int | None = None
    how: How = How.LITERAL
    note: str | None = None
    sources: list[_Source] = []
    instance: str | None = None
    attribute: str | None = None

    def __post_init__(self) -> None:
        if self.instance is None and (self.file is None or self.line is None or self.column is None):
            raise ValueError("a source is an origin, or an instance and an attribute")


class _Kinds(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    owner: EdgeKind = EdgeKind.PART_OF
    relations: dict[str, EdgeKind] = {}


class _Line(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    id: str
    type: str
    language: str
    name: str
    owner: str | None = None
    attributes: dict[str, Any] = {}
    relations: dict[str, tuple[str, ...]] = {}
    requires: tuple[str, ...] = ()
    status: str | None = None
    origin: _Origin | None = None
    origins: dict[str, _Origin] = {}
    kinds: _Kinds | msgspec.UnsetType = msgspec.UNSET
    library: bool = False


class _FlatLine(_Line, gc=False):
    """The common case: a line whose values are all scalars, so that nothing needs a second check."""

    attributes: dict[str, str | int | float | bool | None] = {}


class _LooseLine(_Line):
    """A line without the shapes of its origins, for which sabir has better error messages than the decoder."""

    origin: Any = None
    origins: Any = {}


class _File(msgspec.Struct, forbid_unknown_fields=True):
    format: str
    instances: list[msgspec.Raw]
    outputs: msgspec.Raw = _EMPTY
    output_origins: msgspec.Raw = _EMPTY


def load_graph(data: bytes, *, name: str) -> Graph:
    """Load a saved graph; raise InputError with the file, the location and the reason when it is invalid."""
    with collector_paused():
        return _Reader(data, name).graph()


class _Reader:
    def __init__(self, data: bytes, name: str) -> None:
        self.data = data
        self.name = name
        self.shared = InternTable()

    def graph(self) -> Graph:
        file = self.decode(msgspec.json.Decoder(_File), self.data, "", 0)
        if file.format != FORMAT:
            self.fail(f"format {file.format!r} is not known here; this sabir reads {FORMAT!r}", 0)
        instances = self.instances(file.instances)
        at_outputs = max(self.data.rfind(b'"outputs"'), 0)
        try:
            refuse_deep(bytes(file.outputs))
            values = self.decode(msgspec.json.Decoder(dict[str, Any]), file.outputs, "outputs", at_outputs)
            outputs = {name: decode_value(value) for name, value in values.items()}
            output_origins = origins_of(msgspec.json.decode(file.output_origins), "output_origins")
        except (ValueError, RecursionError) as error:
            self.fail(f"outputs: {_describe_error(error)}", at_outputs)
        try:
            return Graph(instances, outputs=outputs, output_origins=output_origins)
        except ValueError:
            self.refuse_twice(file.instances, instances)

    def instances(self, lines: list[msgspec.Raw]) -> list[SavedInstance]:
        instances: list[SavedInstance] = []
        deep: list[SavedInstance] = []
        add, decode, shared = instances.append, msgspec.json.Decoder(_Line).decode, self.shared
        decode_flat = msgspec.json.Decoder(_FlatLine).decode
        misses = 0
        try:
            for line in lines:
                # Once many lines are not flat, the failed attempts cost more than the full check.
                if misses < _MOST_MISSES:
                    try:
                        add(build_saved_instance(decode_flat(line), line, shared))
                    except msgspec.ValidationError:
                        misses += 1
                    else:
                        continue
                head = decode(line)
                if not _NESTED.isdisjoint(map(type, head.attributes.values())):
                    text = bytes(line)
                    refuse_deep(text)
                    if has_words(text):
                        for value in head.attributes.values():
                            decode_value(value)
                    if text.count(b"[") + text.count(b"{") > _DEEP:
                        deep.append(build_saved_instance(head, line, shared))
                        add(deep[-1])
                        continue
                add(build_saved_instance(head, line, shared))
        except (ValueError, RecursionError) as error:  # the base class of msgspec's errors
            self.refuse(lines, len(instances), error)
        clear_content(instances)
        for instance in deep:
            try:
                instance.read()
            except (ValueError, RecursionError) as error:
                self.refuse(lines, instances.index(instance), error)
        return instances

    def refuse(self, lines: list[msgspec.Raw], index: int, error: Exception) -> NoReturn:
        """Report an invalid line; decode it again with the slower reader, which gives a more exact reason."""
        where, line = f"instances[{index}]", lines[index]
        offset = self.offset(line)
        head = self.decode(msgspec.json.Decoder(_LooseLine), line, where, offset)
        try:
            build_saved_instance(head, line, InternTable()).read()
        except (ValueError, RecursionError) as better:
            error = better
        self.fail(f"{where}: {_describe_error(error)}", offset)

    def refuse_twice(self, lines: list[msgspec.Raw], instances: Sequence[Instance]) -> NoReturn:
        seen: set[str] = set()
        for index, instance in enumerate(instances):
            if instance.id in seen:
                message = f"instances[{index}]: a second instance has the id {instance.id!r}"
                self.fail(message, self.offset(lines[index]))
            seen.add(instance.id)
        raise AssertionError("no id is there twice")

    def offset(self, line: msgspec.Raw) -> int:
        return max(self.data.find(bytes(line)), 0)

    def decode(self, decoder: msgspec.json.Decoder[T], data: Any, where: str, offset: int) -> T:
        """Decode data; report an error with its location and reason."""
        try:
            return decoder.decode(data)
        except UNDECODED as error:
            defect = parse_decode_error(error)
            if not defect.is_json:
                self.fail(defect.reason, len(self.data) if defect.byte is None else offset + defect.byte)
            path = f"{where}.{defect.path}" if where and defect.path else where or defect.path
            self.fail(f"{path}: {defect.reason}" if path else defect.reason, offset)

    def fail(self, reason: str, offset: int) -> NoReturn:
        line = self.data.count(b"\n", 0, offset) + 1
        column = offset - (self.data.rfind(b"\n", 0, offset) + 1) + 1
        raise InputError(f"{self.name}:{line}:{column}: not a saved graph: {reason}")


def _describe_error(error: BaseException) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
