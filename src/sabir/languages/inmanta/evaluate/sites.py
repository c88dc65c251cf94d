"""Sites: the places of a model that make or write something, shared by everything made there."""

from __future__ import annotations

from msgspec import Struct

from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.scopes import Scope
from sabir.languages.inmanta.syntax.nodes import Expression
from sabir.text import Place

__all__ = ["Site"]


class Site(Struct, eq=False):
    """A constructor, assignment or default. `refinement` names the implementation it stands in."""

    place: Place
    how: How
    refinement: str | None = None
    explicit: frozenset[str] = frozenset()
    """For a constructor: the properties it names itself; others have their defaults."""
    argument_places: dict[str, Place] | None = None
    commit: str | None = None
    """The commit of the module's repository, when it is one."""
    expressions: dict[str, Expression] | None = None
    """What each property was computed from, for the long answer of `why`; "" is the value of an assignment."""
    scope: Scope | None = None

    def place_of(self, name: str) -> Place:
        """Where a constructor sets a property: its argument when it stands on the constructor's own line."""
        places = self.argument_places
        if places is None or name not in places:
            return self.place
        place = places[name]
        return place if place.location.line == self.place.location.line else self.place
