"""The end of an evaluation: which incomplete values and waiting statements to report.

A statement that only waits for something that failed is a consequence and is not reported. A cycle of
statements is reported once, with all its places.
"""

from __future__ import annotations

from typing import Any, Final

from sabir.diagnostics.finding import RelatedLocation
from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.compiler import ModelCompiler
from sabir.languages.inmanta.evaluate.dependencies import Key, Writers, find_assigned_slot
from sabir.languages.inmanta.evaluate.engine import ModelEngine, ParkedStatement
from sabir.languages.inmanta.evaluate.interrupts import Wait, WaitForKey
from sabir.languages.inmanta.evaluate.lookups import INDEX_LOOKUP
from sabir.languages.inmanta.evaluate.reads import UNSET
from sabir.languages.inmanta.evaluate.values import ModelInstance, PendingSlot, RelationValue
from sabir.languages.inmanta.evaluate.writes import MULTIPLICITY, stop
from sabir.languages.inmanta.model.entities import Property
from sabir.languages.inmanta.model.types import TYPE, format_value
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.languages.inmanta.syntax.nodes import walk

CYCLE: Final = inmanta_rule(
    "INM:E015",
    "statements wait for each other",
    "Each of them needs a value that only another of them can give. All of them are named.",
    when="evaluate",
)


def finish_evaluation(compiler: ModelCompiler) -> None:
    """Complete what may stay empty, and report what may not."""
    _Termination(compiler).run()


