"""Text for people on stdout: painted and wrapped on a terminal, plain and whole in a pipe."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from sabir.checks.formatters.palette import Palette
from sabir.cli.terminal import ascii_text, is_ascii, wants_color, write_text
from sabir.graph.views.colours import Paint
from sabir.lazy import lazy_pattern


class TerminalPaint(Paint):
    """Names bold, places blue, what is beside the point dim."""

    def __init__(self, palette: Palette) -> None:
        self.name = palette.bold
        self.type = palette.dim
        self.place = palette.blue
        self.good = palette.green
        self.bad = palette.red
        self.changed = palette.yellow
        self.aside = palette.dim


class Prose(Struct, frozen=True, kw_only=True):
    """How text is shown where stdout leads."""

    paint: Paint
    width: int | None
    """Columns of the terminal; None where lines stay whole."""
    ascii: bool

    def format_line(self, line: str) -> str:
        text = ascii_text(line) if self.ascii else line
        return text if self.width is None else "".join(_wrap_line(text, self.width))


def terminal_prose() -> Prose:
    """For the stdout of this process."""
    is_terminal = sys.stdout.isatty()
    return Prose(
        paint=TerminalPaint(Palette(on=True)) if wants_color() else Paint(),
        width=shutil.get_terminal_size().columns if is_terminal else None,
        ascii=is_ascii(),
    )


def print_view(views: Mapping[str, Callable[..., Iterable[str]]], form: str, result: object) -> None:
    """Write a result in one of its forms; that of the name `text` is for people and takes a `Paint`."""
    if form != "text":
        for piece in views[form](result):
            write_text(piece)
        return
    prose = terminal_prose()
    for line in views[form](result, prose.paint):
        write_text(prose.format_line(line))


_escape: Final = lazy_pattern("\x1b\\[[0-9;]*m")


def _wrap_line(line: str, width: int) -> Iterator[str]:
    """A line in pieces that fit, the further ones indented below the first. Escapes take no room."""
    body = line.rstrip("\n")
    if len(_escape().sub("", body)) <= width:
        yield line
        return
    indent = len(body) - len(body.lstrip(" "))
    hanging = " " * min(indent + 4, width // 2)
    used, piece = 0, ""
    for word in re.split("(?<= )", body):
        room = len(_escape().sub("", word.rstrip(" ")))
        if used and used + room > width and used > len(hanging):
            yield piece.rstrip(" ") + "\n"
            piece, used = hanging, len(hanging)
        piece += word
        used += len(_escape().sub("", word))
    yield piece + line[len(body) :]
