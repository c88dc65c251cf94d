"""Deployments that are killed, raced and interrupted: the short form. `make endure` runs the long one."""

from __future__ import annotations

import os
import subprocess
import time
from itertools import count
from pathlib import Path

import pytest

from sabir.deployments.store.records import RecordStatus
from sabir.deployments.store.store import StateStore
from tests.deployments.killing import (
    Figures,
    NewPlace,
    check,
    interrupt_deployments,
    kill_deployments,
    race_deployments,
    start,
)
from tests.deployments.postgresql import PostgreSQL

KILLS = int(os.environ.get("SABIR_KILLS", "4"))
STEPS = int(os.environ.get("SABIR_KILL_STEPS", "120"))
_numbers = count()

pytestmark = pytest.mark.slow


def finished(process: subprocess.Popen[bytes]) -> int:
    process.wait(120)
    if process.stderr is not None:
        process.stderr.close()
    return process.returncode


def new_places(where: str, folder: Path, request: pytest.FixtureRequest) -> NewPlace:
    """The state of the test first, then others on the same store."""
    first = iter([where])

    def new_place() -> tuple[str, Path]:
        inside = folder / f"f{next(_numbers)}"
        inside.mkdir()
        place = next(first, None)
        if place is None:
            on_server = where.startswith("postgresql")
            server: PostgreSQL | None = request.getfixturevalue("server") if on_server else None
            place = server.database(f"k{next(_numbers)}") if server is not None else str(inside / "state.db")
        return place, inside

    return new_place


def test_killed_again_and_again(where: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    figures = kill_deployments(new_places(where, tmp_path, request), KILLS, steps=STEPS)
    assert figures.kills == KILLS
    assert (figures.lost, figures.repeated, figures.out_of_order, figures.unknown) == (0, 0, 0, 0)


def test_what_cannot_be_looked_up_is_unknown_and_never_repeated(tmp_path: Path) -> None:
    where = str(tmp_path / "state.db")
    process = start(where, tmp_path, 100, 10, "blind")
    log = tmp_path / "log"
    while not (log.exists() and log.read_text().count("\n") > 5):
        assert process.poll() is None
        time.sleep(0.002)
    process.kill()
    finished(process)
    status = finished(start(where, tmp_path, 100, 10, "blind"))
    figures = Figures()
    check(where, tmp_path, 100, figures, blind=True)
    assert figures.repeated == 0
    # Killed between two commits there may be no doubt at all; with one, the deployment says so.
    assert status == (1 if figures.unknown else 0)
    names = {line.split()[0] for line in log.read_text().splitlines()}
    store = StateStore.open(where, "victim")
    present = {name for name, record in store.records().items() if record.status is RecordStatus.PRESENT}
    store.close()
    assert present <= names


def test_two_at_once(where: str, tmp_path: Path) -> None:
    """With --wait the second comes after the first."""
    figures = race_deployments(lambda: (where, tmp_path), 3)
    assert (figures.lost, figures.repeated) == (0, 0)


def test_the_lock_is_free_when_its_holder_is_gone(where: str, tmp_path: Path) -> None:
    process = start(where, tmp_path, 2000, 2)
    while not (tmp_path / "started").exists():
        assert process.poll() is None
        time.sleep(0.01)
    refused = start(where, tmp_path, 100, 10)
    _, error = refused.communicate(timeout=60)
    assert refused.returncode == 1
    assert b"is being deployed by" in error
    process.kill()
    finished(process)
    store = StateStore.open(where, "victim")
    writer = store.writer("test")
    begun = time.monotonic()
    writer.begin(5.0)
    assert time.monotonic() - begun < 1.0
    writer.close()
    store.close()


def test_interrupts(where: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """No new step after the first; what runs ends and is recorded, so nothing is left open."""
    figures = interrupt_deployments(new_places(where, tmp_path, request), 3, seed=3)
    assert (figures.lost, figures.repeated, figures.out_of_order) == (0, 0, 0)


def test_a_database_that_is_away_is_waited_for(server: PostgreSQL, tmp_path: Path) -> None:
    where = server.database(f"away{next(_numbers)}")
    process = start(where, tmp_path, 400, 10)
    while not (tmp_path / "started").exists():
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.1)
    server.stop()
    time.sleep(1.0)
    server.start()
    assert finished(process) == 0
    figures = Figures()
    check(where, tmp_path, 400, figures)
    assert (figures.lost, figures.repeated, figures.out_of_order) == (0, 0, 0)
