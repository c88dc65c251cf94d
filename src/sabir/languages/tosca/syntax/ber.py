"""ASN.1 in BER, of which DER is a part: bytes to a tree.

`cryptography` reads DER only, and well-known makers of signatures (Bouncy Castle) write lengths that end with a mark.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

__all__ = ["BrokenBer", "Element", "read_ber"]

_DEEPEST: Final = 24
_MOST: Final = 20_000
_CONSTRUCTED: Final = 0x20
_LONG_TAG: Final = 0x1F
_OPEN: Final = 0x80


class BrokenBer(ValueError):
    """Bytes that are no BER, or more of them than a signature has."""


class Element(Struct, frozen=True):
    tag: int
    """The first byte: class, form and number."""
    content: bytes
    """Without the tag and the length."""
    encoded: bytes
    children: tuple[Element, ...] = ()

    @property
    def octets(self) -> bytes:
        """Of an octet string, which BER may write in pieces."""
        if self.tag & _CONSTRUCTED:
            return b"".join(piece.octets for piece in self.children)
        return self.content

    @property
    def oid(self) -> str:
        """Of an object identifier: numbers with dots."""
        numbers: list[int] = []
        value = 0
        for byte in self.content:
            value = value << 7 | byte & 0x7F
            if not byte & 0x80:
                numbers.append(value)
                value = 0
        if self.tag != 0x06 or not numbers or value:
            raise BrokenBer("an object identifier is missing")
        first = min(numbers[0] // 40, 2)
        return ".".join(map(str, (first, numbers[0] - 40 * first, *numbers[1:])))

    def child(self, index: int, tag: int | None = None) -> Element:
        if index >= len(self.children) or (tag is not None and self.children[index].tag != tag):
            raise BrokenBer("a part is missing")
        return self.children[index]


def read_ber(data: bytes) -> Element:
    """The first element of the bytes."""
    return _Reader(data).element(0, len(data), 0)[0]


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.elements = 0

    def element(self, at: int, end: int, depth: int) -> tuple[Element, int]:
        """The element at a place, and where the next one begins."""
        self.elements += 1
        if depth > _DEEPEST or self.elements > _MOST:
            raise BrokenBer("it is nested too deeply, or too long")
        if end - at < 2 or self.data[at] & _LONG_TAG == _LONG_TAG:
            raise BrokenBer("it ends too early, or has tags that signatures do not have")
        tag, length, start = self.data[at], self.data[at + 1], at + 2
        if length == _OPEN:
            children, stop = self._until_mark(start, end, depth)
            after = stop + 2
        else:
            if length > _OPEN:
                digits = length - _OPEN
                length = int.from_bytes(self.data[start : start + digits], "big")
                start += digits
            stop = after = start + length
            if stop > end:
                raise BrokenBer("it ends too early")
            children = self._within(start, stop, depth) if tag & _CONSTRUCTED else ()
        return Element(tag, self.data[start:stop], self.data[at:after], children), after

    def _within(self, at: int, end: int, depth: int) -> tuple[Element, ...]:
        children: list[Element] = []
        while at < end:
            child, at = self.element(at, end, depth + 1)
            children.append(child)
        return tuple(children)

    def _until_mark(self, at: int, end: int, depth: int) -> tuple[tuple[Element, ...], int]:
        children: list[Element] = []
        while self.data[at : at + 2] != b"\0\0":
            child, at = self.element(at, end, depth + 1)
            children.append(child)
        return tuple(children), at
