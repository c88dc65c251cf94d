"""The state machine that walks a plan: events in, instructions out, nothing else.

It does no I/O, knows no clock and no thread, so every order of events can be tried in a test. Who drives it (`run.py`) carries
out each instruction and comes back with what happened. What it guarantees, whatever comes in:

- no step is run before its intent is written;
- a step is run only when everything it requires is done, and that is written (or has failed, when the step says that it
  decides itself what to do then);
- a step that is done, failed, unknown or cancelled stays so;
- never more steps at once than allowed, on the whole, on a target, in a lane (one);
- after an interrupt no new step is begun.
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
    WAITING = auto()
    READY = auto()
    SAVING_INTENT = auto()
    RUNNING = auto()
    PAUSED = auto()
    SAVING_END = auto()
    ENDED = auto()


class Machine:
    """One walk over the steps of a plan."""

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
        """Steps that are ready but whose target or lane is full, by that."""
        self._busy: dict[str, int] = {}
        self._running = 0
        self._paused: list[tuple[float, str]] = []
        self._now = 0.0
        self._unended = len(self._nodes)
        self._interrupts = 0
        self._finished = False

    @property
    def finished(self) -> bool:
        return self._finished

    @property
    def interrupted(self) -> bool:
        return self._interrupts > 0

    def list_running(self) -> Iterable[str]:
        return (key for key, phase in self._phase.items() if phase is _Phase.RUNNING)

    def start(self, now: float) -> list[Instruction]:
        self._now = now
        instructions: list[Instruction] = []
        for key, node in self._nodes.items():
            if not node.requires:
                self._make_ready(key, instructions)
        return self._advance(instructions)

    def handle(self, events: Iterable[Event]) -> list[Instruction]:
        """What to do now that this happened; several events at once are cheaper than one by one."""
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
                again = outcome.passing and self._attempt[key] <= node.retries and not self._interrupts
                if again:
                    self._pause(key, outcome, instructions)
                else:
                    self._save_end(key, StepState.FAILED, instructions, outcome=outcome)

    def _handle_suspension(self, key: str, instructions: list[Instruction]) -> None:
        if self._phase[key] is _Phase.RUNNING:
            self._release(key)
            self._end_silently(key, StepState.INTENT)
            if not self._interrupts:
                self._tell_users(key, instructions)

    def _pause(self, key: str, outcome: Outcome, instructions: list[Instruction]) -> None:
        pause = min(_FIRST_PAUSE * 2 ** (self._attempt[key] - 1), _LONGEST_PAUSE)
        at = self._now + pause
        self._phase[key] = _Phase.PAUSED
        heappush(self._paused, (at, key))
        instructions.append(SaveRetry(key, self._attempt[key], at, outcome))

    def _unpause(self) -> None:
        while self._paused and self._paused[0][0] <= self._now:
            _, key = heappop(self._paused)
            if self._phase[key] is _Phase.PAUSED:
                self._phase[key] = _Phase.READY
                heappush(self._ready, (self._place[key], key))

    def _end_saved(self, key: str, instructions: list[Instruction]) -> None:
        if self._phase[key] is not _Phase.SAVING_END:
            return
        self._phase[key] = _Phase.ENDED
        self._unended -= 1
        self._tell_users(key, instructions)

    def _interrupt(self, instructions: list[Instruction]) -> None:
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
        """Those that require it get ready, or are cancelled with everything that requires them: no recursion."""
        todo = [ended]
        for key in todo:
            fine = self.states[key].succeeded
            for user in self._users.get(key, ()):
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
        """Whether a step is run in spite of how another ended; never when nobody knows how that was."""
        has_failed = self.states[ended] in (StepState.FAILED, StepState.CANCELLED)
        return has_failed and self._nodes[user].tolerates and not self._interrupts

    def _why_not(self, key: str) -> str:
        words = {StepState.FAILED: "failed", StepState.UNKNOWN: "has an unknown outcome"}
        return f"{key} {words.get(self.states[key], 'was not done')}"

    def _make_ready(self, key: str, instructions: list[Instruction], ended: list[str] | None = None) -> None:
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
        self._phase[key] = _Phase.ENDED
        self.states[key] = state
        self._unended -= 1

    # Who may run now

    def _advance(self, instructions: list[Instruction]) -> list[Instruction]:
        while self._ready and self._running < self._parallel and not self._interrupts:
            place, key = heappop(self._ready)
            full = self._full(key)
            if full is not None:
                self._park(full, place, key)
                continue
            self._hold(key)
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
        if not self._unended:
            return True
        if not self._interrupts:
            return False
        moving = (_Phase.SAVING_INTENT, _Phase.RUNNING, _Phase.SAVING_END)
        return not any(phase in moving for phase in self._phase.values())

    def _slots(self, key: str) -> Iterable[tuple[str, int]]:
        node = self._nodes[key]
        limit = self._limits.get(node.target)
        if limit is not None:
            yield f"target {node.target}", limit
        if node.lane is not None:
            yield f"lane {node.lane}", 1

    def _full(self, key: str) -> str | None:
        return next((slot for slot, limit in self._slots(key) if self._busy.get(slot, 0) >= limit), None)

    def _park(self, full: str, place: int, key: str) -> None:
        heappush(self._parked.setdefault(full, []), (place, key))
        # It may have been let out of another slot, which is still free for the next one.
        for slot, limit in self._slots(key):
            if slot != full and self._busy.get(slot, 0) < limit and self._parked.get(slot):
                heappush(self._ready, heappop(self._parked[slot]))

    def _hold(self, key: str) -> None:
        self._running += 1
        for slot, _ in self._slots(key):
            self._busy[slot] = self._busy.get(slot, 0) + 1

    def _release(self, key: str) -> None:
        self._running -= 1
        for slot, _ in self._slots(key):
            self._busy[slot] -= 1
            parked = self._parked.get(slot)
            if parked:
                heappush(self._ready, heappop(parked))
