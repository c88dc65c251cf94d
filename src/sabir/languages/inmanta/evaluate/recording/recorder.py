"""The recorder of one model, in the terms of `sabir.provenance`.

A write depends on the open list of reads, and on whatever decided that its statement runs: the
conditions and loops around it, and the `implement` that selected the refinement. A value is written
once, so a cell is a source by itself and its origin is resolved at the end. Recorded steps are never
changed, and equal steps are shared.

Conditions that kept a statement from writing are recorded as well (`SkippedStatements`). A relation
contains what was added to it, so a false condition that would have added something explains its value.
The same holds for an optional value that is unset. Only writes whose instance can be determined are
recorded (`self.files += …`, `File(host=self)`): a write whose instance is known only if it runs
concerns any instance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from sabir.graph.origin import How
from sabir.graph.views.text import clip_text, one_line, value_text
from sabir.languages.inmanta.evaluate.dependencies import PropertyWrites
from sabir.languages.inmanta.evaluate.engine import EngineStep as Statement
from sabir.languages.inmanta.evaluate.interrupts import Stop, Wait
from sabir.languages.inmanta.evaluate.values import Frame, ModelInstance, PendingSlot, Read
from sabir.languages.inmanta.model.types import format_value
from sabir.languages.inmanta.syntax import nodes
from sabir.provenance import DecisionOutcome, ProvenanceStep, ReadTracker, Recorder, Sources, ValueSource
from sabir.text import Location, Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.compiler import ModelCompiler
    from sabir.languages.inmanta.evaluate.scopes import BlockScope, WriteSite
    from sabir.languages.inmanta.model.entities import Property


class Rest(Struct, frozen=True, eq=False):
    """What a write depends on."""

    reads: Sources
    decided_by: Sources

    @property
    def sources(self) -> Sources:
        return (*self.reads, *self.decided_by)


class RelationLink(Struct, frozen=True, eq=False):
    """How an instance was added to a relation."""

    site: WriteSite
    place: Place
    rest: Rest


class Activation:
    """A statement while it runs."""

    __slots__ = ("_context", "frame", "has_inner", "is_parked", "loop", "scope", "step")

    def __init__(self, step: Statement, frame: Frame) -> None:
        self.step = step
        self.scope = step.scope
        self.frame = frame
        self.loop: ProvenanceStep | None = None
        self.has_inner = False
        self.is_parked = False
        self._context: Sources | None = None

    def context(self, blocks: dict[tuple[int, int], tuple[Frame, Sources]]) -> Sources:
        """What decided that the statement runs. This is known since the enclosing block started."""
        decided_by = self._context
        if decided_by is None:
            decided_by = ()
            frame, depth = self.frame, 0
            for scope, above in self.scope.chain():
                while depth < above:
                    frame, depth = frame[0], depth + 1
                block = blocks.get((id(frame), id(scope)))
                if block is not None:
                    decided_by = block[1]
                    break
            self._context = decided_by
        return decided_by


class ModelRecorder(Recorder, ReadTracker):
    """The reads of the running statements, and the sources of everything written so far."""

    def __init__(self) -> None:
        Recorder.__init__(self)
        ReadTracker.__init__(self)
        self.arguments: dict[str, list[ValueSource]] = {}
        """The lists of the arguments of the constructor that runs, by name."""
        self.running: Activation | None = None
        self.variables: dict[tuple[int, int], ValueSource] = {}
        """By frame and slot. Frames are kept alive by `blocks`, or by the compiler when they are of a namespace."""
        self.blocks: dict[tuple[int, int], tuple[Frame, Sources]] = {}
        self.causes: dict[ModelInstance, Sources] = {}
        """What decided that an instance was made."""
        self.written: dict[ModelInstance, dict[str, ProvenanceStep]] = {}
        self.linked: dict[ModelInstance, dict[str, dict[ModelInstance, RelationLink]]] = {}
        self.constructed: set[ModelInstance] = set()
        self.turns: dict[ProvenanceStep, ProvenanceStep] = {}
        """The loop of each step that is one round of it."""
        self._remembered: dict[tuple[int, int], tuple[Frame, Sources]] = {}
        self._places: dict[int, Place] = {}  # by identity of a node: the project keeps them alive

    def step_at(
        self,
        place: Place | Location,
        how: How,
        rest: Rest | Sources = (),
        note: str | None = None,
        *,
        outcome: DecisionOutcome | None = None,
    ) -> ProvenanceStep:
        """Return the step at a place. Places are shared and kept alive by sites, so identity is a valid key."""
        site = self.site((id(place), id(how), note, id(outcome)), place, how, note, outcome)
        return (
            self.step(site, rest.reads, rest.decided_by) if isinstance(rest, Rest) else self.step(site, rest)
        )

    def place(self, step: Statement, node: nodes.Node) -> Place:
        place = self._places.get(id(node))
        if place is None:
            place = self._places[id(node)] = nodes.place_of(step.scope.space.source, node)
        return place

    # Reads

    def attribute(self, instance: Any, name: str | None) -> None:
        """Record the read of a property. Its chain includes the creation of the instance."""
        if type(instance) is ModelInstance:
            self.reads.append((instance, name))

    def distinct(self, reads: Sequence[ValueSource]) -> Sources:
        """Return the reads without instances of which a property was read later.

        The chain of each property names its instance already.
        """
        if len(reads) < 2:
            return tuple(reads)
        distinct: dict[ValueSource, None] = {}
        for source in reads:
            if type(source) is tuple and source[1] is not None:
                distinct.pop((source[0], None), None)
            distinct[source] = None
        return tuple(distinct)

    def collect_reads(self, read: Read, frame: Frame) -> tuple[Any, Sources]:
        """Return a value and what was read for it, without adding to the open reads."""
        before = self.open()
        try:
            value = read(frame)
        finally:
            sources = self.close(before)
        return value, sources

    def remember_reads(self, read: Read) -> Read:
        """Return a read that repeats its recorded reads, for values computed once per frame."""
        key = id(read)
        remembered = self._remembered
        begun: dict[int, dict[ValueSource, None]] = {}  # by identity of a frame: who waits keeps it alive

        def traced(frame: Frame) -> Any:
            before_it = remembered.get((id(frame), key))
            if before_it is not None:
                self.reads += before_it[1]
                return read(frame)
            before = self.open()
            try:
                value = read(frame)
            except Wait:  # it may go on from here, and then does not read again what it read already
                begun.setdefault(id(frame), {}).update(dict.fromkeys(self.reads))
                raise
            finally:
                sources = self.close(before)
            earlier = begun.pop(id(frame), None)
            if earlier is not None:
                sources = self.distinct(tuple(earlier | dict.fromkeys(sources)))
            remembered[id(frame), key] = (frame, sources)
            self.reads += sources
            return value

        return traced

    # Statements and blocks

    def begin_block(self, scope: BlockScope, frame: Frame) -> None:
        """Record that a block starts in the running statement, whose condition or loop decided that."""
        outer = self.running
        if outer is None:
            return
        outer.has_inner = True
        if (id(frame), id(scope)) in self.blocks:
            return
        node = outer.step.node
        decided_by: Sources
        if isinstance(node, nodes.For):
            decided_by = (self._loop(outer, node, frame[1]),)
        else:
            decided_by = self.distinct(self.reads)
        self.blocks[id(frame), id(scope)] = (frame, decided_by + outer.context(self.blocks))

    def _loop(self, outer: Activation, node: nodes.For, item: Any) -> ProvenanceStep:
        """Return the step of one loop iteration: the iterable, and the value of the variable."""
        place, words = self.place(outer.step, node.iterable), f"for {node.variable}"
        link = self._link(node, item)
        if link is not None:
            sources = dict.fromkeys(self.distinct(self.reads))
            # That this instance is in the relation decides, and not what else is in it.
            del sources[self.reads[-1]]
            sources[self.step_at(link.place, How.RELATION, link.rest)] = None
            return self.step_at(place, How.LOOP, tuple(sources), words)
        loop = outer.loop
        if loop is None:
            loop = outer.loop = self.step_at(place, How.LOOP, self.distinct(self.reads), words)
        if type(item) is ModelInstance:  # has no name yet, and is the subject of the chains that it is in
            return loop
        turn = self.step_at(place, How.LOOP, tuple(loop.reads), f"{words} = {_format_item(item)}")
        self.turns[turn] = loop
        return turn

    def _link(self, node: nodes.For, item: Any) -> RelationLink | None:
        """Return how the item came into the relation that is looped over, or None if it is not a relation."""
        if not self.reads or not isinstance(node.iterable, nodes.AttributeRef | nodes.Name):
            return None
        last = self.reads[-1]
        if not isinstance(last, tuple) or last[1] is None:
            return None
        return self.linked.get(last[0], {}).get(last[1], {}).get(item)

    def end(self, step: Statement, frame: Frame) -> None:
        """Record that a statement ran: a variable that it set depends on what it read."""
        node = step.node
        if not isinstance(node, nodes.Assign) or not isinstance(node.target, nodes.Name) or node.extend:
            return
        slot = step.scope.names[node.target.name]
        value = frame[slot]
        if type(value) is PendingSlot or (id(frame), slot) in self.variables:
            return
        source = step.scope.space.source
        if isinstance(node.value, nodes.Construct) and (value, None) in self.reads:
            line = source.line_column
            if line(node.start)[0] == line(node.value.start)[0]:
                self.variables[id(frame), slot] = (value, None)
                return
        how = How.LITERAL if isinstance(node.value, nodes.Literal) else How.ASSIGNMENT
        self.variables[id(frame), slot] = self.step_at(
            self.place(step, node), how, self.whole(self.reads), f"variable {node.target.name}"
        )

    def whole(self, reads: Sequence[ValueSource]) -> Rest:
        """Return what was read, and what decided that it was read."""
        current = self.running
        return Rest(self.distinct(reads), current.context(self.blocks) if current is not None else ())

    def whole_loops(self, sources: Sources) -> Sources:
        """Return sources with each loop as a whole instead of its iterations.

        This is for results of several iterations together.
        """
        turns = self.turns
        return tuple(
            turns.get(source, source) if type(source) is ProvenanceStep else source for source in sources
        )

    # Instances

    def make(self, instance: ModelInstance) -> Sources:
        """Return what decided that an instance was created; computed while it is constructed."""
        decided_by = self.causes.get(instance)
        if decided_by is None:
            current = self.running
            decided_by = self.causes[instance] = () if current is None else current.context(self.blocks)
        return decided_by

    def rests(
        self, instance: ModelInstance, site: WriteSite, place: Place, reads: Sequence[ValueSource]
    ) -> Rest:
        """Return what a write of a property depends on: its reads, and that the statement ran."""
        if site is not instance.site:
            return self.whole(reads)
        # Where the argument is seen, the constructor is seen, too, unless they stand on two lines.
        decided_by: Sources = self.make(instance) if _is_on_line_of(place, site) else ((instance, None),)
        return Rest(self.distinct(reads), decided_by)

    def wrote(self, instance: ModelInstance, prop: Property, step: ProvenanceStep) -> None:
        self.written.setdefault(instance, {})[prop.name] = step

    def record_link(
        self, instance: ModelInstance, prop: Property, value: ModelInstance, link: RelationLink
    ) -> None:
        self.linked.setdefault(instance, {}).setdefault(prop.name, {})[value] = link


def _is_on_line_of(place: Place, site: WriteSite) -> bool:
    source = site.place.source
    return source.line_column(place.span.start)[0] == source.line_column(site.place.span.start)[0]


def _format_item(item: Any) -> str:
    """Return the value of a loop variable in the form used in chains."""
    return clip_text(value_text(item) if type(item) is str else one_line(format_value(item)))


class SkippedStatements:
    """Finds the conditions that kept statements from writing to a property."""

    def __init__(self, compiler: ModelCompiler, recorder: ModelRecorder) -> None:
        self.compiler = compiler
        self.recorder = recorder
        self._skipped: dict[int, Statement] = {}
        self._loops: list[tuple[Activation, Sources]] = []

    def record_end(self, activation: Activation) -> None:
        """Record which statements inside a completed statement did not run."""
        step, node = activation.step, activation.step.node
        if isinstance(node, nodes.If):
            self._branches(activation, node)
        elif isinstance(node, nodes.Implement):
            if not any(_is_held(source) for source in self.recorder.reads):
                self._note(step, activation, self.recorder.distinct(self.recorder.reads))
        elif isinstance(node, nodes.For):
            # What it goes over may still come, so it is looked at when everything ran.
            self._loops.append((activation, self.recorder.distinct(self.recorder.reads)))

    def finish(self) -> None:
        """Record loops that had nothing to iterate over."""
        for activation, reads in self._loops:
            node = activation.step.node
            if not activation.has_inner and isinstance(node, nodes.For):
                place = self.recorder.place(activation.step, node.iterable)
                step = self.recorder.step_at(place, How.LOOP, reads, outcome=DecisionOutcome.NO_ROUND)
                self._note(activation.step, activation, (step,))
        self._loops = []

    def _branches(self, activation: Activation, node: nodes.If) -> None:
        because = self.recorder.distinct(self.recorder.reads)
        decisions = [
            source
            for source in because
            if isinstance(source, ProvenanceStep) and source.site.how is How.CONDITION
        ]
        taken = next((at for at, step in enumerate(decisions) if _is_held(step)), len(node.branches))
        blocks = [block for _, block in node.branches] + [node.otherwise]
        for position, block in enumerate(blocks):
            if position != taken:
                for statement in block:
                    self._note(self._step(statement, activation), activation, because)

    def _step(self, statement: nodes.Statement, activation: Activation) -> Statement:
        skipped = self._skipped.get(id(statement))
        if skipped is None:
            skipped = self._skipped[id(statement)] = Statement(_reject_run, statement, activation.scope)
        return skipped

    def _note(self, step: Statement, activation: Activation, because: Sources) -> None:
        effects: PropertyWrites = self.compiler.engine.closing.finder.of(step)
        if not effects.paths:
            return
        sources = tuple(dict.fromkeys((*because, *activation.context(self.recorder.blocks))))
        before = self.recorder.open()
        try:
            for read, name in effects.paths:
                for instance in _read_instances(read, activation.frame):
                    self._withhold(instance, name, sources)
        finally:
            self.recorder.close(before)

    def _withhold(self, instance: ModelInstance, name: str, sources: Sources) -> None:
        prop = instance.entity.all_properties.get(name)
        if prop is not None and (prop.is_list or prop.is_optional):
            for source in sources:
                self.recorder.withheld.note((instance, name), source)


def _read_instances(read: Any, frame: Frame) -> list[ModelInstance]:
    try:
        value = read(frame)
    except (Wait, Stop):
        return []
    items = value if isinstance(value, list) else [value]
    return [item for item in items if type(item) is ModelInstance]


def _is_held(source: object) -> bool:
    """Return whether a source is a condition that was true."""
    return isinstance(source, ProvenanceStep) and source.site.outcome is DecisionOutcome.HELD


def _reject_run(_: Frame) -> None:
    raise AssertionError("a statement that did not run")
