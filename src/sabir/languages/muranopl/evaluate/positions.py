"""Locations of the parts of an object model that was read from a file.

Storing the locations of a large JSON model would take longer than loading it. Its text is therefore read
without them. When a failure needs one, the path to that part is searched in the data and followed in the
text. Everything next to the path is skipped by the decoder of the standard library, which takes about a
second for ten megabytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from json import JSONDecoder
from json.decoder import scanstring  # type: ignore[attr-defined]  # not in the stubs, but part of the module since 3.0
from typing import Any, Final

from sabir.lazy import lazy_pattern
from sabir.source.yaml import YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import Place, Source, Span

step_pattern: Final = lazy_pattern(r"\[(?:(\d+)|'((?:[^'\\]|\\.)*)')\]")
"""One step of the path of a contract violation: `[0]` or `['key']`."""


class ModelPositions:
    """The YAML node of every mapping of the data, by identity; the data must outlive this object."""

    is_late = False
    """True when an answer costs a walk through the text, so that only failures should ask."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.nodes: dict[int, YamlMapping] = {}

    def of(self, raw: Mapping[Any, Any]) -> Place | None:
        node = self.nodes.get(id(raw))
        return None if node is None else Place(self.source, Span(node.span.start, node.span.start + 1))

    def of_key(self, raw: Mapping[Any, Any], key: Any) -> Place:
        node = self.nodes.get(id(raw))
        for entry in node.entries if node else ():
            if isinstance(entry.key, YamlScalar) and entry.key.value == key:
                return Place(self.source, entry.key.span)
        return Place(self.source, Span(0, 0))

    def of_header(self, raw: Mapping[Any, Any], key: str) -> Place | None:
        """Return the header of an object, or the value of one of its entries."""
        header = raw.get("?")
        node = self.nodes.get(id(header)) if isinstance(header, Mapping) else None
        if node is None:
            return self.of(raw)
        entry = node.entry(key) if key else None
        if entry is not None:
            return Place(self.source, entry.value.span)
        start = self.of_key(raw, "?").span.start
        return Place(self.source, Span(start, node.span.end))

    def of_value(self, raw: Mapping[Any, Any], key: str, path: str = "") -> Place | None:
        """Return the location of the value of a property, or of a part of it: `[0]['ports']`."""
        node: YamlNode | None = self.nodes.get(id(raw))
        if not isinstance(node, YamlMapping) or (entry := node.entry(key)) is None:
            return None
        node = entry.value
        for index, name in step_pattern().findall(path):
            inner = _find_child(node, index, name)
            if inner is None:
                break
            node = inner
        return Place(self.source, node.span)

    def parts_of_value(self, raw: Mapping[Any, Any], key: str) -> list[Place]:
        """Return the headers of the objects that the value of a property contains inline, and its other values.

        The result is empty if the value contains no object.
        """
        node = self.nodes.get(id(raw))
        entry = None if node is None else node.entry(key)
        parts = [] if entry is None else list(_find_part_spans(entry.value))
        return (
            [Place(self.source, span) for span, _ in parts]
            if any(is_object for _, is_object in parts)
            else []
        )


def _find_part_spans(node: YamlNode) -> Iterator[tuple[Span, bool]]:
    """Return the spans of headers, and of values that contain no object."""
    if isinstance(node, YamlMapping):
        header = node.entry("?")
        if header is not None:
            yield Span(header.key.span.start, header.value.span.end), True
            return
    inner: Sequence[YamlNode] = ()
    if isinstance(node, YamlMapping):
        inner = [entry.value for entry in node.entries]
    elif isinstance(node, YamlSequence):
        inner = node.items
    if not inner:
        yield node.span, False
    for item in inner:
        yield from _find_part_spans(item)


def _find_child(node: YamlNode, index: str, name: str) -> YamlNode | None:
    if index and isinstance(node, YamlSequence) and int(index) < len(node.items):
        return node.items[int(index)]
    if isinstance(node, YamlMapping):
        return node.get(name)
    return None


def read_placed(source: Source, node: YamlNode) -> tuple[Any, ModelPositions]:
    """Return the data of a node, with the locations of its mappings."""
    positions = ModelPositions(source)
    return _build_data(node, positions), positions


