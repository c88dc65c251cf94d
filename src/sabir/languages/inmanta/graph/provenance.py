"""Origins from a recorded evaluation, once the instances have names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sabir.graph.origin import AttributeRead, How, Origin
from sabir.languages.inmanta.evaluate.recording.recorder import ModelRecorder, RelationLink
from sabir.languages.inmanta.evaluate.scopes import WriteSite
from sabir.languages.inmanta.evaluate.values import Frame, ModelInstance
from sabir.languages.inmanta.graph.names import site_note
from sabir.languages.inmanta.model.entities import Property
from sabir.provenance import Cell, Chains, ProvenanceStep, Sources, ValueSource
from sabir.provenance import Site as StepSite
from sabir.text import Location, Place, Span

_NOTHING: Final[Mapping[str, Any]] = {}


class Provenance(Chains):
    """Converts recorded sources to origins of instances, properties and variables."""

    def __init__(
        self, recorder: ModelRecorder, ids: Mapping[ModelInstance, str], names: Mapping[ModelInstance, str]
    ) -> None:
        super().__init__()
        self.recorder = recorder
        self.ids = ids
        self.names = names
        self._heads: dict[WriteSite, Place] = {}
        self._last_lines: dict[int, int] = {}  # by identity of a place: the traces keep them
        self._identities: dict[ModelInstance, Sources] = {}

    # Instances and variables

    def of_instance(self, instance: ModelInstance) -> Origin:
        """Return the origin of an instance: the constructor, and what decided that it ran."""
        site = instance.site
        sources = self.sources(self.recorder.causes.get(instance, ()))
        return Origin(self._head(site), site.how, sources, site_note(site))

    def _keys(self, instance: ModelInstance) -> Sources:
        """Return what identifies an instance, which is part of every value that is an instance."""
        indexes = instance.entity.indexes
        if not indexes:
            return ()
        identity = self._identities.get(instance)
        if identity is None:
            names = indexes[0].attributes
            plain = all(self._is_plain(instance, name) for name in names)
            identity = ((instance, None),) if plain else tuple((instance, name) for name in names)
            self._identities[instance] = identity
        return identity

    def _is_plain(self, instance: ModelInstance, name: str) -> bool:
        """Return whether a property is set on the line of its constructor and depends on nothing else."""
        step, site = self.recorder.written.get(instance, {}).get(name), instance.site
        return (
            step is not None
            and not step.reads
            and step.decided_by == self.recorder.causes.get(instance)
            and isinstance(step.site.place, Place)
            and step.site.place.location.line == site.place.location.line
        )

    def _head(self, site: WriteSite) -> Place:
        """Return the head of a constructor. Its arguments are the origins of their properties."""
        head = self._heads.get(site)
        if head is None:
            span = site.place.span
            text = site.place.source.slice(span)
            end = span.start + text.find("(") + 1 if "(" in text else span.end
            head = self._heads[site] = Place(site.place.source, Span(span.start, end))
        return head

    def of_variable(self, frame: Frame, slot: int, place: Place) -> Origin | None:
        source = self.recorder.variables.get((id(frame), slot))
        if isinstance(source, ProvenanceStep):
            return self.origin(source)
        if isinstance(source, Origin) or source is None:
            return source
        return Origin(place, How.ASSIGNMENT, self.sources((source, *self._keys(source[0]))))

    # Properties

    def of_property(self, instance: ModelInstance, prop: Property, origin: Origin | None) -> Origin | None:
        """Return the origin of a property with its sources; `origin` is what is known without a trace."""
        withheld = self.recorder.withheld.of((instance, prop.name))
        if prop.is_list:
            links = self.recorder.linked.get(instance, _NOTHING).get(prop.name)
            if links:
                return self._link_origin(instance, links, withheld)
        if origin is None:
            if not withheld:
                return None
            sources = self.sources(((instance, None), *withheld))
            return Origin(prop.place, How.DEFAULT, sources, "nothing was added")
        step = self.recorder.written.get(instance, _NOTHING).get(prop.name)
        if origin.how is How.OVERRIDE:
            return origin
        if step is not None and origin.how is not How.DEFAULT:
            rests_on = tuple(step.sources())
            if prop.target is not None:
                value = instance.values[instance.entity.slots[prop.name]]
                keys = self._keys(value) if type(value) is ModelInstance else ()
                rests_on = (*rests_on, *keys)
            site = step.site
            note = self._extent(site.place, site.how, origin.note)
            return Origin(site.place, site.how, self.sources(rests_on), note)
        return Origin(origin.place, origin.how, self.sources(((instance, None), *withheld)), origin.note)

    def _link_origin(
        self, instance: ModelInstance, links: Mapping[ModelInstance, RelationLink], withheld: Sources
    ) -> Origin:
        """Return one step for each line that added something; the first is the origin of the others."""
        groups: dict[
            tuple[object, int], tuple[RelationLink, list[ModelInstance], dict[ValueSource, None]]
        ] = {}
        for value, link in links.items():
            _, values, sources = groups.setdefault(_statement_key(link.place), (link, [], {}))
            values.append(value)
            # The other end of the relation may be among the keys; it is what the question is about.
            keys = (key for key in self._keys(value) if not _holds_instance(key, instance))
            rest = link.rest.sources if len(links) == 1 else self.recorder.whole_loops(link.rest.sources)
            sources.update(dict.fromkeys((*rest, *keys)))
        (link, values, sources), *others = groups.values()
        more = tuple(
            Origin(
                other.place,
                How.RELATION,
                self.sources(tuple(read)),
                self._extent(other.place, How.RELATION, _addition_note(other.site, self._join_names(added))),
            )
            for other, added, read in others
        )
        added = {_statement_key(link.place) for link in links.values()}
        idle = tuple(
            source
            for source in withheld
            if not (isinstance(source, ProvenanceStep) and _statement_key(source.site.place) in added)
        )
        below = (*self.sources(tuple(sources)), *more, *self.sources(idle))
        how = link.site.how if link.site is instance.site else How.RELATION
        note = _addition_note(link.site, self._join_names(values)) if others else site_note(link.site)
        return Origin(link.place, how, below, self._extent(link.place, how, note))

    def _join_names(self, values: list[ModelInstance]) -> str:
        more = f" and {len(values) - 3} more" if len(values) > 3 else ""
        return ", ".join(self.names[value] for value in values[:3]) + more

    # Steps

    def attribute_of(self, cell: Cell) -> AttributeRead:
        return AttributeRead(self.ids[cell[0]], cell[1])

    def words(self, site: StepSite) -> str | None:
        return self._extent(site.place, site.how, site.words)

    def _extent(self, place: Place | Location, how: How, note: str | None) -> str | None:
        """Return the note of a step, with the last line of its place if that is another one."""
        if isinstance(place, Location) or how in (How.TEMPLATE, How.FILE):
            return note
        last = self._last_lines.get(id(place))
        if last is None:
            source, span = place.source, place.span
            line = source.line_column(max(span.start, span.end - 1))[0]
            last = line if line != source.line_column(span.start)[0] else 0
            self._last_lines[id(place)] = last
        if not last:
            return note
        return f"to line {last}" if note is None else f"{note}, to line {last}"


def _statement_key(place: Place | Location) -> tuple[object, int]:
    """Return a key that is equal for two links of one place made by one statement."""
    return (place, 0) if isinstance(place, Location) else (place.source, place.span.start)


def _holds_instance(source: ValueSource, instance: ModelInstance) -> bool:
    """Return whether a source is a property that contains the instance."""
    if not isinstance(source, tuple) or source[1] is None:
        return False
    return source[0].values[source[0].entity.slots[source[1]]] is instance


def _addition_note(site: WriteSite, names: str) -> str:
    note = site_note(site)
    return f"adds {names}" if note is None else f"adds {names}, {note}"
