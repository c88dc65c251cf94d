"""Origins: how and where an instance or a value was made.

Origins are shared: all values made by one statement have the same origin. Only an evaluation that records provenance
fills in `sources`, what a value was computed from; the place and the kind of computation are always present.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from msgspec import Struct

from sabir.text import Location, Place


class How(Enum):
    """How a value was made."""

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


class AttributeRead(
    NamedTuple
):  # hundreds of thousands are created and looked up, which is fastest with tuples
    """An attribute or relation that a value was computed from; without an attribute, the instance itself."""

    instance: str
    attribute: str | None


class Origin(Struct, frozen=True, eq=False):
    """One step of a computation: its place, its kind, and the steps and attributes it was computed from."""

    place: Place | Location
    how: How
    sources: tuple[Origin | AttributeRead, ...] = ()
    note: str | None = None
    """A few words for display: the name of the input, the plugin, the refinement."""

    @property
    def location(self) -> Location:
        """The place as file, line and column."""
        return self.place if isinstance(self.place, Location) else self.place.location
