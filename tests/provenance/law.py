"""The law of provenance: a line whose change changes a value stands in the chain of that value, and what a chain names
matters. Stated once; each language says how its texts are evaluated, what its values are, and how a line is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sabir.graph.dependence import lines_of
from sabir.graph.graph import Graph
from sabir.operations.why import Explainer, Explanation, Subject

__all__ = ["Files", "Law", "Line", "Mutant", "Value", "covered_lines"]

Files = Mapping[str, str]
Line = tuple[str, int]
Value = tuple[str | None, str]
"""A property of an instance, or (without one) an output."""


@dataclass(frozen=True)
class Mutant:
    """A description with one line changed; `text` is the new line, None when it was taken away."""

    line: Line
    text: str | None
    files: Files


def covered_lines(explanation: Explanation) -> set[Line]:
    """The lines that a chain names."""
    origins = (step.origin for step in explanation.steps if step.origin is not None)
    return {(file, line) for file, lines in map(lines_of, origins) for line in lines}


@dataclass(frozen=True)
class Law:
    """What a language says about itself."""

    evaluate: Callable[[Files], Graph | None]
    """None when something is wrong with the texts."""
    values: Callable[[Graph], Mapping[Value, str]]
    variants: Callable[[str, str, Files], Iterable[str | None]]
    """The changes of a line of a file; none for a line that gives nothing a value."""

    def mutants(self, files: Files, only: str | None = None) -> Iterator[Mutant]:
        """The description with one line changed, for every line and every change of it."""
        for file, text in files.items():
            if only not in (None, file):
                continue
            lines = text.split("\n")
            for at, line in enumerate(lines):
                for new in dict.fromkeys(self.variants(file, line, files)):
                    after = [*lines[:at], *([] if new is None else [new]), *lines[at + 1 :]]
                    if new != line:
                        yield Mutant((file, at + 1), new, {**files, file: "\n".join(after)})

    def chains(self, graph: Graph) -> Callable[[Value], set[Line]]:
        """The lines that the chain of a value names, worked out when asked for."""
        explainer, covered = Explainer(graph), dict[Value, set[Line]]()

        def lines_for(value: Value) -> set[Line]:
            if value not in covered:
                instance = None if value[0] is None else graph[value[0]]
                covered[value] = covered_lines(explainer.explain(Subject(instance, value[1])))
            return covered[value]

        return lines_for

    def changed(
        self, before: Mapping[Value, str], mutants: Sequence[Mutant] | Iterator[Mutant]
    ) -> Iterator[tuple[Mutant, dict[Value, str], set[Value]]]:
        """For every mutant that is whole: the values it changes, each as it is then, and those that are gone."""
        for mutant in mutants:
            graph = self.evaluate(mutant.files)
            if graph is None:
                yield mutant, {}, set(before)
                continue
            after = self.values(graph)
            changed = {
                value: after[value] for value in before if after.get(value, before[value]) != before[value]
            }
            yield mutant, changed, before.keys() - after.keys()
