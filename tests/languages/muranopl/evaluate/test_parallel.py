"""Branches of `Parallel`: bounded threads, counted time, one end for all when a limit is reached."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from sabir.languages.muranopl.evaluate.limits import RunLimits
from sabir.languages.muranopl.evaluate.parallel import Scheduler
from sabir.languages.muranopl.model.errors import Unstoppable
from tests.languages.muranopl.packages import files, load

ENDLESS = "Name: Root\nMethods:\n  go:\n    Body:\n      - Parallel:\n" + "          - $.go()\n" * 20
MODEL = {"?": {"id": "root", "type": "demo.Root"}}
HEAD = "Namespaces: {=: demo}\n"


def test_branches_that_begin_branches_end_at_the_depth_of_calls() -> None:
    session = load(HEAD + ENDLESS, MODEL)
    with pytest.raises(Unstoppable, match="more than 400 levels deep") as failure:
        session.call(session.find_object("root"), "go")
    frames = failure.value.finding().frames
    assert {frame.name for frame in frames} == {"demo.Root.go"}
    assert len(frames) == 400
    assert failure.value.finding().location.line == 7


def test_threads_of_all_branches_are_counted_together() -> None:
    scheduler, most = Scheduler(RunLimits(branches=7)), 0

    def branch(depth: int) -> int:
        nonlocal most
        most = max(most, scheduler.threads)
        return 1 if depth == 0 else sum(scheduler.run_all([lambda: branch(depth - 1)] * 5))

    assert branch(4) == 5**4
    assert most == 7
    assert scheduler.threads == 0
    assert scheduler.busy == 1


def test_counted_sleep_keeps_the_order_of_real_sleep() -> None:
    def trail(*, sleeps: bool) -> list[str]:
        scheduler, steps = Scheduler(RunLimits(), sleeps=sleeps), list[str]()

        def inner(name: str, seconds: float) -> None:
            scheduler.wait(seconds)
            steps.append(name)

        def branch(name: str, first: float, second: float) -> None:
            inner(name, first)
            scheduler.run_all([lambda: inner(name + "x", second), lambda: inner(name + "y", second / 2)])
            steps.append(name + " ends")

        scheduler.run_all(
            [lambda: branch("a", 0.6, 0.2), lambda: branch("b", 0.1, 0.3), lambda: inner("c", 0.15)]
        )
        return steps

    expected = ["b", "c", "by", "bx", "b ends", "a", "ay", "ax", "a ends"]
    assert trail(sleeps=True) == expected
    assert [trail(sleeps=False) for _ in range(20)] == [expected] * 20


def test_sleep_that_is_only_counted_takes_no_time() -> None:
    scheduler, start = Scheduler(RunLimits(), sleeps=False), time.monotonic()
    scheduler.wait(1000)
    scheduler.run_all([lambda: scheduler.wait(3000), lambda: scheduler.wait(5000)])
    assert scheduler.skipped == 6000
    assert time.monotonic() - start < 5


def test_a_limit_in_one_branch_ends_those_that_wait() -> None:
    scheduler, after = Scheduler(RunLimits(), sleeps=False), list[str]()
    before = threading.active_count()  # other tests of this process may have threads of their own

    def fail() -> None:
        raise Unstoppable("enough")

    def rest() -> None:
        scheduler.wait(10)
        after.append("went on")

    with pytest.raises(Unstoppable, match="enough"):
        scheduler.run_all([rest, lambda: scheduler.run_all([rest, rest]), fail, rest])
    assert after == []
    assert threading.active_count() < before + 10


@pytest.mark.slow
def test_endless_branches_never_end_the_process(tmp_path: Path) -> None:
    """A command of its own, with little address space too: what cannot be had there crashed threads at their start."""
    for name, text in files(ENDLESS + "  .init:\n    Body: $.go()\n").items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    command = f"{sys.executable} -m sabir compile {tmp_path}"
    for room in ("unlimited", "4000000", "1000000"):
        run = subprocess.run(
            ["bash", "-c", f"ulimit -v {room}; exec {command}"], capture_output=True, text=True, check=False
        )
        assert run.returncode == 1, run.stderr[-2000:]
        assert "MRUN:E028" in run.stderr
        assert "... 384 more calls" in run.stderr
