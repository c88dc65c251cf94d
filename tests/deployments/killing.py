"""Killing deployments at random moments, and what must hold afterwards.

python -m tests.deployments.killing [KILLS [STEPS [OTHERS]]]     on both stores, with figures: so many kills of deployments of so many
                                                            steps, and so many races and SIGTERMs
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from sabir.deployments.store.records import StepState
from sabir.deployments.store.store import StateStore
from tests.deployments.postgresql import postgresql, why_not
from tests.deployments.victim import graph

__all__ = ["Figures", "NewPlace", "check", "interrupt_deployments", "kill_deployments", "race_deployments"]


class Figures(Struct):
    kills: int = 0
    deployments: int = 0
    """That were carried to their end."""
    lost: int = 0
    repeated: int = 0
    out_of_order: int = 0
    unknown: int = 0
    seconds: float = 0.0


def start(where: str, folder: Path, steps: int, parallel: int, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tests.deployments.victim",
            where,
            str(folder),
            str(steps),
            str(parallel),
            *words,
        ],
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )


def check(where: str, folder: Path, steps: int, figures: Figures, *, blind: bool = False) -> None:
    """After a deployment came to its end: every effect once, in order, and all of it recorded."""
    log = [line.split() for line in (folder / "log").read_text().splitlines()]
    names = [name for name, _ in log]
    store = StateStore.open(where, "victim")
    records = store.records()
    figures.unknown += sum(record.status.value == "unknown" for record in records.values())
    open_steps = store.steps(states=(StepState.INTENT,))
    store.close()
    figures.repeated += len(names) - len({*names})
    if blind:
        # What is there twice or not at all must be known to be doubtful; nothing is done twice in silence.
        return
    figures.lost += steps - len({*names} & {*records})
    place = {name: position for position, name in enumerate(names)}
    for resource in graph(steps):
        for required in resource.requires:
            figures.out_of_order += place[str(required)] > place[str(resource.address)]
    assert not open_steps, open_steps[:3]


NewPlace = Callable[[], tuple[str, Path]]
"""A fresh state, and a folder for the effects."""


def kill_deployments(
    new_place: NewPlace, kills: int, *, steps: int, parallel: int = 10, seed: int = 1
) -> Figures:
    """Deploy, kill, deploy again …, a new environment whenever one has come to its end."""
    choose = random.Random(seed)
    figures = Figures()
    begun = time.monotonic()
    while figures.kills < kills:
        where, folder = new_place()
        while True:
            process = start(where, folder, steps, parallel)
            killed = figures.kills < kills and _kill_at(process, folder, choose.uniform(0.0, 0.5))
            process.wait()
            stderr = process.stderr.read().decode() if process.stderr else ""
            if process.stderr:
                process.stderr.close()
            if killed:
                figures.kills += 1
                continue
            assert process.returncode == 0, stderr
            break
        figures.deployments += 1
        check(where, folder, steps, figures)
    figures.seconds = time.monotonic() - begun
    return figures


def _kill_at(process: subprocess.Popen[bytes], folder: Path, seconds: float) -> bool:
    """Kill it so long after its first step may have begun; False when it was quicker."""
    started = folder / "started"
    while not started.exists() and process.poll() is None:
        time.sleep(0.002)
    started.unlink(missing_ok=True)
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        time.sleep(0.002)
    if process.poll() is not None:
        return False
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return process.returncode == -signal.SIGKILL


def race_deployments(new_place: NewPlace, races: int, *, steps: int = 100) -> Figures:
    """Two at once, again and again: never both at work, and together they do everything once."""
    figures = Figures()
    begun = time.monotonic()
    for _ in range(races):
        where, folder = new_place()
        pair = [start(where, folder, steps, 10, "wait") for _ in range(2)]
        for process in pair:
            _, stderr = process.communicate(timeout=300)
            assert process.returncode == 0, stderr.decode()
        figures.deployments += 2
        check(where, folder, steps, figures)
    figures.seconds = time.monotonic() - begun
    return figures


def interrupt_deployments(new_place: NewPlace, count: int, *, steps: int = 400, seed: int = 1) -> Figures:
    """SIGTERM at random times: running steps end and are recorded, no new one begins, and the next deployment does the rest."""
    choose = random.Random(seed)
    figures = Figures()
    begun = time.monotonic()
    where, folder = new_place()
    while figures.kills < count:
        process = start(where, folder, steps, 10)
        started = folder / "started"
        while not started.exists() and process.poll() is None:
            time.sleep(0.002)
        started.unlink(missing_ok=True)
        time.sleep(choose.uniform(0.0, 0.3))
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=300)
        # One that comes when everything is done, and the process is about to end, does end it.
        assert process.returncode in (130, 0, -signal.SIGTERM), stderr.decode()
        figures.kills += 1
        if process.returncode != 130:
            _finish(where, folder, steps, figures)
            where, folder = new_place()
    _finish(where, folder, steps, figures)
    figures.seconds = time.monotonic() - begun
    return figures


def _finish(where: str, folder: Path, steps: int, figures: Figures) -> None:
    process = start(where, folder, steps, 10)
    _, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr.decode()
    figures.deployments += 1
    check(where, folder, steps, figures)


def main(kills: int, steps: int, others: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        count = iter(range(100_000))

        def on_sqlite() -> tuple[str, Path]:
            folder = Path(name) / f"s{next(count)}"
            folder.mkdir()
            return str(folder / "state.db"), folder

        _endure("sqlite", on_sqlite, kills, steps, others)
        if why_not() is not None:
            print("postgresql:", why_not())
            return
        with postgresql() as server:

            def on_postgresql() -> tuple[str, Path]:
                number = next(count)
                folder = Path(name) / f"p{number}"
                folder.mkdir()
                return server.database(f"k{number}"), folder

            _endure("postgresql", on_postgresql, kills, steps, others)


def _endure(store: str, new_place: NewPlace, kills: int, steps: int, others: int) -> None:
    runs: dict[str, Callable[[], Figures]] = {
        "kill -9": lambda: kill_deployments(new_place, kills, steps=steps),
        "races": lambda: race_deployments(new_place, others),
        "SIGTERM": lambda: interrupt_deployments(new_place, others),
    }
    for what, run in runs.items():
        seen = run()
        print(f"{store}, {what}: {seen}", flush=True)
        assert (seen.lost, seen.repeated, seen.out_of_order, seen.unknown) == (0, 0, 0, 0), seen


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:]]
    main(*words, *(200, 1000, 50)[len(words) :])
