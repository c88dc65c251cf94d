"""The state machine that walks a plan: events in, instructions out, no I/O.

It has no clock and no threads, so a test can try every order of events. The runner (`runner.py`) carries out
each instruction and reports back with events. The machine guarantees, for any sequence of events:

- no step runs before its intent is saved;
- a step runs only after the end of everything it requires is saved, and only if all of it succeeded. The exception is a
  step with `tolerates`: it also runs after a failure, because it decides itself what to do about it;
- a step that is done, failed, unknown or cancelled keeps that state;
- the number of running steps never exceeds the limit of the deployment, of a target, or of a lane (one);
- no new step starts after an interrupt.

A step moves through the phases of `_Phase` in one direction, except for the loop `RUNNING -> PAUSED -> READY`
of a retry. Every event handler first compares the phase with the one that the event belongs to. A late or
repeated event is therefore ignored, and the runner need not filter them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto
from heapq import heappop, heappush
from typing import Final

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
from sabir.deployments.store.records import StepState
from sabir.resources.outcome import Outcome, OutcomeStatus

_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 60.0


class _Phase(Enum):
    """The position of a step in its life cycle; finer than `StepState`, which is what the journal records."""

    WAITING = auto()
    READY = auto()
    SAVING_INTENT = auto()
    RUNNING = auto()
    PAUSED = auto()
    SAVING_END = auto()
    ENDED = auto()


class Machine:
    """One walk over the steps of a plan.

    `states` holds the state of every step, as it was or is about to be saved. `start` is called once, then
    `handle` until `finished` is true.
    """

    def __init__(
        self, nodes: Sequence[StepNode], *, parallel: int, limits: Mapping[str, int] | None = None
    ) -> None:
        self._nodes = {node.key: node for node in nodes}
        self._place = {node.key: position for position, node in enumerate(nodes)}
        self._parallel = parallel
        self._limits = limits or {}
        self._missing = {node.key: len(node.requires) for node in nodes}
        self._users: dict[str, list[str]] = {}
        for node in nodes:
            for other in node.requires:
                self._users.setdefault(other, []).append(node.key)
        self._phase = dict.fromkeys(self._nodes, _Phase.WAITING)
        self.states = dict.fromkeys(self._nodes, StepState.WAITING)
        self._attempt = dict.fromkeys(self._nodes, 0)
        self._changed: set[str] = set()
        self._ready: list[tuple[int, str]] = []
        self._parked: dict[str, list[tuple[int, str]]] = {}
        """Ready steps whose target or lane is full, by the name of the full slot."""
        self._busy: dict[str, int] = {}
        self._running = 0
        self._paused: list[tuple[float, str]] = []
        self._now = 0.0
        self._unended = len(self._nodes)
        self._interrupts = 0
        self._finished = False

    @property
    def finished(self) -> bool:
        """Whether no further instruction will come; steps may be open after a second interrupt."""
        return self._finished

    @property
    def interrupted(self) -> bool:
        """Whether an interrupt arrived, so the plan may not have been applied completely."""
        return self._interrupts > 0

    def list_running(self) -> Iterable[str]:
        """Return the keys of the steps that an executor is working on now."""
        return (key for key, phase in self._phase.items() if phase is _Phase.RUNNING)

    def start(self, now: float) -> list[Instruction]:
        """Return the first instructions: every step without requirements becomes ready. `now` is in seconds."""
        self._now = now
        instructions: list[Instruction] = []
        for key, node in self._nodes.items():
            if not node.requires:
                self._make_ready(key, instructions)
        return self._advance(instructions)

    def handle(self, events: Iterable[Event]) -> list[Instruction]:
        """Return the instructions that follow from these events.

        Events are applied in order, and new steps are chosen once at the end. A batch is therefore cheaper
        than single calls.
        """
        instructions: list[Instruction] = []
        for event in events:
            match event:
                case IntentSavedEvent(key):
                    self._intent_saved(key, instructions)
                case StepEndedEvent(key, outcome):
                    self._handle_end(key, outcome, instructions)
                case StepSuspendedEvent(key):
                    self._handle_suspension(key, instructions)
                case EndSavedEvent(key):
                    self._end_saved(key, instructions)
                case TimePassedEvent(now):
                    self._now = max(self._now, now)
                    self._unpause()
                case InterruptEvent():
                    self._interrupt(instructions)
        return self._advance(instructions)

    # Events

    def _intent_saved(self, key: str, instructions: list[Instruction]) -> None:
        if self._phase[key] is not _Phase.SAVING_INTENT:
            return
        # The intent is on disk, but nothing has run: the step can still be cancelled without asking the target.
        if self._interrupts:
            self._release(key)
            self._save_end(key, StepState.CANCELLED, instructions, reason="interrupted before it began")
            return
        self._phase[key] = _Phase.RUNNING
        self.states[key] = StepState.INTENT
        instructions.append(Run(key, self._attempt[key]))

    def _handle_end(self, key: str, outcome: Outcome, instructions: list[Instruction]) -> None:
        if self._phase[key] is not _Phase.RUNNING:
            return
        self._release(key)
        node = self._nodes[key]
        match outcome.status:
            case OutcomeStatus.DONE:
                if outcome.changed:
                    self._changed.add(key)
                self._save_end(key, StepState.DONE, instructions, outcome=outcome)
            case OutcomeStatus.NON_COMPLIANT:
                self._save_end(key, StepState.NON_COMPLIANT, instructions, outcome=outcome)
            case OutcomeStatus.UNKNOWN:
                self._save_end(key, StepState.UNKNOWN, instructions, outcome=outcome)
            case OutcomeStatus.SKIPPED:
                reason = outcome.message or "it declined"
                self._save_end(key, StepState.CANCELLED, instructions, outcome=outcome, reason=reason)
            case OutcomeStatus.FAILED:
                # The first attempt is number 1, so `<=` allows `retries` further attempts. After an interrupt a
                # retry would be a new start.
                again = outcome.passing and self._attempt[key] <= node.retries and not self._interrupts
                if again:
                    self._pause(key, outcome, instructions)
                else:
                    self._save_end(key, StepState.FAILED, instructions, outcome=outcome)

    def _handle_suspension(self, key: str, instructions: list[Instruction]) -> None:
        """Leave the intent of a suspended program open: the next deployment resumes it under the same
        operation id.

        There is no end to save, so the step ends here. Its dependents are cancelled, except after an
        interrupt, when none of them starts anyway and `Journal.close` cancels them all.
        """
        if self._phase[key] is _Phase.RUNNING:
            self._release(key)
            self._end_silently(key, StepState.INTENT)
            if not self._interrupts:
                self._tell_users(key, instructions)

    def _pause(self, key: str, outcome: Outcome, instructions: list[Instruction]) -> None:
        """Schedule the next attempt with exponential backoff: 1, 2, 4, … seconds, at most 60.

        The slot was released by the caller, so other steps can run meanwhile.
        """
        pause = min(_FIRST_PAUSE * 2 ** (self._attempt[key] - 1), _LONGEST_PAUSE)
        at = self._now + pause
        self._phase[key] = _Phase.PAUSED
        heappush(self._paused, (at, key))
        instructions.append(SaveRetry(key, self._attempt[key], at, outcome))

    def _unpause(self) -> None:
        while self._paused and self._paused[0][0] <= self._now:
            _, key = heappop(self._paused)
            # An interrupt may have ended the step while it was in the heap.
            if self._phase[key] is _Phase.PAUSED:
                self._phase[key] = _Phase.READY
                heappush(self._ready, (self._place[key], key))

    def _end_saved(self, key: str, instructions: list[Instruction]) -> None:
        """Count the step as ended, and only now tell its dependents: a crash must never find them ahead of
        it."""
        if self._phase[key] is not _Phase.SAVING_END:
            return
        self._phase[key] = _Phase.ENDED
        self._unended -= 1
        self._tell_users(key, instructions)

    def _interrupt(self, instructions: list[Instruction]) -> None:
        """Stop starting steps; at the second interrupt also cancel the running ones.

        The first interrupt ends paused steps as failed, since their retry would be a new start. Running steps
        may finish. The second one finishes the machine at once: what was running stays an open intent, which
        recovery observes.
        """
        self._interrupts += 1
        if self._interrupts == 1:
            for _, key in self._paused:
                self._save_end(
                    key, StepState.FAILED, instructions, reason="interrupted before it was tried again"
                )
            self._paused.clear()
        else:
            running = tuple(self.list_running())
            if running:
                instructions.append(Cancel(running))
            self._finished = True

    # Turns of one step

    def _save_end(
        self,
        key: str,
        state: StepState,
        instructions: list[Instruction],
        *,
        outcome: Outcome | None = None,
        reason: str | None = None,
    ) -> None:
        self._phase[key] = _Phase.SAVING_END
        self.states[key] = state
        instructions.append(SaveEnd(key, state, self._attempt[key], outcome, reason))

    def _tell_users(self, ended: str, instructions: list[Instruction]) -> None:
        """Make the dependents of an ended step ready, or cancel them.

        The work list replaces recursion: a long chain of nodes that only pass the order on ends in one call.
        Cancelled steps tell their own dependents when their end is saved.
        """
        todo = [ended]
        for key in todo:
            fine = self.states[key].succeeded
            for user in self._users.get(key, ()):
                # Another requirement has already failed and cancelled it.
                if self._phase[user] is not _Phase.WAITING:
                    continue
                if not fine and not self._goes_on(user, key):
                    if self._nodes[user].passes:
                        self._end_silently(user, StepState.CANCELLED)
                        todo.append(user)
                    else:
                        reason = self._why_not(key)
                        self._save_end(user, StepState.CANCELLED, instructions, reason=reason)
                    continue
                self._missing[user] -= 1
                if not self._missing[user]:
                    self._make_ready(user, instructions, todo)

    def _goes_on(self, user: str, ended: str) -> bool:
        """Tell whether a step runs although a requirement did not succeed.

        An unknown outcome is never tolerated: the step could repeat or contradict what happened there.
        """
        has_failed = self.states[ended] in (StepState.FAILED, StepState.CANCELLED)
        return has_failed and self._nodes[user].tolerates and not self._interrupts

    def _why_not(self, key: str) -> str:
        words = {StepState.FAILED: "failed", StepState.UNKNOWN: "has an unknown outcome"}
        return f"{key} {words.get(self.states[key], 'was not done')}"

    def _make_ready(self, key: str, instructions: list[Instruction], ended: list[str] | None = None) -> None:
        """Queue a step whose requirements are all saved, or end it at once if there is nothing to run.

        A node that only passes the order on takes over whether anything before it changed. Steps with
        `only_if` behind it see the change only this way. A step whose `only_if` steps changed nothing is
        recorded as done, unchanged.
        """
        node = self._nodes[key]
        if node.passes:
            if any(other in self._changed for other in node.requires):
                self._changed.add(key)
            self._end_silently(key, StepState.DONE)
            if ended is not None:
                ended.append(key)
            else:
                self._tell_users(key, instructions)
        elif node.only_if and not any(other in self._changed for other in node.only_if):
            outcome = Outcome(changed=False, message="nothing it reacts to has changed")
            self._save_end(key, StepState.DONE, instructions, outcome=outcome)
        else:
            self._phase[key] = _Phase.READY
            self.states[key] = StepState.READY
            heappush(self._ready, (self._place[key], key))

    def _end_silently(self, key: str, state: StepState) -> None:
        """End a step without writing: there is nothing to record, or its intent must stay open."""
        self._phase[key] = _Phase.ENDED
        self.states[key] = state
        self._unended -= 1

    # Choosing the steps to run

    def _advance(self, instructions: list[Instruction]) -> list[Instruction]:
        """Start ready steps in plan order while slots are free, then check whether the walk is over.

        A step whose target or lane is full is parked under that slot and is not looked at again before the
        slot is released. So each step is moved a constant number of times, however many wait for the same
        slot.
        """
        while self._ready and self._running < self._parallel and not self._interrupts:
            place, key = heappop(self._ready)
            full = self._full(key)
            if full is not None:
                self._park(full, place, key)
                continue
            self._hold(key)
            # The slots are taken before the intent is saved: the limits also count steps on the way to the
            # disk.
            self._attempt[key] += 1
            self._phase[key] = _Phase.SAVING_INTENT
            instructions.append(SaveIntent(key, self._attempt[key]))
        if not self._finished and self._is_over():
            self._finished = True
            instructions.append(Finish())
        elif self._paused and not self._finished:
            instructions.append(Wake(self._paused[0][0]))
        return instructions

    def _is_over(self) -> bool:
        """Tell whether nothing more can happen; after an interrupt, waiting steps no longer count."""
        if not self._unended:
            return True
        if not self._interrupts:
            return False
        moving = (_Phase.SAVING_INTENT, _Phase.RUNNING, _Phase.SAVING_END)
        return not any(phase in moving for phase in self._phase.values())

    def _slots(self, key: str) -> Iterable[tuple[str, int]]:
        """Yield the slots that a step occupies while it runs, each with its limit."""
        node = self._nodes[key]
        limit = self._limits.get(node.target)
        if limit is not None:
            yield f"target {node.target}", limit
        if node.lane is not None:
            yield f"lane {node.lane}", 1

    def _full(self, key: str) -> str | None:
        """Return the first slot without room for the step; None if it can run."""
        return next((slot for slot, limit in self._slots(key) if self._busy.get(slot, 0) >= limit), None)

    def _park(self, full: str, place: int, key: str) -> None:
        """Park a step under a full slot."""
        heappush(self._parked.setdefault(full, []), (place, key))
        # The release of another slot may have brought this step here. That slot is still free, so the next step
        # parked under it must get its turn now: no later release would wake it.
        for slot, limit in self._slots(key):
            if slot != full and self._busy.get(slot, 0) < limit and self._parked.get(slot):
                heappush(self._ready, heappop(self._parked[slot]))

    def _hold(self, key: str) -> None:
        """Occupy the slots of a step."""
        self._running += 1
        for slot, _ in self._slots(key):
            self._busy[slot] = self._busy.get(slot, 0) + 1

    def _release(self, key: str) -> None:
        """Free the slots of a step and requeue one parked step for each of them: one place became free."""
        self._running -= 1
        for slot, _ in self._slots(key):
            self._busy[slot] -= 1
            parked = self._parked.get(slot)
            if parked:
                heappush(self._ready, heappop(parked))
