"""Names in texts: where they are defined and used, and what may be written next. This is what editors ask of a language.

A definition and its uses meet in a `key`: a text that a language makes up so that two names have the same key exactly when they
mean the same thing (`class io.murano.Application`, `method com.example.Web.deploy`). Names are gathered file by file, so that
after a change one file is read again and not a whole project.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from msgspec import Struct

from sabir.text import Span


class SymbolKind(Enum):
    """What a name stands for; editors show a picture for each."""

    MODULE = "module"
    CLASS = "class"
    METHOD = "method"
    PROPERTY = "property"
    FUNCTION = "function"
    VARIABLE = "variable"
    CONSTANT = "constant"
    ENUM = "enum"
    INSTANCE = "instance"
    OPERATION = "operation"
    KEYWORD = "keyword"
    FILE = "file"
    VALUE = "value"


class Symbol(Struct, frozen=True, kw_only=True):
    """Something that a text defines."""

    key: str
    name: str
    kind: SymbolKind
    span: Span
    """Where its name stands."""
    extent: Span
    """Everything that belongs to it."""
    detail: str | None = None
    """In a few words what it is: a type, a contract, a signature."""
    about: str | None = None
    """What its author says of it."""
    children: tuple[Symbol, ...] = ()
    aliases: tuple[str, ...] = ()
    """Further keys that lead to it, where a use does not tell exactly what it means: `member deploy`."""

    def walk(self) -> Iterator[Symbol]:
        """It, and all that is defined in it."""
        yield self
        for child in self.children:
            yield from child.walk()


class Mention(Struct, frozen=True):
    """A name that is used. It may mean any of the keys, the likeliest first: a method may be that of one of several classes."""

    span: Span
    keys: tuple[str, ...]


class FileNames(Struct, frozen=True):
    """The symbols that a file defines and the names that it uses."""

    symbols: tuple[Symbol, ...] = ()
    mentions: tuple[Mention, ...] = ()

    def all_symbols(self) -> Iterator[Symbol]:
        for symbol in self.symbols:
            yield from symbol.walk()


class Candidate(Struct, frozen=True, kw_only=True):
    """Something that may be written at a place."""

    text: str
    kind: SymbolKind
    detail: str | None = None
    about: str | None = None
    replaces: Span | None = None
    """What it takes the place of; None: the word before the place."""
