"""Colour for terminals, and text that cannot play tricks on them."""

from __future__ import annotations

from typing import Final

from sabir.lazy import lazy_pattern

_CONTROL: Final = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
_control: Final = lazy_pattern(_CONTROL)
_but_paint: Final = lazy_pattern(rf"(?!\x1b\[[0-9;]*m){_CONTROL}")


class Palette:
    """Paints when it may; otherwise gives texts back as they are."""

    def __init__(self, *, on: bool) -> None:
        self._on = on

    def paint(self, text: str, *styles: int) -> str:
        return f"\x1b[{';'.join(map(str, styles))}m{text}\x1b[0m" if self._on and text else text

    def bold(self, text: str) -> str:
        return self.paint(text, 1)

    def dim(self, text: str) -> str:
        return self.paint(text, 2)

    def red(self, text: str) -> str:
        return self.paint(text, 1, 31)

    def yellow(self, text: str) -> str:
        return self.paint(text, 1, 33)

    def blue(self, text: str) -> str:
        return self.paint(text, 34)

    def green(self, text: str) -> str:
        return self.paint(text, 32)


def escape_control(text: str) -> str:
    """The text on one line, with control and direction characters written out: a package must not steer a terminal."""
    if text.isprintable():
        return text
    return _control().sub(lambda match: f"\\x{ord(match[0]):02x}", text.replace("\r", "").replace("\n", " "))


def escape_control_lines(text: str, *, painted: bool = False) -> str:
    """The same for a text of several lines; `painted`: its colours are ours."""
    control = _but_paint() if painted else _control()
    return control.sub(lambda match: f"\\x{ord(match[0]):02x}", text.replace("\r\n", "\n"))
