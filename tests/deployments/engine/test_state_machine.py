"""The machine under random graphs and random turns of events: its promises hold, whatever comes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sabir.deployments.engine.events import (
    Cancel,
    EndSavedEvent,
    Event,
    Finish,
    Instruction,
    IntentSavedEvent,
    InterruptEvent,
    Run,
    SaveEnd,
    SaveIntent,
    SaveRetry,
    StepEndedEvent,
    StepNode,
    StepSuspendedEvent,
    TimePassedEvent,
    Wake,
)
from sabir.deployments.engine.state_machine import Machine
from sabir.deployments.store.records import StepState
from sabir.resources.outcome import Outcome, OutcomeStatus

OUTCOMES = [
    Outcome(),
    Outcome(changed=False),
    Outcome(status=OutcomeStatus.FAILED, message="no"),
    Outcome(status=OutcomeStatus.FAILED, passing=True, message="later"),
    Outcome(status=OutcomeStatus.UNKNOWN),
    Outcome(status=OutcomeStatus.SKIPPED),
]


@st.composite
def graphs(draw: st.DrawFn) -> list[StepNode]:
    size = draw(st.integers(0, 14))
    nodes: list[StepNode] = []
    for number in range(size):
        before = [f"s{other}" for other in range(number)]
        requires = tuple(draw(st.lists(st.sampled_from(before), unique=True, max_size=3))) if before else ()
        passes = bool(requires) and draw(st.integers(0, 5)) == 0
        nodes.append(
            StepNode(
                key=f"s{number}",
                requires=requires,
                target=draw(st.sampled_from(["a", "b"])),
                lane=draw(st.sampled_from([None, None, "x", "y"])),
                retries=draw(st.integers(0, 2)),
                only_if=requires if not passes and draw(st.integers(0, 4)) == 0 else (),
                passes=passes,
            )
        )
    return nodes


class Watched:
    """Carries out instructions as a driver of the machine would, in any order, and checks each."""

    def __init__(self, nodes: list[StepNode], parallel: int, limits: dict[str, int]) -> None:
        self.nodes = {node.key: node for node in nodes}
        self.parallel = parallel
        self.limits = limits
        self.machine = Machine(nodes, parallel=parallel, limits=limits)
        self.saved_intents: set[str] = set()
        self.running: set[str] = set()
        self.ended: dict[str, StepState] = {}
        self.durable: dict[str, StepState] = {}
        self.pending: list[Event] = []
        self.wake: float | None = None
        self.now = 0.0
        self.interrupts = 0
        self.finished = False

    def take(self, instructions: list[Instruction]) -> None:
        for instruction in instructions:
            match instruction:
                case SaveIntent(key):
                    assert not self.interrupts, "a new step after an interrupt"
                    assert key not in self.ended
                    assert all(self._done(other) for other in self.nodes[key].requires)
                    self.pending.append(IntentSavedEvent(key))
                case Run(key):
                    assert key in self.saved_intents, "an effect without an intent"
                    self.saved_intents.discard(key)
                    self.running.add(key)
                    self._check_limits()
                case SaveEnd(key, state):
                    assert key not in self.ended, "an end that is left"
                    assert key not in self.running
                    assert state.is_final
                    self.ended[key] = state
                    self.pending.append(EndSavedEvent(key))
                case SaveRetry(key):
                    assert key not in self.ended
                case Wake(at):
                    self.wake = at
                case Cancel(keys):
                    assert self.interrupts > 1
                    self.running -= {*keys}
                case Finish():
                    self.finished = True

    def _done(self, key: str) -> bool:
        if self.nodes[key].passes:
            return all(self._done(other) for other in self.nodes[key].requires)
        return self.durable.get(key) is StepState.DONE

    def _check_limits(self) -> None:
        assert len(self.running) <= self.parallel
        for target, limit in self.limits.items():
            assert sum(self.nodes[key].target == target for key in self.running) <= limit
        lanes = [self.nodes[key].lane for key in self.running if self.nodes[key].lane is not None]
        assert len(lanes) == len({*lanes})

    def post(self, event: Event) -> None:
        match event:
            case IntentSavedEvent(key):
                self.saved_intents.add(key)
            case EndSavedEvent(key):
                self.durable[key] = self.ended[key]
            case StepEndedEvent(key) | StepSuspendedEvent(key):
                self.running.discard(key)
            case InterruptEvent():
                self.interrupts += 1
            case _:
                pass
        self.take(self.machine.handle([event]))


@settings(max_examples=300, deadline=None)
@given(graphs(), st.integers(1, 4), st.data())
def test_promises(nodes: list[StepNode], parallel: int, data: st.DataObject) -> None:
    limits = data.draw(st.sampled_from([{}, {"a": 1}, {"a": 2, "b": 1}]))
    watched = Watched(nodes, parallel, limits)
    watched.take(watched.machine.start(0.0))
    for _ in range(600):
        if watched.machine.finished:
            break
        choices: list[Event] = [*watched.pending]
        choices += [
            StepEndedEvent(key, outcome)
            for key in sorted(watched.running)
            for outcome in (OUTCOMES[data.draw(st.integers(0, len(OUTCOMES) - 1))],)
        ]
        if watched.wake is not None:
            choices.append(TimePassedEvent(watched.wake))
        if watched.interrupts < 2 and data.draw(st.integers(0, 30)) == 0:
            choices.append(InterruptEvent())
        assert choices, "nothing is going on, and it has not ended"
        event = data.draw(st.sampled_from(choices))
        if event in watched.pending:
            watched.pending.remove(event)
        if isinstance(event, TimePassedEvent):
            watched.wake = None
        watched.post(event)
    assert watched.machine.finished
    if not watched.interrupts:
        steps = {node.key for node in nodes if not node.passes}
        assert {*watched.durable} == steps
        for key in steps:
            if watched.durable[key] is StepState.DONE:
                assert all(watched._done(other) for other in nodes_by(nodes)[key].requires)


def nodes_by(nodes: list[StepNode]) -> dict[str, StepNode]:
    return {node.key: node for node in nodes}


def test_a_step_that_was_left_ends_nothing() -> None:
    machine = Machine([StepNode(key="a"), StepNode(key="b", requires=("a",))], parallel=1)
    machine.start(0.0)
    machine.handle([IntentSavedEvent("a")])
    machine.handle([InterruptEvent()])
    assert Finish() in machine.handle([StepSuspendedEvent("a")])
    assert machine.states["a"] is StepState.INTENT
