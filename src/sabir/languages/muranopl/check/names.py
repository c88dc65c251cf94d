"""The names of the language: how they are spelt, and what is known by format version (spec 001)."""

from __future__ import annotations

from typing import Final

Version = tuple[int, int]

HEAT: Final = "Heat.HOT"
FORMATS: Final[dict[str, tuple[Version, ...]]] = {
    "MuranoPL": ((1, 0), (1, 1), (1, 2), (1, 3), (1, 4)),
    HEAT: ((1, 0),),
}
LATEST: Final[Version] = (1, 4)


def is_identifier(name: str) -> bool:
    """Letters, digits and `_` of ASCII, not beginning with a digit."""
    return name.isascii() and name.isidentifier()


def is_dotted_name(name: str) -> bool:
    return all(map(is_identifier, name.split(".")))


def is_lower_camel(name: str) -> bool:
    """Every part of a dotted name begins with a small letter and has no underscore."""
    return all(part[:1].islower() and "_" not in part for part in name.split("."))


def is_camel_case(name: str) -> bool:
    """`Name`, `HTTPServer` or `_Name`; not `NAME`, unless it is an abbreviation of up to three letters."""
    word = name.lstrip("_")
    is_shout = len(name) > 3 and name.isalnum() and name == name.upper()
    return word.isascii() and word.isalnum() and word[0].isupper() and not is_shout
