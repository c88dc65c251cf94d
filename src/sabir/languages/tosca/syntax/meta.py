"""The text files that describe an archive, TOSCA.meta and the manifest of SOL004: lines `Name: value`, with places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from sabir.languages.tosca.syntax.recognition import META_NAMES
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.text import Place, Source, Span

__all__ = ["Field", "broken_lines", "fields_of", "first_field", "meta_file"]

_FIELD: Final = re.compile(r"(?m)^[ \t]*([A-Za-z][\w.-]*)[ \t]*:([^\n]*)$")
# Lines that begin with a space go on with the value of the line before.
_MORE: Final = re.compile(r"(?:\n[ \t]+(?![A-Za-z][\w.-]*[ \t]*:)[^\s][^\n]*)+")
_LINE: Final = re.compile(r"(?m)^[^\s#][^\n]*$")


class Field(Struct, frozen=True):
    name: str
    value: str
    place: Place
    """Of the value; of the name where it has none."""


def meta_file(package: LoadedPackage) -> PackageFile | None:
    """TOSCA.meta: in its folder, or (TOSCA 2.0) at the root."""
    return next((file for name in META_NAMES if (file := package.get_file(name)) is not None), None)


def fields_of(source: Source) -> Iterator[Field]:
    for match in _FIELD.finditer(source.text):
        value = match[2].strip()
        start = match.end() - len(match[2].lstrip())
        span = Span(start, start + len(value)) if value else Span(*match.span(1))
        more = _MORE.match(source.text, match.end())
        words = " ".join((value, *more[0].split())).strip() if more is not None else value
        yield Field(match[1], words, Place(source, span))


def first_field(source: Source, *names: str) -> Field | None:
    """The first field that has one of these names, and a value."""
    return next((field for field in fields_of(source) if field.name in names and field.value), None)


def broken_lines(source: Source) -> Iterator[Place]:
    """Lines that are no fields; an indented one belongs to the line before it."""
    for match in _LINE.finditer(source.text):
        if _FIELD.match(source.text, match.start()) is None:
            yield Place(source, Span(match.start(), match.start() + len(match[0].rstrip())))
