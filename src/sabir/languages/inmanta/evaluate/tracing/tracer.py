"""What was read, noted while it is read.

Whoever computes something opens a list, and every read adds to the open list. A write takes the list, and with it what
decided that its statement runs: the conditions and loops around it, and the `implement` that selected the refinement.
What is noted is never changed: values go forward only, so what a read finds is complete.

An evaluation that is not asked for the long answer has none of this: its readers and writers are other ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

from sabir.graph.origin import How, Origin
from sabir.languages.inmanta.evaluate.values import Frame, Instance, Pending, Read
from sabir.languages.inmanta.syntax import nodes
from sabir.text import Location, Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.engine import Step
    from sabir.languages.inmanta.evaluate.scopes import Scope
    from sabir.languages.inmanta.evaluate.sites import Site
    from sabir.languages.inmanta.model.entities import Property

__all__ = ["Cell", "Link", "Source", "Sources", "Trace", "Tracer"]

Cell = tuple[Instance, str | None]
"""A property of an instance, or (None) the instance itself."""


class Trace:
    """A step: it becomes an `Origin` when the instances have names."""

    __slots__ = ("how", "note", "origin", "place", "sources")

    def __init__(
        self, place: Place | Location, how: How, sources: tuple[Source, ...], note: str | None = None
    ) -> None:
        self.place = place
        self.how = how
        self.sources = sources
        self.note = note
        self.origin: Origin | None = None


Source = Union[Trace, Cell, Origin]
Sources = tuple[Source, ...]


class Link:
    """How an instance came to be in a relation."""

    __slots__ = ("place", "site", "sources")

    def __init__(self, site: Site, place: Place, sources: Sources) -> None:
        self.site = site
        self.place = place
        self.sources = sources


class Activation:
    """A statement while it runs."""

    __slots__ = ("_context", "frame", "has_inner", "is_parked", "loop", "scope", "step")

    def __init__(self, step: Step, frame: Frame) -> None:
        self.step = step
        self.scope = step.scope
        self.frame = frame
        self.loop: Trace | None = None
        self.has_inner = False
        self.is_parked = False
        self._context: Sources | None = None

    def context(self, blocks: dict[tuple[int, int], tuple[Frame, Sources]]) -> Sources:
        """What decided that the statement runs: known since the block around it began."""
        found = self._context
        if found is None:
            found = ()
            frame, depth = self.frame, 0
            for scope, above in self.scope.chain():
                while depth < above:
                    frame, depth = frame[0], depth + 1
                known = blocks.get((id(frame), id(scope)))
                if known is not None:
                    found = known[1]
                    break
            self._context = found
        return found


class Tracer:
    def __init__(self) -> None:
        self.reads: dict[Source, None] = {}
        """The open list."""
        self.arguments: dict[str, dict[Source, None]] = {}
        """The lists of the arguments of the constructor that runs, by name."""
        self.current: Activation | None = None
        self.variables: dict[tuple[int, int], Source] = {}
        """By frame and slot. Frames are kept alive by `blocks`, or by the compiler when they are of a namespace."""
        self.blocks: dict[tuple[int, int], tuple[Frame, Sources]] = {}
        self.made: dict[Instance, Sources] = {}
        """What decided that an instance was made."""
        self.written: dict[Instance, dict[str, Trace]] = {}
        self.linked: dict[Instance, dict[str, dict[Instance, Link]]] = {}
        self.withheld: dict[Cell, dict[Source, None]] = {}
        """Conditions that kept a statement from writing to a property."""
        self.constructed: set[Instance] = set()
        self._remembered: dict[tuple[int, int], tuple[Frame, Sources]] = {}
        self._traces: dict[tuple[object, ...], Trace] = {}
        self._places: dict[int, Place] = {}  # by identity of a node: the project keeps them alive

    def trace(self, place: Place | Location, how: How, sources: Sources, note: str | None = None) -> Trace:
        """A step. The same step is there once, however often a loop comes to it: places are shared, too."""
        key = (id(place), id(how), sources, note)
        known = self._traces.get(key)
        if known is None:
            known = self._traces[key] = Trace(place, how, sources, note)
        return known

    def place(self, step: Step, node: nodes.Node) -> Place:
        known = self._places.get(id(node))
        if known is None:
            known = self._places[id(node)] = nodes.place_of(step.scope.space.source, node)
        return known

    # Lists

    def open(self) -> dict[Source, None]:
        """Begin a list; what was open before is to be given to `close`."""
        before = self.reads
        self.reads = {}
        return before

    def close(self, before: dict[Source, None]) -> Sources:
        own = tuple(self.reads)
        self.reads = before
        return own

    def extend(self, sources: Sources) -> None:
        self.reads.update(dict.fromkeys(sources))

    def attribute(self, instance: Any, name: str | None) -> None:
        """A property was read. That the instance was made is part of the chain of every property of it."""
        if type(instance) is Instance:
            self.reads.pop((instance, None), None)
            self.reads[instance, name] = None

    def remembering(self, read: Read) -> Read:
        """For what is evaluated once in a frame, although the statement around it may run again."""
        own = id(read)
        remembered = self._remembered

        def traced(frame: Frame) -> Any:
            known = remembered.get((id(frame), own))
            if known is not None:
                self.extend(known[1])
                return read(frame)
            before = self.open()
            try:
                value = read(frame)
            finally:
                sources = self.close(before)
            remembered[id(frame), own] = (frame, sources)
            self.extend(sources)
            return value

        return traced

    # Statements and blocks

    def begin_block(self, scope: Scope, frame: Frame) -> None:
        """A block begins inside the statement that runs now: its condition or loop decided that."""
        outer = self.current
        if outer is None:
            return
        outer.has_inner = True
        if (id(frame), id(scope)) in self.blocks:
            return
        node = outer.step.node
        own: Sources
        if isinstance(node, nodes.For):
            own = (self._loop(outer, node, frame[1]),)
        else:
            own = tuple(self.reads)
        self.blocks[id(frame), id(scope)] = (frame, own + outer.context(self.blocks))

    def _loop(self, outer: Activation, node: nodes.For, item: Any) -> Trace:
        link = self._link(node, item)
        if link is None and outer.loop is not None:
            return outer.loop
        sources = dict(self.reads)
        if link is not None:
            # That this instance is in the relation decides, and not what else is in it.
            sources.popitem()
            sources[self.trace(link.place, How.RELATION, link.sources)] = None
        trace = self.trace(
            self.place(outer.step, node.iterable), How.LOOP, tuple(sources), f"for {node.variable}"
        )
        if link is None:
            outer.loop = trace
        return trace

    def _link(self, node: nodes.For, item: Any) -> Link | None:
        """How the item came into the relation that is looped over, when it is one."""
        if not self.reads or not isinstance(node.iterable, nodes.AttributeRef | nodes.Name):
            return None
        last = next(reversed(self.reads))
        if not isinstance(last, tuple) or last[1] is None:
            return None
        return self.linked.get(last[0], {}).get(last[1], {}).get(item)

    def end(self, step: Step, frame: Frame) -> None:
        """A statement ran: a variable that it set rests on what it read."""
        node = step.node
        if not isinstance(node, nodes.Assign) or not isinstance(node.target, nodes.Name) or node.extend:
            return
        slot = step.scope.names[node.target.name]
        value = frame[slot]
        if type(value) is Pending or (id(frame), slot) in self.variables:
            return
        source = step.scope.space.source
        if isinstance(node.value, nodes.Construct) and (value, None) in self.reads:
            line = source.line_column
            if line(node.start)[0] == line(node.value.start)[0]:
                self.variables[id(frame), slot] = (value, None)
                return
        how = How.LITERAL if isinstance(node.value, nodes.Literal) else How.ASSIGNMENT
        self.variables[id(frame), slot] = self.trace(
            self.place(step, node), how, self.whole(self.reads), f"variable {node.target.name}"
        )

    def whole(self, reads: dict[Source, None]) -> Sources:
        """What was read, and what decided that it was."""
        current = self.current
        context = current.context(self.blocks) if current is not None else ()
        return tuple(dict.fromkeys((*reads, *context))) if context else tuple(reads)

    # Instances

    def make(self, instance: Instance) -> Sources:
        """What decided that an instance was made: known from the first time that is asked, while it is constructed."""
        known = self.made.get(instance)
        if known is None:
            current = self.current
            known = self.made[instance] = () if current is None else current.context(self.blocks)
        return known

    def rests(self, instance: Instance, site: Site, place: Place, reads: dict[Source, None]) -> Sources:
        """What a write of a property rests on: what was read, and that the statement ran."""
        if site is not instance.site:
            return self.whole(reads)
        # Where the argument is seen, the constructor is seen, too, unless they stand on two lines.
        own = self.make(instance) if _is_on_line_of(place, site) else ((instance, None),)
        return tuple(dict.fromkeys((*reads, *own)))

    def wrote(self, instance: Instance, prop: Property, trace: Trace) -> None:
        self.written.setdefault(instance, {})[prop.name] = trace

    def related(self, instance: Instance, prop: Property, value: Instance, link: Link) -> None:
        self.linked.setdefault(instance, {}).setdefault(prop.name, {})[value] = link


def _is_on_line_of(place: Place, site: Site) -> bool:
    source = site.place.source
    return source.line_column(place.span.start)[0] == source.line_column(site.place.span.start)[0]
