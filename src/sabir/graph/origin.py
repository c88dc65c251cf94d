"""Where an instance or a value came from.

Origins are shared: one per statement, not one per value, wherever the values they stand for were made by the same
statement. What a value was computed from (`sources`) is filled in only by an evaluation that was asked for the long
answer; the place and the manner are always there.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from msgspec import Struct

from sabir.text import Location, Place


class How(Enum):
    """In what manner a value was made."""

    LITERAL = "literal"
    DEFAULT = "default"
    CONVERSION = "contract conversion"
    CONSTRUCTOR = "constructor"
    ASSIGNMENT = "assignment"
    REFINEMENT = "refinement"
    INDEX = "index"
    RELATION = "relation"
    EXPRESSION = "expression"
    TEMPLATE = "template line"
    CONDITION = "condition"
    LOOP = "loop"
    FILE = "file"
    CALL = "call"
    ARGUMENT = "argument"
    RETURN = "return"
    PLUGIN = "plug-in"
    INPUT = "input"
    REFERENCE = "environment reference"
    OVERRIDE = "what-if override"
    RENDERED = "rendered"
    OBSERVED = "observed"


class AttributeRead(NamedTuple):  # made and looked up by the hundred thousand, which tuples do best
    """An attribute (or relation) of an instance that a value was computed from; without one, the instance itself."""

    instance: str
    attribute: str | None


class Origin(Struct, frozen=True, eq=False):
    """One step: the place, the manner, and the steps and attributes it rests on."""

    place: Place | Location
    how: How
    sources: tuple[Origin | AttributeRead, ...] = ()
    note: str | None = None
    """A few words for people: the name of the input, the plug-in, the refinement."""

    @property
    def location(self) -> Location:
        return self.place if isinstance(self.place, Location) else self.place.location
