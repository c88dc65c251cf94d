"""The graphs of the parts in one graph: ids, file names and origins of a part as the environment sees
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding, Fix
from sabir.graph.address import Address
from sabir.graph.graph import Instance
from sabir.graph.origin import AttributeRead, Origin
from sabir.graph.record import Record
from sabir.graph.values import Ref, Unknown, Value, with_inner
from sabir.languages.language import Evaluation, RenderedObject
from sabir.resources.observations import Mark, TrackedValues
from sabir.resources.resource import DesiredResources, Operation, Resource
from sabir.text import Location, Place, Source, Span


class PartPlaces:
    """Translates locations in the files of a part to the environment: `main.cf` becomes `network/main.cf`."""

    def __init__(self, prefix: str, own: Source | None = None, folder: Path | None = None) -> None:
        """Keep locations in `own`, the source of `sabir.yaml`, unchanged; `folder` is the directory of
        `sabir.yaml`.
        """
        self.prefix = prefix
        self.own = own
        self._folder = None if folder is None else folder.resolve()
        self._sources: dict[int, Source] = {}
        self._kept: list[Source] = []

    def finding(self, finding: Finding) -> Finding:
        """Return the finding with all its locations translated."""
        return replace(
            finding,
            place=self.place(finding.place),
            related=tuple(replace(note, place=self.place(note.place)) for note in finding.related),
            frames=tuple(
                frame if frame.place is None else replace(frame, place=self.place(frame.place))
                for frame in finding.frames
            ),
            fix=self._fix(finding.fix),
        )

    def _fix(self, fix: Fix | None) -> Fix | None:
        if fix is None:
            return None
        return replace(fix, edits=tuple(replace(edit, place=self.place(edit.place)) for edit in fix.edits))

    def place(self, place: Place) -> Place:
        return Place(self.source(place.source), place.span)

    def source(self, source: Source) -> Source:
        if source is self.own:
            return source
        moved = self._sources.get(id(source))
        if moved is None:
            moved = Source(self.file(source.name), source.text)
            self._sources[id(source)] = moved
            self._kept.append(source)
        return moved

    def file(self, name: str) -> str:
        if name.startswith("<"):
            return name
        path = Path(name)
        if not path.is_absolute():
            return f"{self.prefix}{name}"
        # Files that a part reads outside its own package (a model, a module) are named as sabir.yaml would name them.
        if self._folder is None or not path.is_relative_to(self._folder):
            return name
        return path.relative_to(self._folder).as_posix()


class MovedPart(Struct, frozen=True):
    """The graph of a part with ids and locations of the environment; instances without an owner belong to
    the part.
    """

    instances: tuple[Instance, ...]
    outputs: Mapping[str, Value]
    output_origins: Mapping[str, Origin]
    rendered: Callable[[], Sequence[RenderedObject]] = tuple
    wanted: Callable[[], DesiredResources] = DesiredResources


def move_part(
    part: str, evaluation: Evaluation, places: PartPlaces, given: Mapping[Span, Origin]
) -> MovedPart:
    """Translate the result of a part to the environment.

    `given` has the origins of the values that the environment computed for the part, by their spans in
    `sabir.yaml`.
    """
    graph = evaluation.graph
    mover = _Mover(part, places, given)
    outputs = {name: mover.value(value) for name, value in graph.outputs.items()}
    origins = {name: mover.origin(origin) for name, origin in graph.output_origins.items()}
    instances = tuple(mover.instance(instance, part) for instance in graph)
    return MovedPart(
        instances,
        outputs,
        origins,
        lambda: [mover.move_object(rendered) for rendered in evaluation.rendered()],
        lambda: mover.move_desired_resources(evaluation.wanted()),
    )


class _PartObservations(TrackedValues):
    """The observations of one part, by its own names.

    This is a view, not a copy: each step reads a few of a growing number of values.
    """

    def __init__(self, observed: Mapping[str, Value], prefix: str) -> None:
        self._observed = observed
        self._prefix = prefix

    def __getitem__(self, name: str) -> Value:
        return self._observed[self._prefix + name]

    def __iter__(self) -> Iterator[str]:
        prefix = self._prefix
        return (name.removeprefix(prefix) for name in self._observed if name.startswith(prefix))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def changes_since(self, mark: Mark | None) -> tuple[Iterable[str] | None, Mark | None]:
        if not isinstance(self._observed, TrackedValues):
            return None, None
        prefix = self._prefix
        names, now = self._observed.changes_since(mark)
        if names is None:
            return None, now
        return [name.removeprefix(prefix) for name in names if name.startswith(prefix)], now

    def __bool__(self) -> bool:
        """Tell whether a lookup can succeed. This may be wrongly true: an exact answer would cost as much
        as a copy.
        """
        return bool(self._observed)


class _Mover:
    def __init__(self, part: str, places: PartPlaces, given: Mapping[Span, Origin]) -> None:
        self.part = part
        self.places = places
        self.given = given
        # Many instances share origins and records; translating each once keeps them shared.
        self._origins: dict[int, tuple[Origin, Origin]] = {}
        self._targets: dict[str, str] = {}
        self._records: dict[int, tuple[Record[Origin], Record[Origin]]] = {}

    def instance(self, instance: Instance, owner: str) -> Instance:
        return replace(
            instance,
            id=self.id(instance.id),
            owner=owner if instance.owner is None else self.id(instance.owner),
            attributes=self._values(instance.attributes),
            relations=Record(
                instance.relations.layout, tuple(tuple(map(self.id, ids)) for ids in instance.relations.row)
            ),
            requires=tuple(map(self.id, instance.requires)),
            origin=None if instance.origin is None else self.origin(instance.origin),
            origins=self._origin_record(instance.origins),
        )

    def move_object(self, rendered: RenderedObject) -> RenderedObject:
        fields = {
            name: tuple(AttributeRead(self.id(read.instance), read.attribute) for read in reads)
            for name, reads in rendered.fields.items()
        }
        return replace(rendered, instance=self.id(rendered.instance), fields=fields)

    def move_desired_resources(self, wanted: DesiredResources) -> DesiredResources:
        """Qualify the targets that a part defines itself; targets of the environment keep their names."""
        self._targets = {target.name: self.id(target.name) for target in wanted.targets}
        return replace(
            wanted,
            targets=tuple(replace(target, name=self._targets[target.name]) for target in wanted.targets),
            resources=tuple(map(self._resource, wanted.resources)),
            operations=tuple(map(self._operation, wanted.operations)),
            findings=tuple(map(self.places.finding, wanted.findings)),
            idle=tuple(map(self.places.finding, wanted.idle)),
            pending=tuple(replace(each, address=self._address(each.address)) for each in wanted.pending),
        )

    def _resource(self, resource: Resource) -> Resource:
        late = resource.late
        return replace(
            resource,
            address=self._address(resource.address),
            target=None if resource.target is None else self._targets.get(resource.target, resource.target),
            desired={name: self.value(value) for name, value in resource.desired.items()},
            requires=tuple(map(self._address, resource.requires)),
            reacts_to=tuple(map(self._address, resource.reacts_to)),
            unless=tuple(map(self._address, resource.unless)),
            established=None
            if resource.established is None
            else tuple(map(self._address, resource.established)),
            results={name: self._address(address) for name, address in resource.results.items()},
            feedback={
                self._address(attribute): tuple(map(self._address, givers))
                for attribute, givers in resource.feedback.items()
            },
            late=None if late is None else lambda observed: self._late(late, observed),
            origin=None if resource.origin is None else self.origin(resource.origin),
            origins={name: self.origin(origin) for name, origin in resource.origins.items()},
        )

    def _operation(self, operation: Operation) -> Operation:
        resources, settles = operation.resources, operation.settles
        return replace(
            operation,
            address=self._address(operation.address),
            resources=lambda arguments: tuple(map(self._resource, resources(arguments))),
            settles=None if settles is None else lambda: tuple(map(self._address, settles())),
        )

    def _late(
        self, late: Callable[[Mapping[str, Value]], Mapping[str, Value]], observed: Mapping[str, Value]
    ) -> Mapping[str, Value]:
        ours = _PartObservations(observed, f"{self.part}/")
        return {name: self.value(value) for name, value in late(ours).items()}

    def _address(self, address: Address) -> Address:
        return address._replace(part=self.part)

    def id(self, id_: str) -> str:
        return f"{self.part}/{id_}"

    def _values(self, record: Record[Value]) -> Record[Value]:
        row = tuple(value if type(value) in _PLAIN else self.value(value) for value in record.row)
        return Record(record.layout, row)

    def value(self, value: Value) -> Value:
        """Return the value with references to instances translated; nothing else changes."""
        match value:
            case Ref(id=id_):
                return Ref(self.id(id_))
            case Unknown(of=str() as of):
                return replace(value, of=of[1:] if of.startswith("/") else self.id(of))
            case _:
                return with_inner(value, self.value)

    def _origin_record(self, record: Record[Origin]) -> Record[Origin]:
        entry = self._records.get(id(record))
        if entry is None:
            moved = Record(record.layout, tuple(map(self.origin, record.row)))
            entry = self._records[id(record)] = (record, moved)
        return entry[1]

    def origin(self, origin: Origin) -> Origin:
        """Translate an origin after the origins it depends on. Chains can be long, so there is no
        recursion.
        """
        moved = self._origins
        todo = [origin]
        while todo:
            step = todo[-1]
            if id(step) in moved:
                todo.pop()
                continue
            # Values that the environment computed, and what they were read from, already have ids of the environment.
            there = self._from_environment(step)
            missing = [
                source for source in step.sources if isinstance(source, Origin) and id(source) not in moved
            ]
            if there is not None:
                moved[id(step)] = (step, there)
            elif missing:
                todo += missing
            else:
                moved[id(step)] = (step, self._move_origin(step))
        return moved[id(origin)][1]

    def _from_environment(self, origin: Origin) -> Origin | None:
        place = origin.place
        if isinstance(place, Location) or place.source is not self.places.own:
            return None
        return self.given.get(place.span)

    def _move_origin(self, origin: Origin) -> Origin:
        place = origin.place
        if isinstance(place, Location):
            there: Place | Location = replace(place, file=self.places.file(place.file))
        else:
            there = self.places.place(place)
        sources = tuple(
            AttributeRead(self.id(source.instance), source.attribute)
            if isinstance(source, AttributeRead)
            else self._origins[id(source)][1]
            for source in origin.sources
        )
        return Origin(there, origin.how, sources, origin.note)


_PLAIN = frozenset({str, int, float, bool, type(None)})
