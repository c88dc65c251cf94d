"""What did not happen: conditions that kept a statement from writing to a property.

A relation holds what was added to it, so a condition that did not hold and would have let something be added is part of
why it is as it is; the same goes for an optional value that nobody set. Only writes whose instance can be told are
noted (`self.files += …`, `File(host=self)`): one whose instance would be known only if it ran concerns any instance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.effects import Effects
from sabir.languages.inmanta.evaluate.engine import Step
from sabir.languages.inmanta.evaluate.tracing.tracer import Activation, Source, Sources, Trace, Tracer
from sabir.languages.inmanta.evaluate.values import Frame, Instance, Stop, Wait
from sabir.languages.inmanta.syntax import nodes

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.compiler import Compiler

__all__ = ["HOLDS", "HOLDS_NOT", "Withheld"]

HOLDS = "holds"
HOLDS_NOT = "does not hold"


class Withheld:
    def __init__(self, compiler: Compiler, tracer: Tracer) -> None:
        self.compiler = compiler
        self.tracer = tracer
        self._skipped: dict[int, Step] = {}
        self._loops: list[tuple[Activation, Sources]] = []

    def ended(self, activation: Activation) -> None:
        """A statement ran to its end: which of the statements inside it did not?"""
        step, node = activation.step, activation.step.node
        if isinstance(node, nodes.If):
            self._branches(activation, node)
        elif isinstance(node, nodes.Implement):
            if not self._decided(HOLDS):
                self._note(step, activation, tuple(self.tracer.reads))
        elif isinstance(node, nodes.For):
            # What it goes over may still come, so it is looked at when everything ran.
            self._loops.append((activation, tuple(self.tracer.reads)))

    def finish(self) -> None:
        """Loops that never had anything to go over."""
        for activation, reads in self._loops:
            node = activation.step.node
            if not activation.has_inner and isinstance(node, nodes.For):
                place = self.tracer.place(activation.step, node.iterable)
                trace = self.tracer.trace(place, How.LOOP, reads, "goes over nothing")
                self._note(activation.step, activation, (trace,))
        self._loops = []

    def _decided(self, note: str) -> bool:
        return any(isinstance(one, Trace) and one.note == note for one in self.tracer.reads)

    def _branches(self, activation: Activation, node: nodes.If) -> None:
        decisions = [one for one in self.tracer.reads if isinstance(one, Trace) and one.how is How.CONDITION]
        holds = [one.note == HOLDS for one in decisions]
        taken = len(node.branches) if not any(holds) else holds.index(True)
        blocks = [block for _, block in node.branches] + [node.otherwise]
        because = tuple(self.tracer.reads)
        for position, block in enumerate(blocks):
            if position != taken:
                for statement in block:
                    self._note(self._step(statement, activation), activation, because)

    def _step(self, statement: nodes.Statement, activation: Activation) -> Step:
        known = self._skipped.get(id(statement))
        if known is None:
            known = self._skipped[id(statement)] = Step(_never, statement, activation.scope)
        return known

    def _note(self, step: Step, activation: Activation, because: Sources) -> None:
        effects: Effects = self.compiler.engine.closing.finder.of(step)
        if not effects.paths:
            return
        sources = dict.fromkeys((*because, *activation.context(self.tracer.blocks)))
        before = self.tracer.open()
        try:
            for read, name in effects.paths:
                for instance in _instances(read, activation.frame):
                    self._withhold(instance, name, sources)
        finally:
            self.tracer.close(before)

    def _withhold(self, instance: Instance, name: str, sources: dict[Source, None]) -> None:
        prop = instance.entity.all_properties.get(name)
        if prop is not None and (prop.is_list or prop.is_optional):
            self.tracer.withheld.setdefault((instance, name), {}).update(sources)


def _instances(read: Any, frame: Frame) -> list[Instance]:
    try:
        found = read(frame)
    except (Wait, Stop):
        return []
    items = found if isinstance(found, list) else [found]
    return [one for one in items if type(one) is Instance]


def _never(_: Frame) -> None:
    raise AssertionError("a statement that did not run")
