"""Lines of source that may be shown: none in which a secret stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from sabir.graph.dependence import lines_of
from sabir.graph.graph import Graph
from sabir.graph.origin import Origin
from sabir.graph.values import REDACTED, Sensitive, Value
from sabir.graph.views.html.values import without_surrogates
from sabir.source.text import Location

__all__ = ["LineReader", "SafeLines"]

LineReader = Callable[[str, int], str | None]
"""The text of a line of a file of the package, when it is at hand."""

_PLAIN: Final = frozenset({str, int, bool, float, type(None)})
"""Types with no room for a secret; most values are of them."""
_LONGEST: Final = 400
_MOST_SECRETS: Final = 500
_SHORTEST_SECRET: Final = 3
_MOST_LINES: Final = 200
"""Lines of one origin that are kept back; a longer one is a whole file, whose secrets are found by their text."""


class SafeLines:
    """Lines for the page. A line that made a sensitive value is kept back, and so is one that has the text of a secret
    in it: two values may be made on one line, and only one of them be sensitive."""

    def __init__(self, graph: Graph, read: LineReader | None) -> None:
        self._read = read
        self._cache: dict[tuple[str, int], str | None] = {}
        self._hidden: set[tuple[str, int]] = set()
        secrets: dict[str, None] = {}
        for texts, origin in _sensitive(graph):
            secrets.update(dict.fromkeys(texts))
            if origin is not None:
                self._hide(origin)
        # A pattern of thousands of words would make every line dear; then no line is shown.
        self._none_at_all = len(secrets) > _MOST_SECRETS
        longest_first = sorted(secrets, key=len, reverse=True)
        self._secrets = (
            re.compile("|".join(map(re.escape, longest_first))) if secrets and not self._none_at_all else None
        )

    def of(self, origin: Origin) -> str | None:
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
            self._cache[key] = REDACTED if key in self._hidden else self._shown(read(file, line))
        return self._cache[key]

    def _shown(self, text: str | None) -> str | None:
        if not text or not text.strip() or self._none_at_all:
            return None
        if self._secrets is not None and self._secrets.search(text):
            return REDACTED
        return without_surrogates(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")

    def scrubbed(self, text: str) -> str:
        """A message without the text of any secret."""
        text = without_surrogates(text)
        return text if self._secrets is None else self._secrets.sub(REDACTED, text)

    def _hide(self, origin: Origin) -> None:
        todo: list[Origin] = [origin]
        seen: set[int] = set()
        for one in todo:
            if id(one) in seen:
                continue
            seen.add(id(one))
            file, lines = lines_of(one)
            self._hidden.update((file, line) for line in lines[:_MOST_LINES])
            todo += [source for source in one.sources if isinstance(source, Origin)]


def _sensitive(graph: Graph) -> Iterator[tuple[tuple[str, ...], Origin | None]]:
    """For every value with something sensitive in it the texts of its secrets, and its origin."""
    for one in graph:
        for name, value in zip(one.attributes.layout.keys, one.attributes.row, strict=True):
            if type(value) not in _PLAIN and (texts := _secrets_in(value)) is not None:
                yield texts, one.origins.get(name)
    for name, value in graph.outputs.items():
        if (texts := _secrets_in(value)) is not None:
            yield texts, graph.output_origins.get(name)


def _secrets_in(value: Value) -> tuple[str, ...] | None:
    """Texts that are long enough to be found in a line; None when nothing in the value is sensitive."""
    texts: list[str] = []
    is_sensitive = False
    todo: list[tuple[Value, bool]] = [(value, False)]
    seen: set[tuple[int, bool]] = set()
    while todo:
        one, secret = todo.pop()
        match one:
            case Sensitive():
                is_sensitive = True
                todo.append((one.value, True))
            case str():
                texts += [line.strip() for line in one.splitlines()] if secret else []
            case None | bool() | bytes():
                pass
            case int() | float():
                if secret and (isinstance(one, float) or one.bit_length() < 4096):
                    texts.append(str(one))
            case Mapping() | Sequence():
                if (id(one), secret) not in seen:
                    seen.add((id(one), secret))
                    todo += [(part, secret) for part in (one.values() if isinstance(one, Mapping) else one)]
            case _:
                pass
    if not is_sensitive:
        return None
    return tuple(text for text in texts if len(text) >= _SHORTEST_SECRET and text != REDACTED)
