"""Terminal colors, and escaping of control characters."""

from __future__ import annotations

from typing import Final

from sabir.lazy import lazy_pattern

_CONTROL: Final = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
_control: Final = lazy_pattern(_CONTROL)
_but_paint: Final = lazy_pattern(rf"(?!\x1b\[[0-9;]*m){_CONTROL}")


class Palette:
    """Adds color codes to text, or returns it unchanged when color is off."""

    def __init__(self, *, on: bool) -> None:
        self._on = on

    def paint(self, text: str, *styles: int) -> str:
        """Return the text in ANSI styles (SGR numbers)."""
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
    """Return the text on one line, with control and direction characters escaped.

    Text from a package must not be able to control the terminal.
    """
    if text.isprintable():
        return text
    return _control().sub(lambda match: f"\\x{ord(match[0]):02x}", text.replace("\r", "").replace("\n", " "))


def escape_control_lines(text: str, *, painted: bool = False) -> str:
    """Escape control characters, but keep line breaks; with `painted` also keep color codes."""
    control = _but_paint() if painted else _control()
    return control.sub(lambda match: f"\\x{ord(match[0]):02x}", text.replace("\r\n", "\n"))
