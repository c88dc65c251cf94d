"""The values that the lines of a project evaluate to, as of its last evaluation.

Only saved text is evaluated, since half-typed text has no values. A line that was not edited since is found
by `LineShift`, which accounts for lines that were inserted or deleted above it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from itertools import takewhile

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.graph.graph import Graph
from sabir.graph.origin import How, Origin
from sabir.graph.values import Value
from sabir.operations.why import Explainer, Explanation, Subject
from sabir.text import Location

_COMPUTED = frozenset(
    {How.EXPRESSION, How.TEMPLATE, How.REFERENCE, How.REFINEMENT, How.PLUGIN, How.INPUT, How.CONVERSION}
)


class ValueAt(Struct, frozen=True, eq=False):
    """A value and its origin."""

    subject: Subject
    origin: Origin

    @property
    def is_computed(self) -> bool:
        """Tell whether the value differs from a literal at that location."""
        return self.origin.how in _COMPUTED or bool(self.origin.sources)


class LineShift(Struct, frozen=True):
    """Mapping of lines to an older version of the text: an edited range between two unchanged ranges."""

    before: int
    """The number of unchanged lines at the start."""
    after: int
    """The number of unchanged lines at the end."""
    length: int
    old_length: int

    @classmethod
    def between(cls, text: str, old: str) -> LineShift:
        lines, old_lines = text.split("\n"), old.split("\n")
        shorter = min(len(lines), len(old_lines))
        before = sum(1 for _ in takewhile(_are_equal, zip(lines, old_lines, strict=False)))
        backwards = zip(reversed(lines), reversed(old_lines), strict=False)
        after = sum(1 for _ in takewhile(_are_equal, backwards))
        return cls(before, min(after, shorter - before), len(lines), len(old_lines))

    def old(self, line: int) -> int | None:
        """Return the older number of a line (from 1); None if the line was edited."""
        if line <= self.before:
            return line
        return line + self.old_length - self.length if line > self.length - self.after else None


def _are_equal(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]


class EvaluatedProject:
    """A graph with queries by location. Files have the names that they have in the graph."""

    def __init__(self, graph: Graph, findings: tuple[Finding, ...] = ()) -> None:
        self.graph = graph
        self.findings = findings

    @cached_property
    def _by_line(self) -> dict[tuple[str, int], list[ValueAt]]:
        values: defaultdict[tuple[str, int], list[ValueAt]] = defaultdict(list)
        for value in self._values():
            location = value.origin.location
            values[location.file, location.line].append(value)
        return values

    def _values(self) -> Iterator[ValueAt]:
        for instance in self.graph:
            if instance.origin is not None:
                yield ValueAt(Subject(instance), instance.origin)
            for name in (*instance.attributes, *instance.relations):
                origin = instance.origins.get(name)
                if origin is not None:
                    yield ValueAt(Subject(instance, name), origin)
        for name, origin in self.graph.output_origins.items():
            yield ValueAt(Subject(None, name), origin)

    def on_line(self, file: str, line: int) -> list[ValueAt]:
        return self._by_line.get((file, line), [])

    def at(self, file: str, line: int, column: int) -> list[ValueAt]:
        """Return the values created closest before a column: those of one statement, which may be many in
        a loop.
        """
        values = self.on_line(file, line)
        columns = {value.origin.location.column for value in values}
        nearest = max((start for start in columns if start <= column), default=min(columns, default=0))
        return [value for value in values if value.origin.location.column == nearest]

    def explain(self, value: ValueAt) -> Explanation:
        return Explainer(self.graph).explain(value.subject)

    def value_of(self, value: ValueAt) -> Value:
        return Explainer(self.graph).value(value.subject)[0]

    def sources_of(self, file: str, line: int) -> Iterator[Location]:
        """Yield the locations of the values that a line is computed from, including lines that only pass
        them on.
        """
        explainer = Explainer(self.graph)
        for touched in self.graph.dependence.find_origins(file, line):
            for source in touched.sources:
                origin: Origin | None = None
                if isinstance(source, Origin):
                    origin = source
                elif source.instance in self.graph:
                    origin = explainer.origin(Subject(self.graph[source.instance], source.attribute))
                if origin is not None and (origin.location.file, origin.location.line) != (file, line):
                    yield origin.location

    def find_dependents(self, file: str, line: int) -> Iterator[ValueAt]:
        """Yield the values that depend on a line."""
        explainer = Explainer(self.graph)
        for affected in self.graph.dependence.on_line(file, line):
            instance = None if affected.instance is None else self.graph[affected.instance]
            subject = Subject(instance, affected.attribute)
            origin = explainer.origin(subject)
            if origin is not None:
                yield ValueAt(subject, origin)

    def find_dependent_locations(self, file: str, line: int) -> Iterator[Location]:
        """Yield the locations of values that depend on a line, directly or indirectly."""
        for value in self.find_dependents(file, line):
            location = value.origin.location
            if (location.file, location.line) != (file, line):
                yield location
