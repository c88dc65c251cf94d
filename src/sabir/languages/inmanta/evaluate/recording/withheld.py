"""What did not happen: conditions that kept a statement from writing to a property.

A relation holds what was added to it, so a condition that did not hold and would have let something be added is part of
why it is as it is; the same goes for an optional value that nobody set. Only writes whose instance can be told are
noted (`self.files += …`, `File(host=self)`): one whose instance would be known only if it ran concerns any instance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.effects import Effects
from sabir.languages.inmanta.evaluate.engine import Step as Statement
from sabir.languages.inmanta.evaluate.interrupts import Stop, Wait
from sabir.languages.inmanta.evaluate.recording.recorder import Activation, ModelRecorder
from sabir.languages.inmanta.evaluate.values import Frame, Instance
from sabir.languages.inmanta.syntax import nodes
from sabir.provenance import Outcome, Sources, Step

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.compiler import Compiler

__all__ = ["Withheld"]


class Withheld:
    def __init__(self, compiler: Compiler, recorder: ModelRecorder) -> None:
        self.compiler = compiler
        self.recorder = recorder
        self._skipped: dict[int, Statement] = {}
        self._loops: list[tuple[Activation, Sources]] = []

    def ended(self, activation: Activation) -> None:
        """A statement ran to its end: which of the statements inside it did not?"""
        step, node = activation.step, activation.step.node
        if isinstance(node, nodes.If):
            self._branches(activation, node)
        elif isinstance(node, nodes.Implement):
            if not any(_held(source) for source in self.recorder.reads):
                self._note(step, activation, self.recorder.distinct(self.recorder.reads))
        elif isinstance(node, nodes.For):
            # What it goes over may still come, so it is looked at when everything ran.
            self._loops.append((activation, self.recorder.distinct(self.recorder.reads)))

    def finish(self) -> None:
        """Loops that never had anything to go over."""
        for activation, reads in self._loops:
            node = activation.step.node
            if not activation.has_inner and isinstance(node, nodes.For):
                place = self.recorder.place(activation.step, node.iterable)
                step = self.recorder.step_at(place, How.LOOP, reads, outcome=Outcome.NO_ROUND)
                self._note(activation.step, activation, (step,))
        self._loops = []

    def _branches(self, activation: Activation, node: nodes.If) -> None:
        because = self.recorder.distinct(self.recorder.reads)
        decisions = [
            source for source in because if isinstance(source, Step) and source.site.how is How.CONDITION
        ]
        taken = next((at for at, step in enumerate(decisions) if _held(step)), len(node.branches))
        blocks = [block for _, block in node.branches] + [node.otherwise]
        for position, block in enumerate(blocks):
            if position != taken:
                for statement in block:
                    self._note(self._step(statement, activation), activation, because)

    def _step(self, statement: nodes.Statement, activation: Activation) -> Statement:
        skipped = self._skipped.get(id(statement))
        if skipped is None:
            skipped = self._skipped[id(statement)] = Statement(_never, statement, activation.scope)
        return skipped

    def _note(self, step: Statement, activation: Activation, because: Sources) -> None:
        effects: Effects = self.compiler.engine.closing.finder.of(step)
        if not effects.paths:
            return
        sources = tuple(dict.fromkeys((*because, *activation.context(self.recorder.blocks))))
        before = self.recorder.open()
        try:
            for read, name in effects.paths:
                for instance in _instances(read, activation.frame):
                    self._withhold(instance, name, sources)
        finally:
            self.recorder.close(before)

    def _withhold(self, instance: Instance, name: str, sources: Sources) -> None:
        prop = instance.entity.all_properties.get(name)
        if prop is not None and (prop.is_list or prop.is_optional):
            for source in sources:
                self.recorder.withheld.note((instance, name), source)


def _instances(read: Any, frame: Frame) -> list[Instance]:
    try:
        value = read(frame)
    except (Wait, Stop):
        return []
    items = value if isinstance(value, list) else [value]
    return [item for item in items if type(item) is Instance]


def _held(source: object) -> bool:
    """Whether a source is a condition that held."""
    return isinstance(source, Step) and source.site.outcome is Outcome.HELD


def _never(_: Frame) -> None:
    raise AssertionError("a statement that did not run")
