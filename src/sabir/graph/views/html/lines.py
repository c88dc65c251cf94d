"""Lines of source that may be shown: none in which a secret stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sabir.graph.dependence import lines_of
from sabir.graph.graph import Graph
from sabir.graph.origin import Origin
from sabir.graph.secrets import Secrets, sensitive_values
from sabir.graph.views.html.values import without_surrogates
from sabir.text import REDACTED, Location

__all__ = ["LineReader", "SafeLines"]

LineReader = Callable[[str, int], str | None]
"""The text of a line of a file of the package, when it is at hand."""

_LONGEST_LINE: Final = 400
_MOST_LINES: Final = 200
"""Lines of one origin that are kept back; a longer one is a whole file, whose secrets are found by their text."""


class SafeLines:
    """Lines for the page. A line that made a sensitive value is kept back, and so is one that has the text of a secret
    in it: two values may be made on one line, and only one of them be sensitive."""

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
        if not text or not text.strip() or self._secrets.too_many:
            return None
        if self._secrets.are_in(text):
            return REDACTED
        return without_surrogates(text if len(text) <= _LONGEST_LINE else text[:_LONGEST_LINE] + "…")

    def scrubbed(self, text: str) -> str:
        """A message without the text of any secret."""
        return self._secrets.scrubbed(without_surrogates(text))

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