def _build_data(node: YamlNode, positions: ModelPositions) -> Any:
    if isinstance(node, YamlScalar):
        return node.value
    if isinstance(node, YamlSequence):
        return [_build_data(item, positions) for item in node.items]
    mapping: dict[Any, Any] = {}
    for entry in node.entries:
        key = entry.key.value if isinstance(entry.key, YamlScalar) else str(_build_data(entry.key, positions))
        mapping[key] = _build_data(entry.value, positions)
    positions.nodes[id(mapping)] = node
    return mapping


_MOST: Final = 10  # locations per run: each costs a pass over the text
Step = str | int


class LatePositions(ModelPositions):
    """Answers like `ModelPositions`, but computes every location when it is requested."""

    is_late = True

    def __init__(self, source: Source, data: Any) -> None:
        super().__init__(source)
        self._data = data
        self._decode = JSONDecoder().raw_decode
        self._left = _MOST

    def of(self, raw: Mapping[Any, Any]) -> Place | None:
        start = self._start_of(raw)
        return None if start is None else Place(self.source, Span(start, start + 1))

    def of_key(self, raw: Mapping[Any, Any], key: Any) -> Place:
        start = self._start_of(raw)
        entry = None if start is None else self._entry(start, str(key))
        return Place(self.source, Span(0, 0) if entry is None else entry[0])

    def of_header(self, raw: Mapping[Any, Any], key: str) -> Place | None:
        del key
        return self.of(raw)

    def of_value(self, raw: Mapping[Any, Any], key: str, path: str = "") -> Place | None:
        start = self._start_of(raw)
        entry = None if start is None else self._entry(start, key)
        if entry is None:
            return None
        at = entry[1]
        for index, name in step_pattern().findall(path):
            inner = self._inside(at, int(index) if index else name)
            if inner is None:
                break
            at = inner
        return Place(self.source, Span(at, self._decode(self.source.text, at)[1]))

    def parts_of_value(self, raw: Mapping[Any, Any], key: str) -> list[Place]:
        del raw, key
        return []

    # -- the way in the data -------------------------------------------------------------------------------------------

    def _start_of(self, raw: Mapping[Any, Any]) -> int | None:
        if self._left <= 0:
            return None
        self._left -= 1
        way = _way_to(raw, self._data)
        at: int | None = self._skip(0)
        for step in way or ():
            at = None if at is None else self._inside(at, step)
        return None if way is None else at

    # -- the way in the text -------------------------------------------------------------------------------------------

    def _skip(self, at: int) -> int:
        match = _blanks().match(self.source.text, at)
        return at if match is None else match.end()

    def _inside(self, at: int, step: Step) -> int | None:
        text = self.source.text
        if isinstance(step, str):
            entry = self._entry(at, step) if text[at] == "{" else None
            return None if entry is None else entry[1]
        if text[at] != "[":
            return None
        at = self._skip(at + 1)
        for _ in range(step):
            at = self._skip(self._skip(self._decode(text, at)[1]) + 1)
        return at

    def _entry(self, at: int, key: str) -> tuple[Span, int] | None:
        """Return the location of a key of a mapping, and the start of its value; of duplicate keys the last
        counts.
        """
        text, last = self.source.text, None
        at = self._skip(at + 1)
        while text[at] == '"':
            name, end = scanstring(text, at + 1)
            value = self._skip(self._skip(end) + 1)
            if name == key:
                last = (Span(at, end), value)
            at = self._skip(self._decode(text, value)[1])
            if text[at] == ",":
                at = self._skip(at + 1)
        return last


def _way_to(wanted: object, data: Any) -> tuple[Step, ...] | None:
    """Return the keys and indexes that lead to a part of the data, which is found by its identity."""
    waiting: list[tuple[Any, Any, Step | None]] = [(data, None, None)]
    while waiting:
        entry = waiting.pop()
        value = entry[0]
        if value is wanted:
            way: list[Step] = []
            while entry[1] is not None:
                way.append(entry[2])  # type: ignore[arg-type]  # what has a parent has a step
                entry = entry[1]
            return tuple(reversed(way))
        if isinstance(value, dict):
            waiting.extend((item, entry, key) for key, item in value.items() if isinstance(item, dict | list))
        elif isinstance(value, list):
            waiting.extend(
                (item, entry, index) for index, item in enumerate(value) if isinstance(item, dict | list)
            )
    return None


_blanks: Final = lazy_pattern(r"[ \t\n\r]*")
