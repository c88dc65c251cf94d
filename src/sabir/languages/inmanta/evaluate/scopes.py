"""Lexical scopes, resolved once: every name becomes a slot of a frame some levels up.

A namespace, a refinement, a loop and a list comprehension get a new frame each time they run. The block
of an `if` runs at most once in its frame, so its variables are slots of that frame that only their
names hide.

Sites are the places of a model that create or write something. Everything created there shares the
site.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.values import EMPTY, Frame
from sabir.languages.inmanta.model.entities import EntityType
from sabir.languages.inmanta.syntax.nodes import Assign, Block, Expression, Name
from sabir.languages.inmanta.syntax.project import Namespace
from sabir.text import Place


class FrameLayout:
    """The layout of a frame: slot 0 is the enclosing frame, slot 1 `self` or the loop variable."""

    def __init__(self) -> None:
        self.size = 2
        self._blank: Frame | None = None

    def slot(self) -> int:
        self.size += 1
        self._blank = None
        return self.size - 1

    def rest(self) -> Frame:
        """Return the empty slots after the first two."""
        blank = self._blank
        if blank is None:
            blank = self._blank = [EMPTY] * (self.size - 2)
        return blank


class BlockScope:
    """The names visible in a block. In a refinement `entity` is set, and its attributes are visible."""

    def __init__(
        self,
        space: Namespace,
        layout: FrameLayout,
        parent: BlockScope | None = None,
        *,
        entity: EntityType | None = None,
        refinement: str | None = None,
    ) -> None:
        self.space = space
        self.layout = layout
        self.parent = parent
        self.names: dict[str, int] = {}
        self._names: frozenset[str] = frozenset()  # those of `names` when a near name was last looked for
        self.writers: dict[str, list[Any]] = {}
        self.controls: tuple[Expression, ...] = ()  # what decides whether the block runs, read outside of it
        self.entity = entity
        self.refinement: str | None = (
            refinement if refinement is not None else (parent.refinement if parent else None)
        )

    def declare_block(self, block: Block) -> None:
        """Allocate slots for the variables that a block assigns."""
        for statement in block:
            if isinstance(statement, Assign) and isinstance(statement.target, Name):
                name = statement.target.name
                if name not in self.names:
                    self.names[name] = self.layout.slot()
                self.writers.setdefault(name, []).append(statement)

    def child(self) -> BlockScope:
        """Return the scope of an `if` block: separate names in the same frame."""
        return BlockScope(self.space, self.layout, self)

    def open_frame(self) -> BlockScope:
        """Return the scope of a block with its own frame inside this one."""
        return BlockScope(self.space, FrameLayout(), self)

    def chain(self) -> Iterator[tuple[BlockScope, int]]:
        """Return the scopes from here outwards, each with the number of frames up to it."""
        scope: BlockScope | None = self
        depth = 0
        while scope is not None:
            yield scope, depth
            if scope.parent is not None and scope.parent.layout is not scope.layout:
                depth += 1
            scope = scope.parent

    def visible(self) -> Iterator[Iterable[str]]:
        """Return all visible names, scope by scope, for suggestions."""
        for scope, _ in self.chain():
            if len(scope.names) != len(scope._names):  # a name is never taken away
                scope._names = frozenset(scope.names)
            yield scope._names
            if scope.entity is not None:
                yield scope.entity.property_names
                yield ("self",)


class WriteSite(Struct, eq=False):
    """A constructor, assignment or default. `refinement` names the implementation that contains it."""

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
    scope: BlockScope | None = None

    def place_of(self, name: str) -> Place:
        """Return where a constructor sets a property: the argument, if it is on the constructor's own line."""
        places = self.argument_places
        if places is None or name not in places:
            return self.place
        place = places[name]
        return place if place.location.line == self.place.location.line else self.place
