"""`Parallel`, `pselect` and `psuper`: branches that take turns and overlap only while they wait.

Every branch is a thread, but only the branch with the baton runs. The baton passes on where a branch waits:
in `sleep`, in an effect, for a lock, at its end. Code therefore needs no locks of its own, the order is the
same in every run as far as waiting times allow, and a `Parallel` of waiting work takes as long as its longest
part. Outside of `Parallel` there is neither a thread nor a lock.

If nothing external is waited for (`sleeps=False`), time is counted: when every branch is waiting, the sleeper
with the earliest deadline continues, as if the clock had jumped. The order is that of real sleeping, without
the wait.

The threads of one evaluation are counted together, over all nested `Parallel` blocks, because CPython aborts
when the first memory of a thread cannot be allocated. Without room for another thread, branches run one after
the other.

Two branches never run the same method of the same object at the same time: the second waits until the first
has left it. The meta class `Synchronize` changes that for a method: independent of the object, or by the
values of arguments as well. A branch may enter again what it, or the branch that started it, has entered;
otherwise it would wait for itself.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, Final

from sabir.expressions.yaql import Variables
from sabir.expressions.yaql.values import to_hashable
from sabir.languages.muranopl.evaluate.methods import Signal
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError, Unstoppable
from sabir.languages.muranopl.syntax.rules import failure_rule
from sabir.languages.muranopl.worlds.effects import Branch

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.limits import RunLimits
    from sabir.languages.muranopl.evaluate.methods import Method


# Address space only. The deepest calls that the recursion limit lets through took 3 MB at most (measured).
_STACK: Final = 16 * 1024 * 1024
_ARENA: Final = 64 * 1024 * 1024  # what malloc of glibc reserves for a thread
Task = Callable[[], Any]


class RunningBranch:
    """One branch of a `Parallel`, or the program itself, with the position that identifies it in every run."""

    __slots__ = ("groups", "parent", "path", "waits_for")

    def __init__(self, parent: RunningBranch | None, path: Branch = ()) -> None:
        self.parent = parent
        self.path = path
        """Where it is in the program: group and number in it, from the outside in. The same in every run."""
        self.groups = 0
        """How many groups of branches it has started."""
        self.waits_for: RunningBranch | None = None

    def descends_from(self, other: RunningBranch) -> bool:
        branch: RunningBranch | None = self
        while branch is not None:
            if branch is other:
                return True
            branch = branch.parent
        return False


class BranchStop(BaseException):
    """Ends a branch because another one reached a limit of the run; that limit is what gets reported.

    It is a `BaseException`, so that no handler of the program catches it; `BranchGroup` does.
    """


def threads_that_fit() -> int:
    """Return how many threads reserve no more than half of the address space that this process may use."""
    try:
        import resource
    except ImportError:  # not on Windows
        return sys.maxsize
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    return sys.maxsize if allowed == resource.RLIM_INFINITY else allowed // 2 // (_STACK + _ARENA)


def _try_start(worker: threading.Thread) -> bool:
    try:
        worker.start()
    except RuntimeError:
        return False
    return True


def _join_workers(workers: list[threading.Thread]) -> None:
    for worker in workers:
        worker.join()


class BranchGroup:
    """The branches of one `Parallel`: their threads, their order, and how a failure ends the others."""

    def __init__(self, scheduler: Scheduler, tasks: Sequence[Task]) -> None:
        self.scheduler = scheduler
        self.tasks = tasks
        scheduler.current.groups += 1
        self.number = scheduler.current.groups
        if scheduler.opened is not None:
            scheduler.opened(scheduler.current.path, self.number, len(tasks))
        self.results: list[Any] = [None] * len(tasks)
        self.errors: list[tuple[int, BaseException]] = []
        self.next = 0
        self.unfinished = 0
        """Workers that have not ended."""

    def run(self, at_once: int) -> list[Any]:
        scheduler = self.scheduler
        parent = scheduler.current
        outermost = not scheduler.is_active
        if outermost:
            scheduler.baton.acquire()
            scheduler.is_active = True
            scheduler.is_stopped = False
        # Each worker starts when its predecessor waits or ends, so branches start in the order they are written.
        previous = threading.stack_size(_STACK)
        try:
            workers = [
                threading.Thread(target=self._work, args=(parent,), daemon=True) for _ in range(at_once)
            ]
            workers = [worker for worker in workers if _try_start(worker)]
        finally:
            threading.stack_size(previous)
        scheduler.threads += len(workers)
        self.unfinished = max(len(workers), 1)
        scheduler.busy += self.unfinished - 1
        if not workers:  # no more threads can be created: run the rest one after the other
            self._work(parent, holds_baton=True)
        scheduler.current = parent
        scheduler.run_effect(lambda: _join_workers(workers))
        scheduler.threads -= len(workers)
        if outermost:
            scheduler.is_active = False
            scheduler.baton.release()
        if self.errors:
            raise min(self.errors, key=lambda failure: (not isinstance(failure[1], Unstoppable), failure[0]))[
                1
            ]
        if scheduler.is_stopped:
            raise BranchStop
        return self.results

    def _work(self, parent: RunningBranch, *, holds_baton: bool = False) -> None:
        scheduler = self.scheduler
        with nullcontext() if holds_baton else scheduler.baton:
            while self.next < len(self.tasks) and not scheduler.is_stopped:
                index = self.next
                self.next += 1
                scheduler.current = RunningBranch(parent, (*parent.path, (self.number, index + 1)))
                try:
                    self.results[index] = self.tasks[index]()
                except Unstoppable as error:
                    scheduler.is_stopped = True
                    self.errors.append((index, error))
                except BranchStop:
                    pass
                except BaseException as error:  # noqa: BLE001  # whatever it is, it is raised where the group began
                    self.errors.append((index, error))
                self._let_others_end()
            self.unfinished -= 1
            if self.unfinished:
                scheduler.busy -= 1  # the last branch passes the baton to the branch that waits for the group
            scheduler.freed.notify_all()

    def _let_others_end(self) -> None:
        """Let branches whose waiting time is over continue before the next task starts, in order of their
        deadlines.
        """
        if self.next < len(self.tasks) and not self.scheduler.is_stopped:
            with suppress(BranchStop):
                self.scheduler.wait(0)


DEADLOCK: Final = failure_rule(
    "Deadlock",
    "MRUN:E029",
    "branches of Parallel wait for each other",
    "Two branches never run the same method of one object at the same time. When each holds what the other wants, none "
    "can go on; call the methods in the same order everywhere.",
)


class _Lock:
    __slots__ = ("count", "owner")

    def __init__(self) -> None:
        self.owner: RunningBranch | None = None
        self.count = 0


class Scheduler:
    """Runs the branches of one evaluation."""

    def __init__(self, limits: RunLimits, *, sleeps: bool = True) -> None:
        self._sleeps = sleeps
        self.skipped = 0.0
        """Seconds of sleep that were counted and not waited for."""
        self.busy = 1
        """Branches that rest neither in a sleep that is only counted, nor for a lock, nor for branches of their own."""
        self._for_locks = 0
        self._releases = 0
        self._most = min(limits.branches, threads_that_fit())
        self.threads = 0
        """Threads of branches that are alive."""
        self.baton = threading.Lock()
        self.freed = threading.Condition(self.baton)
        self._locks: dict[tuple[int, Method, tuple[Any, ...]], _Lock] = {}
        self.current = RunningBranch(None)
        self._sleepers: list[tuple[float, int]] = []
        self._slept = 0
        self.is_active = False
        self.is_stopped = False
        """Whether a branch reached a limit of the run, which ends all the others where they wait."""
        self.opened: Callable[[Branch, int, int], None] | None = None
        """Told of every group of branches before it begins: the branch that starts it, its number, its size."""
        self.carry: Callable[[Task], Task] | None = None
        """What makes a task go on from where the branch is that starts it, where somebody records that."""

    @property
    def branch(self) -> Branch:
        """The running branch."""
        return self.current.path

    # -- running -----------------------------------------------------------------------------------------------------

    def run_branches(
        self,
        branches: Sequence[Callable[[Variables], Signal | None]],
        variables: Variables,
        limit: int | None,
    ) -> Signal | None:
        """Run instructions in parallel; they share the variables of the method.

        A `Return` in one of them takes effect when all have ended.
        """

        def task(branch: Callable[[Variables], Signal | None]) -> Task:
            return lambda: branch(variables)

        signals = self.run_all([task(branch) for branch in branches], limit)
        return next((signal for signal in signals if signal is not None), None)

    def run_all(self, tasks: Sequence[Task], limit: int | None = None) -> list[Any]:
        """Return the results in the order of the tasks.

        The first failure is raised when all started tasks have ended. A limit of 0 means no limit.
        """
        if limit is not None and limit < 0:
            raise MuranoError(UNUSABLE_VALUE, f"'Limit' cannot be negative: {limit}")
        if self.carry is not None:
            tasks = [self.carry(task) for task in tasks]
        at_once = min(len(tasks), self._most - self.threads, limit or len(tasks))
        if at_once <= 1:
            return [task() for task in tasks]
        return BranchGroup(self, tasks).run(at_once)

    def wait(self, seconds: float) -> None:
        """Sleep, letting other branches run. Sleepers continue in the order of their deadlines."""
        seconds = max(0.0, min(seconds, threading.TIMEOUT_MAX))
        if self.is_active:
            self._wait_in_turn(seconds)
        elif self._sleeps:
            time.sleep(seconds)
        else:
            self.skipped += seconds

    def _wait_in_turn(self, seconds: float) -> None:
        self._slept += 1
        now = time.monotonic() if self._sleeps else self.skipped
        branch, entry = self.current, (now + seconds, self._slept)
        heappush(self._sleepers, entry)
        if self._sleeps:
            self.run_effect(lambda: time.sleep(seconds))
        else:
            self.busy -= 1
            self.freed.notify_all()
        while self._sleepers[0] is not entry or not (self._sleeps or self.busy == 0):
            self.freed.wait()
        heappop(self._sleepers)
        if not self._sleeps:
            self.busy += 1
            self.skipped = entry[0]
        self.freed.notify_all()
        self._go_on(branch)

    def run_effect(self, effect: Callable[[], Any]) -> Any:
        """Run a function that waits for something external, letting other branches run meanwhile."""
        if not self.is_active:
            return effect()
        branch = self.current
        self.baton.release()
        try:
            return effect()
        finally:
            self.baton.acquire()
            self.current = branch

    def _go_on(self, branch: RunningBranch) -> None:
        """Take the baton again after waiting, unless the run is over."""
        self.current = branch
        if self.is_stopped:
            raise BranchStop

    # -- locks ---------------------------------------------------------------------------------------------------------

    def run_locked(self, method: Method, this: Any, variables: Variables) -> Any:
        """Run a method body while no other branch is in it, as far as its `LockScope` requires that."""
        on_this, names = method.locking.on_this, method.locking.on_arguments
        values = tuple(
            (name, to_hashable(variables[name])) for name in names if variables.get(name) is not None
        )
        if not on_this and not values:
            return method.run(variables)
        key = (id(this) if on_this else 0, method, values)
        lock = self._locks.get(key)
        if lock is None:
            lock = self._locks[key] = _Lock()
        branch = self.current
        self._enter(lock, branch, method)
        try:
            return method.run(variables)
        finally:
            lock.count -= 1
            if lock.count == 0:
                lock.owner = None
                self._locks.pop(key, None)
                self._wake_waiters()

    def _enter(self, lock: _Lock, branch: RunningBranch, method: Method) -> None:
        while lock.owner is not None and not branch.descends_from(lock.owner):
            branch.waits_for = lock.owner
            self._check_deadlock(branch, method)
            self._wait_for_release()
            self._go_on(branch)
        branch.waits_for = None
        if lock.owner is None:
            lock.owner = branch
        lock.count += 1

    def _wait_for_release(self) -> None:
        self.busy -= 1
        self._for_locks += 1
        self.freed.notify_all()
        releases = self._releases
        while self._releases == releases:
            self.freed.wait()

    def _wake_waiters(self) -> None:
        """Wake all branches that wait for a lock. They count as busy from now on, so that time does not advance."""
        self._releases += 1
        self.busy += self._for_locks
        self._for_locks = 0
        self.freed.notify_all()

    def _check_deadlock(self, branch: RunningBranch, method: Method) -> None:
        other = branch.waits_for
        seen = 0
        while other is not None and seen < 10_000:
            if other is branch or branch.descends_from(other):
                branch.waits_for = None
                raise MuranoError(
                    DEADLOCK,
                    f"branches of 'Parallel' wait for each other, here for method {method.full_name}",
                    place=method.place,
                    hint="call the methods in the same order in every branch",
                )
            other = other.waits_for
            seen += 1
