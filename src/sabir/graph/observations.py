"""Values and statuses observed by deployments, added to the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.graph.graph import Graph, Instance
from sabir.graph.origin import How, Origin
from sabir.graph.record import Record
from sabir.graph.values import Value
from sabir.text import Location


class Sightings(Struct, frozen=True, kw_only=True):
    """When values of a deployed environment were observed, and the statuses of its instances."""

    notes: Mapping[str, str] = field(default_factory=dict[str, str])
    """When each value was observed (`at step 14 of deployment 7`), by the text of the attribute's address."""
    statuses: Mapping[str, str] = field(default_factory=dict[str, str])
    """Statuses by instance id: `ok`, `error`, `unknown`."""

    def __bool__(self) -> bool:
        return bool(self.notes or self.statuses)


def set_statuses(instances: Iterable[Instance], statuses: Mapping[str, str]) -> Iterable[Instance]:
    """Return the instances, with a status on those that have one."""
    if not statuses:
        return instances
    return (
        instance if instance.id not in statuses else replace(instance, status=statuses[instance.id])
        for instance in instances
    )


def with_sightings(graph: Graph, sightings: Sightings, observed: Mapping[str, Value]) -> Graph:
    """Return the graph with observed values as attributes whose origin states when they were observed."""
    by_instance: dict[str, dict[str, str]] = {}
    for name, note in sightings.notes.items():
        instance, _, attribute = name.partition("|")
        by_instance.setdefault(instance, {})[attribute] = note

    def seen() -> Iterator[Instance]:
        for instance in set_statuses(graph, sightings.statuses):
            notes = by_instance.get(instance.id)
            yield instance if notes is None else _add_observations(instance, notes, observed)

    return Graph(seen(), outputs=graph.outputs, output_origins=graph.output_origins)


def _add_observations(
    instance: Instance, notes: Mapping[str, str], observed: Mapping[str, Value]
) -> Instance:
    place = Location("<deployed>", 1, 1) if instance.origin is None else instance.origin.place
    attributes, origins = dict(instance.attributes), dict(instance.origins)
    for name, note in notes.items():
        value = observed.get(f"{instance.id}|{name}")
        if name not in attributes:
            attributes[name] = value
        elif attributes[name] != value:
            continue  # the project sets another value, which wins
        origins[name] = Origin(place, How.OBSERVED, note=note)
    return replace(instance, attributes=Record.of(attributes), origins=Record.of(origins))
