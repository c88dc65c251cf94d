"""Where objects and the values of their properties came from: the model, a default, a contract's conversion."""

from __future__ import annotations

from sabir.graph.origin import AttributeRead, How, Origin
from sabir.languages.muranopl.evaluate.constants import same_value
from sabir.languages.muranopl.evaluate.objects import MuranoObject
from sabir.languages.muranopl.evaluate.properties import PropertyDeclaration
from sabir.languages.muranopl.evaluate.reads import reads_of
from sabir.languages.muranopl.evaluate.runtime import Runtime
from sabir.source.text import Place

__all__ = ["Origins"]


class Origins:
    """Origins of one runtime; those that declarations give are shared by all objects."""

    def __init__(self, runtime: Runtime, *, full: bool = False) -> None:
        self.runtime = runtime
        self.full = full
        self._reads: dict[PropertyDeclaration, tuple[str, ...]] = {}
        self._defaults: dict[PropertyDeclaration, Origin] = {}

    def of_object(self, object_: MuranoObject) -> Origin:
        known = self.runtime.origins.get(object_.id)
        place = known[0].of(known[1]) if known is not None else None
        if place is not None:
            return Origin(place, How.INPUT)
        return Origin(Place(object_.cls.node.source, object_.cls.node.span), How.CONSTRUCTOR)

    def of_property(self, object_: MuranoObject, name: str) -> Origin | None:
        declaration = object_.cls.members[name]
        written = (self.runtime.written or {}).get((object_.id, name))
        if written is not None:
            sources = (AttributeRead(written.reader, one) for one in written.reads) if self.full else ()
            return Origin(written.place, How.ASSIGNMENT, tuple(sources))
        known = self.runtime.origins.get(object_.id)
        if known is None:
            return self._declared(declaration, object_) if declaration.default is not None else None
        positions, raw = known
        if (object_.id, name) in self.runtime.overridden:
            where = positions.of(raw) or declaration.place
            return Origin(where, self.runtime.overridden[object_.id, name])
        place = positions.of_value(raw, name) if declaration.is_read else None
        if place is None:
            return self._declared(declaration, object_)
        given = Origin(place, How.INPUT)
        if same_value(object_.properties[name], raw.get(name)):
            return given
        return Origin(declaration.contract_place, How.CONVERSION, (given,))

    def _declared(self, declaration: PropertyDeclaration, object_: MuranoObject) -> Origin:
        origin = self._default(declaration)
        reads = self._read_by(declaration) if self.full else ()
        if not reads:
            return origin
        sources = tuple(AttributeRead(object_.id, name) for name in reads if name in object_.properties)
        return Origin(origin.place, How.EXPRESSION, sources, "default")

    def _read_by(self, declaration: PropertyDeclaration) -> tuple[str, ...]:
        """The properties of the object itself that a default reads."""
        found = self._reads.get(declaration)
        if found is None:
            default = declaration.node.default
            found = () if default is None or declaration.configured else tuple(reads_of(default).properties)
            self._reads[declaration] = found
        return found

    def _default(self, declaration: PropertyDeclaration) -> Origin:
        origin = self._defaults.get(declaration)
        if origin is None:
            node = declaration.node
            span = node.span if node.default is None else node.default.span
            note = "class configuration" if declaration.configured else None
            if node.default is None and not declaration.configured:
                note = "no default, so null"
            origin = Origin(Place(declaration.cls.node.source, span), How.DEFAULT, note=note)
            self._defaults[declaration] = origin
        return origin
