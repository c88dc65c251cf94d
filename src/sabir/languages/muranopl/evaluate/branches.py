"""The branches of one `Parallel`: their threads, their order, and how one that fails ends the others."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any, Final

from sabir.languages.muranopl.model.errors import Unstoppable
from sabir.languages.muranopl.worlds.effects import Branch

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.parallel import Scheduler

__all__ = ["BranchGroup", "RunningBranch", "Stopped", "Task", "threads_that_fit"]

# Address space only. The deepest calls that the recursion limit lets through took 3 MB at most (measured).
_STACK: Final = 16 * 1024 * 1024
_ARENA: Final = 64 * 1024 * 1024  # what malloc of glibc reserves for a thread
Task = Callable[[], Any]


class RunningBranch:
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


class Stopped(BaseException):
    """Ends a branch because another one reached a limit of the run, which is what is reported."""


def threads_that_fit() -> int:
    """Threads that reserve no more than half of the address space that this process is allowed."""
    try:
        import resource
    except ImportError:  # not on Windows
        return sys.maxsize
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    return sys.maxsize if allowed == resource.RLIM_INFINITY else allowed // 2 // (_STACK + _ARENA)


def _started(worker: threading.Thread) -> bool:
    try:
        worker.start()
    except RuntimeError:
        return False
    return True


def _join(workers: list[threading.Thread]) -> None:
    for worker in workers:
        worker.join()


class BranchGroup:
    """The branches of one `Parallel`."""

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
        # Each worker starts when its predecessor waits or ends, so branches begin in the order they are written.
        previous = threading.stack_size(_STACK)
        try:
            workers = [
                threading.Thread(target=self._work, args=(parent,), daemon=True) for _ in range(at_once)
            ]
            workers = [worker for worker in workers if _started(worker)]
        finally:
            threading.stack_size(previous)
        scheduler.threads += len(workers)
        self.unfinished = max(len(workers), 1)
        scheduler.busy += self.unfinished - 1
        if not workers:  # the machine has no room for threads: one after the other, then
            self._work(parent, holds_baton=True)
        scheduler.current = parent
        scheduler.waiting(lambda: _join(workers))
        scheduler.threads -= len(workers)
        if outermost:
            scheduler.is_active = False
            scheduler.baton.release()
        if self.errors:
            raise min(self.errors, key=lambda failure: (not isinstance(failure[1], Unstoppable), failure[0]))[
                1
            ]
        if scheduler.is_stopped:
            raise Stopped
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
                except Stopped:
                    pass
                except BaseException as error:  # noqa: BLE001  # whatever it is, it is raised where the group began
                    self.errors.append((index, error))
                self._let_others_end()
            self.unfinished -= 1
            if self.unfinished:
                scheduler.busy -= 1  # the last one leaves its place to the branch that waits for the group
            scheduler.freed.notify_all()

    def _let_others_end(self) -> None:
        """Before the next task begins, branches go on whose time is over: those end first that were there first."""
        if self.next < len(self.tasks) and not self.scheduler.is_stopped:
            with suppress(Stopped):
                self.scheduler.wait(0)
