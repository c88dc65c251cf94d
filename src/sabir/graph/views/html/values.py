"""Values and source lines for the page, without secrets and of limited size.

text, true, null, 12          as they are
[value, …]                    a list
{"m": [[key, value], …]}      a mapping
{"r": number}, {"r": "id"}    an instance, by number; by id when it is not in the graph
{"n": "1.0"}                  other plain data, as text
{"s": 1}, {"u": 1}            sensitive; unknown
{"c": 12}                     number of elements or characters that were dropped

A source line is shown only if no secret can be in it (`SafeLines`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sabir.graph.dependence import lines_of
from sabir.graph.graph import Graph
from sabir.graph.origin import Origin
from sabir.graph.secrets import Secrets, sensitive_values
from sabir.graph.values import Ref, Sensitive, Unknown, Value
from sabir.text import REDACTED, Location

_MOST_PARTS: Final = 2000
_DEEPEST: Final = 40
_LONGEST: Final = 20_000
_SAFE_INTEGER: Final = 2**53
"""Larger integers are not exact in JavaScript."""


def page_value(value: Value, number: Mapping[str, int]) -> Any:
    """Return a value as data for the page; `number` maps the ids of instances to their numbers."""
    return _Writer(number).encode(value, 0)


class _Writer:
    def __init__(self, number: Mapping[str, int]) -> None:
        self.number = number
        self.room = _MOST_PARTS

    def encode(self, value: Value, depth: int) -> Any:
        self.room -= 1
        match value:
            case None | bool():
                return value
            case str():
                return _truncate_text(value)
            case int():
                return {"n": _integer_text(value)} if abs(value) >= _SAFE_INTEGER else int(value)
            case Sensitive():
                return {"s": 1}
            case Unknown():
                return {"u": 1}
            case Ref():
                return {"r": self.number.get(value.id, without_surrogates(value.id))}
            case bytes():
                return {"n": f"({len(value)} bytes)"}
            case Mapping():
                return {"m": self.pairs(value, depth + 1)}
            case Sequence():
                return self.elements(value, depth + 1)
            case _:
                return {"n": str(value)}

    def elements(self, value: Sequence[Value], depth: int) -> list[Any]:
        shown: list[Any] = []
        for item in value:
            if self.room <= 0 or depth > _DEEPEST:
                shown.append({"c": len(value) - len(shown)})
                break
            shown.append(self.encode(item, depth))
        return shown

    def pairs(self, value: Mapping[str, Value], depth: int) -> list[Any]:
        shown: list[Any] = []
        for key, item in value.items():
            if self.room <= 0 or depth > _DEEPEST:
                shown.append(["…", {"c": len(value) - len(shown)}])
                break
            # Keys that are not strings are not part of `Value`, but YAML allows them.
            shown.append([_truncate_text(str(key)), self.encode(item, depth)])
        return shown


def _truncate_text(text: str) -> str:
    text = without_surrogates(text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text) - _LONGEST} more characters)"


def _integer_text(value: int) -> str:
    # Converting a huge integer to decimal is quadratic, and Python refuses it.
    return str(value) if value.bit_length() <= 4096 else hex(value)[:200] + "…"


def without_surrogates(text: str) -> str:
    """Replace lone surrogates: YAML can write them, but UTF-8 cannot encode them."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


LineReader = Callable[[str, int], str | None]
"""Returns the text of a line of a file of the package, or None when it is not available."""

_LONGEST_LINE: Final = 400
_MOST_LINES: Final = 200
"""Maximum number of lines hidden for one origin; a longer one is a whole file, whose secrets are found by their text."""


class SafeLines:
    """Source lines for the page, without secrets.

    A line that made a sensitive value is hidden, and so is a line that contains the text of a secret: two values may
    be made on one line, and only one of them be sensitive.
    """

    def __init__(self, graph: Graph, read: LineReader | None) -> None:
        self._read = read
        self._cache: dict[tuple[str, int], str | None] = {}
        self._hidden: set[tuple[str, int]] = set()
        secrets: list[str] = []
        for texts, origin in sensitive_values(graph):
            secrets += texts
            if origin is not None:
                self._hide(origin)
        self._secrets = Secrets(secrets)

    def of(self, origin: Origin) -> str | None:
        """Return the line of an origin, or None when it is hidden or not available."""
        place = origin.place
        if isinstance(place, Location):
            return self.at(place.file, place.line, self._read)
        source = place.source
        return self.at(source.name, place.location.line, lambda _file, line: source.line_text(line))

    def at(self, file: str, line: int, read: LineReader | None) -> str | None:
        if read is None or not line:
            return None
        key = (file, line)
        if key not in self._cache:
            self._cache[key] = REDACTED if key in self._hidden else self._display_line(read(file, line))
        return self._cache[key]

    def _display_line(self, text: str | None) -> str | None:
        if not text or not text.strip() or self._secrets.too_many:
            return None
        if self._secrets.are_in(text):
            return REDACTED
        return without_surrogates(text if len(text) <= _LONGEST_LINE else text[:_LONGEST_LINE] + "…")

    def redact(self, text: str) -> str:
        """Return a message with the text of every secret replaced."""
        return self._secrets.redact(without_surrogates(text))

    def _hide(self, origin: Origin) -> None:
        todo: list[Origin] = [origin]
        seen: set[int] = set()
        for origin in todo:
            if id(origin) in seen:
                continue
            seen.add(id(origin))
            file, lines = lines_of(origin)
            self._hidden.update((file, line) for line in lines[:_MOST_LINES])
            todo += [source for source in origin.sources if isinstance(source, Origin)]
