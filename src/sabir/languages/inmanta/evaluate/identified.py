"""Constructors of entities with an index: the identifying properties have to be known, and may name an instance that is there."""

from __future__ import annotations

from typing import Any, Final

from sabir.diagnostics.finding import Related
from sabir.languages.inmanta.evaluate.constructors import Constructor
from sabir.languages.inmanta.evaluate.indexes import hashable
from sabir.languages.inmanta.evaluate.interrupts import Wait
from sabir.languages.inmanta.evaluate.values import Frame, Instance, Read
from sabir.languages.inmanta.evaluate.writing import stop
from sabir.languages.inmanta.model.entities import IndexDef, Property
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.examples import inmanta_rule

__all__ = ["INDEX_CONFLICT", "INDEX_MISSING", "IdentifiedConstructor"]

INDEX_MISSING: Final = inmanta_rule(
    "INM:E017",
    "a constructor lacks an identifying property",
    "All properties of an index are set in the constructor (or have a default), because they decide whether there is "
    "such an instance already.",
    when="evaluate",
)
INDEX_CONFLICT: Final = inmanta_rule(
    "INM:E018",
    "an index names another instance",
    "The identifying values already belong to an instance of another entity, or two indexes name two instances.",
    when="evaluate",
)


class IdentifiedConstructor(Constructor):
    def reader(self) -> Read:
        entity = self.entity
        reads = {argument.name: (read, prop) for _, read, prop, argument in self.attributes}
        reads |= {argument.name: (read, prop) for prop, read, argument in self.relations}
        missing = self.identifying - set(reads) - set(entity.defaults)
        keys = [name for name in entity.all_properties if name in self.identifying and name in reads]
        plain = super().reader()
        given = self.engine.given

        def construct(frame: Frame) -> Instance:
            if missing:
                raise self._missing_keys(missing)
            identity = {name: reads[name][0](frame) for name in keys}
            existing = self._existing(identity)
            if existing is not None:
                return self._again(existing, frame)
            for name, value in identity.items():
                self._check_key(reads[name][1], value)
            instance: Instance = plain(frame)
            self._register(instance)
            if given is not None and given.overrides:
                given.apply(instance)
            return instance

        return construct

    def _check_key(self, prop: Property, value: Any) -> None:
        if prop.type is not None:
            if not prop.type.accepts(value):
                probe = Instance(self.entity, self.blank, self.site, None)
                raise self.writer.type_error(probe, prop, value, self.site)
        elif not isinstance(value, Instance) or prop.target not in value.entity.ancestor_set:
            probe = Instance(self.entity, self.blank, self.site, None)
            raise self.writer.type_error(probe, prop, value, self.site)

    def _missing_keys(self, missing: set[str]) -> Exception:
        names = ", ".join(repr(name) for name in sorted(missing))
        index = next(index for index in self.entity.indexes if missing & set(index.attributes))
        return stop(
            INDEX_MISSING,
            f"{self.entity.shown!r} is identified by {names}, which this constructor does not set",
            self.site.place,
            hint=f"add {', '.join(name + '=…' for name in sorted(missing))}",
            related=(Related(place=index.place, message="the index is defined here"),),
        )

    def _key(self, index: IndexDef, identity: dict[str, Any]) -> Any:
        defaults = self.entity.defaults
        return tuple(
            hashable(identity[name] if name in identity else defaults[name]) for name in index.attributes
        )

    def _existing(self, identity: dict[str, Any]) -> Instance | None:
        existing: Instance | None = None
        for index in self.entity.indexes:
            hit = self.engine.indexes.get(index, self._key(index, identity))
            if hit is None:
                continue
            if hit.entity is not self.entity:
                raise self._conflict(hit, f"{hit.entity.shown!r}, not {self.entity.shown!r}")
            if existing is not None and hit is not existing:
                raise self._conflict(hit, "another instance than a second index of it does")
            existing = hit
        return existing

    def _conflict(self, hit: Instance, named: str) -> Exception:
        return stop(
            INDEX_CONFLICT,
            f"the identifying values of this {self.entity.shown!r} already name an instance of {named}",
            self.site.place,
            related=(Related(place=hit.site.place, message="that instance is made here"),),
        )

    def _register(self, instance: Instance) -> None:
        for index in self.entity.indexes:
            slots = self.entity.slots
            values = instance.values
            key = tuple(hashable(values[slots[name]]) for name in index.attributes)
            self.engine.indexes.add(index, key, instance)

    def _again(self, instance: Instance, frame: Frame) -> Instance:
        """A second construction: the first instance, with the values of both, which must agree."""
        site, writer = self.site, self.writer
        late: list[tuple[Property, Read, nodes.Argument, Wait]] = []
        explicit = set(site.explicit)
        if self.own_slot is not None:
            frame[self.own_slot] = instance
        for _, read, prop, argument in self.attributes:
            try:
                writer.assign(instance, prop, read(frame), site)
            except Wait as wait:
                late.append((prop, read, argument, wait))
        self._relate(instance, frame, late)
        if late:
            self._later(instance, frame, late)
        self._defaults_again(instance, explicit)
        return instance

    def _defaults_again(self, instance: Instance, explicit: set[str]) -> None:
        # A default counts as a value of the second constructor too (decision S-59); so the order of the two is the same.
        for name, value in self.entity.defaults.items():
            if name not in explicit:
                self.writer.assign(instance, self.entity.all_properties[name], value, self.site)
