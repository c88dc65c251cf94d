"""Where objects and the values of their properties came from: the model, a default, a contract's conversion, code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sabir.graph.origin import How, Origin
from sabir.languages.muranopl.evaluate.constants import same_value
from sabir.languages.muranopl.evaluate.positions import Positions
from sabir.languages.muranopl.evaluate.runtime import Runtime
from sabir.languages.muranopl.model.objects import MuranoObject
from sabir.languages.muranopl.model.properties import PropertyDeclaration
from sabir.text import Place

__all__ = ["Origins"]


class Origins:
    """Origins of one runtime, each with its place and manner alone; those that declarations give are shared."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self._defaults: dict[PropertyDeclaration, Origin] = {}

    def of_object(self, object_: MuranoObject) -> Origin:
        place = self.place_of(object_.id)
        if place is not None:
            return Origin(place, How.INPUT)
        return Origin(Place(object_.cls.node.source, object_.cls.node.span), How.CONSTRUCTOR)

    def place_of(self, object_id: str) -> Place | None:
        """Where the model defines an object."""
        defined = self.runtime.origins.get(object_id)
        return None if defined is None else defined[0].of(defined[1])

    def of_property(self, object_: MuranoObject, name: str) -> Origin | None:
        declaration = object_.cls.members[name]
        written = (self.runtime.written or {}).get((object_.id, name))
        if written is not None:
            return Origin(written, How.ASSIGNMENT)
        if object_.id not in self.runtime.origins and declaration.default is None:
            return None
        source = self.source_of(object_.id, declaration)
        if source is None:
            return self.default(declaration)
        _positions, raw = self.runtime.origins[object_.id]
        if same_value(object_.properties.get(name), raw.get(name)):
            return source
        return Origin(declaration.contract_place, How.CONVERSION, (source,))

    def source_of(self, object_id: str, declaration: PropertyDeclaration) -> Origin | None:
        """What gives a property of an object its value from outside, None when nothing does."""
        defined: tuple[Positions, Mapping[Any, Any]] | None = self.runtime.origins.get(object_id)
        if defined is None:
            return None
        positions, raw = defined
        overridden = self.runtime.overridden.get((object_id, declaration.name))
        if overridden is not None:
            if isinstance(overridden, Origin):
                return overridden
            return Origin(positions.of(raw) or declaration.place, overridden)
        place = positions.of_value(raw, declaration.name) if declaration.is_read else None
        return None if place is None else Origin(place, How.INPUT)

    def given_parts(self, object_id: str, declaration: PropertyDeclaration) -> Origin | None:
        """The same, an object that stands there inline by its header alone: what else it has are values of its own."""
        origin = self.source_of(object_id, declaration)
        positions = self.runtime.origins[object_id][0] if origin is not None else None
        if origin is None or positions is None or (object_id, declaration.name) in self.runtime.overridden:
            return origin
        places = positions.parts_of_value(self.runtime.origins[object_id][1], declaration.name)
        if not places:
            return origin
        first, *others = places
        return Origin(first, How.INPUT, tuple(Origin(place, How.INPUT) for place in others))

    def default(self, declaration: PropertyDeclaration) -> Origin:
        origin = self._defaults.get(declaration)
        if origin is None:
            node = declaration.node
            span = node.span if node.default is None else node.default.span
            place = Place(declaration.cls.node.source, span)
            note = None
            if declaration.configured:
                place, note = declaration.configured_place or place, "class configuration"
            elif node.default is None:
                note = "no default, so null"
            origin = self._defaults[declaration] = Origin(place, How.DEFAULT, note=note)
        return origin
