"""Rules of spelling for the names of the language (spec 001)."""

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
    """Tell whether a name has only ASCII letters, digits and `_`, and does not start with a digit."""
    return name.isascii() and name.isidentifier()


def is_dotted_name(name: str) -> bool:
    """Tell whether all parts of a name between its dots are identifiers."""
    return all(map(is_identifier, name.split(".")))


def is_lower_camel(name: str) -> bool:
    """Tell whether every part of a dotted name starts with a lowercase letter and has no underscore."""
    return all(part[:1].islower() and "_" not in part for part in name.split("."))


def is_camel_case(name: str) -> bool:
    """Accept `Name`, `HTTPServer` and `_Name`; reject `NAME` unless it is an abbreviation of up to three
    letters.
    """
    word = name.lstrip("_")
    is_shout = len(name) > 3 and name.isalnum() and name == name.upper()
    return word.isascii() and word.isalnum() and word[0].isupper() and not is_shout
