"""The substitution mapping of a topology as an instance of the graph: what it stands for, and by which of its nodes."""

from __future__ import annotations

from collections.abc import Iterator

from sabir.graph.address import escaped
from sabir.graph.graph import Instance
from sabir.graph.origin import How, Origin
from sabir.graph.record import Record
from sabir.graph.values import Value
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.graph.addresses import id_of
from sabir.languages.tosca.graph.plain import written_value
from sabir.languages.tosca.syntax.nodes import MappedEntry

__all__ = ["mapping_of"]

_SECTION = "substitution_mappings"


def mapping_of(ensemble: Ensemble) -> Iterator[Instance]:
    mapping = ensemble.model.topology.substitution
    if mapping is None:
        return
    sections: dict[str, dict[str, Value]] = {}
    relations: dict[str, dict[str, None]] = {}
    origins: dict[str, Origin] = {}
    for entry in mapping.entries:
        sections.setdefault(entry.section, {})[".".join((*entry.part, entry.name))] = _stands_for(entry)
        origins.setdefault(entry.section, Origin(entry.place, How.LITERAL))
        for target in entry.targets:
            nodes = relations.setdefault(entry.section, {})
            nodes.update((id_of(node), None) for node in ensemble.instances(target[0]))
    outer = ensemble.outer
    owner = None if outer is None else outer.node
    yield Instance(
        id=escaped(_SECTION if owner is None else f"{owner.key}.{_SECTION}"),
        type=mapping.name,
        language="tosca",
        name=_SECTION,
        owner=None if owner is None else id_of(owner),
        attributes=Record.of(dict(sections)),
        relations=Record.of({f"{section}_of": tuple(nodes) for section, nodes in relations.items() if nodes}),
        origin=Origin(mapping.place, How.LITERAL),
        origins=Record.of(origins),
    )


def _stands_for(entry: MappedEntry) -> Value:
    """The way to what it stands for, or the value that is given in its place."""
    if entry.value is not None:
        return written_value(entry.value.data)
    targets: list[Value] = [list(target) for target in entry.targets]
    return targets[0] if len(targets) == 1 else targets
