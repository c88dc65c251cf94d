"""The graph of an environment: one instance per part, which owns the part's instances and depends on other
parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sabir.environment.inputs import ResolvedValue, origin_of, value_of
from sabir.environment.merge import MovedPart
from sabir.environment.nodes import Environment
from sabir.environment.part_runner import PartRunner
from sabir.graph.edges import EdgeKind, edge_kinds
from sabir.graph.graph import PART_TYPE, Graph, Instance
from sabir.graph.observations import set_statuses
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.record import Record
from sabir.graph.values import Value
from sabir.text import Span


class PartsGraph:
    """Builds graphs of the parts that are done.

    `resolved` is filled while parts are evaluated, so a graph that is built later has more values.
    """

    def __init__(
        self, environment: Environment, runner: PartRunner, resolved: Mapping[Span, ResolvedValue]
    ) -> None:
        self._environment = environment
        self._runner = runner
        self._resolved = resolved

    def whole(self, parts: Mapping[str, MovedPart]) -> Graph:
        """Return the graph of the parts with the outputs of the environment."""
        instances = self.instances(parts)
        if self._environment.outputs is None:
            return Graph(instances)
        outputs: dict[str, Value] = {}
        origins: dict[str, Origin] = {}
        for key, node in self._environment.outputs.items():
            label = getattr(key, "text", "?")
            outputs[label] = value_of(node, self._resolved)
            origins[label] = origin_of(self._environment, node, self._resolved, How.LITERAL)
        return Graph(instances, outputs=outputs, output_origins=origins)

    def instances(self, parts: Mapping[str, MovedPart]) -> Iterator[Instance]:
        """Yield an instance for each part, followed by the instances of the part."""
        for name, moved in parts.items():
            loaded = self._runner.parts[name]
            uses, requires = self._edges(name)
            yield Instance(
                id=name,
                type=PART_TYPE,
                language=loaded.language.name,
                name=name,
                attributes=Record.of({"path": loaded.part.path, **_output_attributes(moved.outputs)}),
                relations=Record.of({"uses": uses} if uses else {}),
                requires=requires,
                origin=Origin(self._environment.place(loaded.part.span), How.LITERAL, note="part"),
                origins=Record.of(self._part_origins(name, moved, uses)),
                kinds=edge_kinds(relations=(("uses", EdgeKind.USES),) if uses else ()),
            )
            yield from set_statuses(moved.instances, self._runner.request.sightings.statuses)

    def _part_origins(self, name: str, moved: MovedPart, uses: tuple[str, ...]) -> dict[str, Origin]:
        part = self._runner.parts[name].part
        place = self._environment.place(part.span)
        origins = {"path": Origin(self._environment.place(part.path_span), How.LITERAL)}
        if moved.outputs:
            output_origins = tuple(moved.output_origins.values())
            origins["outputs"] = Origin(place, How.LITERAL, output_origins, "outputs of the part")
        if uses:
            asked = (self._resolved.get(reference.span) for reference in self._runner.asked.get(name, ()))
            origins["uses"] = Origin(
                place, How.RELATION, tuple(resolved.origin for resolved in asked if resolved is not None)
            )
        return origins

    def _edges(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the instances of other parts whose values a part uses, and the names of those parts."""
        reads = [
            read.instance
            for reference in self._runner.asked.get(name, ())
            if reference.span in self._resolved
            for read in self._resolved[reference.span].origin.sources
            if isinstance(read, AttributeRead) and read.instance.partition("/")[0] != name
        ]
        parts = (instance.partition("/")[0] for instance in reads)
        return tuple(dict.fromkeys(reads)), tuple(dict.fromkeys(parts))


def _output_attributes(outputs: Mapping[str, Value]) -> Mapping[str, Value]:
    return {"outputs": dict(outputs)} if outputs else {}
