"""Offsets and places as the protocol counts them: lines from 0, columns in units of the encoding that was agreed on."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types
from pygls.workspace import PositionCodec

from sabir.text import Location, Source, Span

START = types.Range(types.Position(0, 0), types.Position(0, 0))


class PositionConverter:
    """Turns spans of a source into ranges of the protocol, and back."""

    def __init__(self, codec: PositionCodec) -> None:
        self._codec = codec

    def position(self, source: Source, offset: int) -> types.Position:
        line, column = source.line_column(min(offset, len(source.text)))
        return types.Position(line - 1, self._units(source.line_text(line)[: column - 1]))

    def range(self, source: Source, span: Span) -> types.Range:
        return types.Range(self.position(source, span.start), self.position(source, span.end))

    def at_location(self, source: Source | None, location: Location) -> types.Range:
        """The place that a location of a graph means, to the end of the word there; the start of its line without the text."""
        if source is None or not location.line:
            line = max(location.line - 1, 0)
            return types.Range(types.Position(line, 0), types.Position(line, 0))
        start = source.offset(location.line, location.column)
        end = source.line_span(location.line).end
        return self.range(source, Span(min(start, end), end))

    def offset(self, source: Source, position: types.Position) -> int:
        line = source.line_text(position.line + 1)
        column = len(line)
        units = 0
        for index, character in enumerate(line):
            if units >= position.character:
                column = index
                break
            units += self._units(character)
        return min(source.offset(position.line + 1) + column, len(source.text))

    def _units(self, text: str) -> int:
        return len(text) if text.isascii() else int(self._codec.client_num_units(text))


def path_of(uri: str) -> Path | None:
    """The file of a URI; None for what is no file, such as a text that was never saved."""
    from pygls.uris import to_fs_path

    path = to_fs_path(uri) if uri.startswith("file:") else None
    return None if path is None else Path(path)


def uri_of(path: Path) -> str:
    return path.absolute().as_uri()