class _Termination:
    def __init__(self, compiler: ModelCompiler) -> None:
        self.compiler = compiler
        self.engine: ModelEngine = compiler.engine
        self.hopeless_keys: set[Key] = set()
        self.hopeless_names: set[str] = set()
        self.hopeless_variables: set[tuple[int, int]] = set()
        self.parked = Writers()

    def run(self) -> None:
        engine = self.engine
        trouble = bool(engine.parked or engine.failed)
        if trouble:
            self._collect()
        for instance, left in list(engine.undecided.items()):
            if left == 0:
                self.compiler.refinements.nothing_selected(instance)
        for instance in engine.instances:
            self._complete(instance, trouble=trouble)
        if engine.parked:
            self._report_waiting()
        self._annotations()

    def _annotations(self) -> None:
        """Report annotations of relations that are unknown: their values are required."""
        for space in self.compiler.definitions.project.namespaces.values():
            names, frame = self.compiler.scopes[space.name].names, self.compiler.frame(space.name)
            for statement in space.statements:
                for annotation in statement.annotations if isinstance(statement, nodes.Relation) else ():
                    slot = names.get(annotation.name) if isinstance(annotation, nodes.Name) else None
                    if slot is not None and isinstance(frame[slot], Unknown):
                        place = nodes.place_of(space.source, annotation)
                        self.engine.report(
                            stop(TYPE, "a relation cannot be annotated with what is not known yet", place)
                        )

    def _collect(self) -> None:
        """Collect what the failed and the waiting statements would have written."""
        closing = self.engine.closing
        for step, frame in self.engine.failed:
            self._hopeless(closing.may_write(step, frame)[0])
            slot = find_assigned_slot(step)
            if slot is not None:
                self.hopeless_variables.add((id(frame), slot))
        for activity in self.engine.parked:
            # Asked anew: where a statement writes may have become readable since it was parked.
            self.parked.add(activity, closing.may_write(activity.step, activity.frame)[0])

    def _hopeless(self, promises: list[Any]) -> None:
        for promise in promises:
            if isinstance(promise, str):
                self.hopeless_names.add(promise)
            else:
                self.hopeless_keys.add(promise)

    def _is_excused(self, instance: ModelInstance, slot: int, name: str) -> bool:
        """Return whether a failed or waiting statement would have set the property."""
        key = (instance, slot)
        if instance in self.engine.spoiled or key in self.hopeless_keys or name in self.hopeless_names:
            return True
        return bool(self.parked.of_property(key))

    def _complete(self, instance: ModelInstance, *, trouble: bool) -> None:
        values = instance.values
        for slot, value in enumerate(values):
            kind = type(value)
            if kind is PendingSlot:
                prop = instance.entity.by_slot[slot]
                if prop.is_list:
                    if prop.low > 0 and not (trouble and self._is_excused(instance, slot, prop.name)):
                        self._too_few(instance, prop, 0)
                elif prop.is_optional:
                    # Somebody who waits for it is reported; null now would only hide why.
                    if not value.waiters:
                        values[slot] = None
                elif not (trouble and self._is_excused(instance, slot, prop.name)):
                    self._unset(instance, prop)
            elif kind is RelationValue:
                prop = value.prop
                if len(value.values) + len(value.unknowns) < prop.low and not (
                    trouble and self._is_excused(instance, slot, prop.name)
                ):
                    self._too_few(instance, prop, len(value.values))

    def _unset(self, instance: ModelInstance, prop: Property) -> None:
        name = f"{instance.entity.shown}.{prop.name}"
        if prop.is_relation:
            message, hint = (
                f"the relation {name} {prop.multiplicity()} never gets a value",
                f"set {prop.name}=… in the constructor",
            )
        else:
            assert prop.type is not None
            message = f"the attribute {name} never gets a value"
            hint = f"set {prop.name}=… in the constructor, or make it '{prop.type.name}?'"
        self.engine.fail_instance(
            instance,
            stop(
                UNSET,
                message,
                instance.site.place,
                hint=hint,
                related=(RelatedLocation(place=prop.place, message=f"{prop.name!r} is defined here"),),
            ),
        )

    def _too_few(self, instance: ModelInstance, prop: Property, count: int) -> None:
        name = f"{instance.entity.shown}.{prop.name}"
        self.engine.fail_instance(
            instance,
            stop(
                MULTIPLICITY,
                f"the relation {name} {prop.multiplicity()} needs at least {prop.low} values and has {count}",
                instance.site.place,
                related=(RelatedLocation(place=prop.place, message="the relation is defined here"),),
            ),
        )

    # Statements that wait for ever

    def _producers(self, wait: Wait) -> list[ParkedStatement]:
        if isinstance(wait, WaitForKey):
            return []
        if wait.owner is None:
            return self.parked.of_variable(wait)
        return self.parked.of_property((wait.owner, wait.slot))

    def _is_consequence(self, wait: Wait) -> bool:
        """Return whether a statement waits for something that a failed statement would have written."""
        if isinstance(wait, WaitForKey):
            return False
        if wait.owner is None:
            return (id(wait.slots), wait.slot) in self.hopeless_variables
        name = wait.owner.entity.by_slot[wait.slot].name
        return (wait.owner, wait.slot) in self.hopeless_keys or name in self.hopeless_names

    def _report_waiting(self) -> None:
        reported = bool(self.engine.findings)
        done: set[ParkedStatement] = set()
        # Lookups first: what waits for the statement of a failed one is its consequence, and no circle.
        for activity in self.engine.parked:
            if isinstance(activity.wait, WaitForKey):
                self._no_match(activity)
                done.add(activity)
                reported = True
        for activity in self.engine.parked:
            if activity not in done:
                cycle = self._cycle(activity, done)
                guessed = self._guess_property(cycle)
                if cycle and guessed is None:
                    self._report_cycle(cycle)
                    reported = True
                elif guessed is not None and not reported:
                    self._unset(*guessed)
                    reported = True
        # A model that did not finish must not pass for a complete one.
        if not reported:
            first = next(iter(self.engine.parked))
            self._report_cycle([first])

    def _cycle(self, first: ParkedStatement, done: set[ParkedStatement]) -> list[ParkedStatement]:
        """Return the statements from `first` on that wait for each other, unless one of them is excused."""
        path: list[ParkedStatement] = []
        on_path: dict[ParkedStatement, int] = {}
        activity: ParkedStatement | None = first
        while activity is not None:
            if activity in on_path:
                circle = path[on_path[activity] :]
                done.update(path)
                return circle
            if activity in done or self._is_consequence(activity.wait):
                break
            on_path[activity] = len(path)
            path.append(activity)
            producers = self._producers(activity.wait)
            # Any producer will do: it is parked as well, and waits for a next one or closes the circle.
            activity = next((producer for producer in producers if producer not in done), None)
        done.update(path)
        return []

    def _guess_property(self, cycle: list[ParkedStatement]) -> tuple[ModelInstance, Property] | None:
        """Return a property in a cycle without a known writer, which some other statement may write."""
        for activity in cycle:
            wait = activity.wait
            if wait.owner is not None and (wait.owner, wait.slot) not in self.parked.by_key:
                prop = wait.owner.entity.by_slot[wait.slot]
                if not prop.is_list and not prop.is_optional:
                    return wait.owner, prop
        return None

    def _no_match(self, activity: ParkedStatement) -> None:
        wait = activity.wait
        assert isinstance(wait, WaitForKey)
        step = activity.step
        node = _lookup_in(step.node) or step.node
        names = wait.index.attributes
        shown = ", ".join(f"{name}={format_value(part)}" for name, part in zip(names, wait.key, strict=True))
        entity = node.entity if isinstance(node, nodes.IndexLookup) else wait.index.entity.shown
        self.engine.report(
            stop(
                INDEX_LOOKUP,
                f"no {entity} with {shown} was ever made",
                nodes.place_of(step.scope.space.source, node),
            ),
            self.engine.frames_of(step, activity.frame),
        )

    def _report_cycle(self, cycle: list[ParkedStatement]) -> None:
        # Begins at the first place in the text, wherever the walk came into the circle.
        first = min(
            cycle, key=lambda activity: (activity.step.place.source.name, activity.step.place.span.start)
        )
        at = cycle.index(first)
        ordered = cycle[at:] + cycle[:at]
        words = [
            f"{_line_of(activity)} waits for {_describe_wait(activity.wait, activity)}"
            for activity in ordered
        ]
        self.engine.report(
            stop(
                CYCLE,
                "these statements wait for each other and never run: " + "; ".join(words)
                if len(ordered) > 1
                else f"this statement never runs: it waits for {_describe_wait(first.wait, first)}",
                first.step.place,
                related=tuple(
                    RelatedLocation(
                        place=activity.step.place,
                        message=f"waits for {_describe_wait(activity.wait, activity)}",
                    )
                    for activity in ordered[1:]
                ),
            ),
            self.engine.frames_of(first.step, first.frame),
        )


def _describe_wait(wait: Wait, activity: ParkedStatement) -> str:
    if wait.owner is not None:
        entity = wait.owner.entity
        return f"{entity.shown}.{entity.by_slot[wait.slot].name}"
    for scope, depth in activity.step.scope.chain():
        frame = activity.frame
        for _ in range(depth):
            frame = frame[0]
        for name, slot in scope.names.items():
            if frame is wait.slots and slot == wait.slot:
                return f"the variable {name!r}"
    return "a variable of another file"


def _line_of(activity: ParkedStatement) -> str:
    return f"line {activity.step.place.location.line}"


def _lookup_in(statement: nodes.Node) -> nodes.IndexLookup | nodes.SelectorLookup | None:
    for node in walk(statement):
        if isinstance(node, nodes.IndexLookup | nodes.SelectorLookup):
            return node
    return None
