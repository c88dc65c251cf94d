"""Class names and their prefixes (spec 000, "Class name" and "Namespaces")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sabir.errors import SabirError


def is_short_name(text: str) -> bool:
    """Tell whether a text is one part of a class name: letters, digits and `_`, starting with an ASCII letter or `_`."""
    return text[:1].isascii() and not text[:1].isdigit() and text.replace("_", "x").isalnum()


def is_qualified_name(text: str) -> bool:
    """Tell whether a text is a class name or namespace: parts joined by periods."""
    return all(map(is_short_name, text.split(".")))


def is_words(text: str) -> bool:
    """Tell whether a text consists only of words, with white space and periods around them."""
    words = "".join(text.replace(".", " ").replace("_", " ").split())
    return not words or words.isalnum()


def is_class_name(text: str) -> bool:
    """Tell whether spec 001 allows a class name: like a Python class, without two leading underscores."""
    return text.isascii() and is_qualified_name(text) and not text.rpartition(".")[2].startswith("__")


def is_type_reference(text: str) -> bool:
    """Accept `Name`, `:Name`, `=:Name`, `prefix:Name` and `a.b.Name` (S-09)."""
    prefix, colon, name = text.rpartition(":")
    return is_qualified_name(name) and (not colon or prefix == "" or is_prefix(prefix))


def is_prefix(text: str) -> bool:
    """Tell whether a text is a namespace prefix: a short name, or `=` for the default namespace."""
    return text == "=" or is_short_name(text)


class UnknownPrefixError(SabirError, LookupError):
    """A class name has a prefix that `Namespaces` does not declare."""

    def __init__(self, name: str, prefix: str) -> None:
        super().__init__(f"{name!r} has the prefix {prefix!r}, which Namespaces does not declare")
        self.name = name
        self.prefix = prefix


class Namespaces:
    """The prefix table of a class."""

    __slots__ = ("table",)

    def __init__(self, table: Mapping[str, str]) -> None:
        self.table = dict(table)

    @property
    def default(self) -> str | None:
        return self.table.get("=")

    def resolve(self, name: str) -> str:
        """Return the full name: `ns:Name` by the table; `Name`, `:Name`, `=:Name` by `=`; a dotted name unchanged."""
        prefix, colon, short = name.rpartition(":")
        if not colon:
            if "." in name:
                return name
            prefix = "="
        elif prefix in ("", "="):
            prefix = "="
        elif prefix not in self.table:
            raise UnknownPrefixError(name, prefix)
        space = self.table.get(prefix)
        return f"{space}.{short}" if space else short

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Namespaces) and self.table == other.table

    def __hash__(self) -> int:
        return hash(tuple(self.table.items()))

    def __repr__(self) -> str:
        return f"Namespaces({self.table!r})"


NO_NAMESPACES: Final = Namespaces({})
