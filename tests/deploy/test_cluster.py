"""Deployments over real workers: a scheduler and three workers in processes of their own, and what happens when they die."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct

from sabir.deployments.cluster.address import scheduler_address
from sabir.errors import UsageError

KILLS = int(os.environ.get("SABIR_TEST_WORKER_KILLS", "4"))


class Site(Struct):
    """A scheduler with its workers."""

    url: str
    folder: Path
    workers: dict[str, subprocess.Popen[bytes]] = {}

    def start_worker(self, name: str, *labels: str) -> None:
        resources = ",".join(f"{label}=4" for label in ("site", *labels))
        command = [sys.executable, "-m", "distributed.cli.dask_worker", self.url.replace("dask", "tcp")]
        options = [
            "--no-nanny",
            "--no-dashboard",
            "--nthreads",
            "4",
            "--name",
            name,
            "--resources",
            resources,
        ]
        with (self.folder / f"{name}.log").open("ab") as log:
            self.workers[name] = subprocess.Popen(
                [*command, *options, "--local-directory", str(self.folder)],
                stdout=log,
                stderr=log,
                cwd=self.folder,
            )

    def kill_worker(self, name: str, number: signal.Signals = signal.SIGKILL) -> None:
        self.workers[name].send_signal(number)
        self.workers[name].wait(30)

    def sabir(self, *words: str, folder: Path) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "sabir.cli", *words]
        return subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("site")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "distributed.cli.dask_scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    with (folder / "scheduler.log").open("wb") as log:
        scheduler = subprocess.Popen([*command, "--no-dashboard"], stdout=log, stderr=log, cwd=folder)
    running = Site(url=f"dask://127.0.0.1:{port}", folder=folder)
    try:
        for name, labels in (("a", ()), ("b", ()), ("c", ("vault",))):
            running.start_worker(name, *labels)
        for name in running.workers:
            _until(lambda name=name: "Registered to" in (folder / f"{name}.log").read_text())
        yield running
    finally:
        for process in (*running.workers.values(), scheduler):
            process.kill()
            process.wait(10)


def describe(folder: Path, count: int, label: str = "site") -> None:
    """Commands that each write a line into a file of their own, and take a moment."""
    resources = "".join(
        f"        c{number}: {{kind: command, target: far, fields: {{run: 'echo x >> {folder}/effects/{number}; sleep 0.05'}}}}\n"
        for number in range(count)
    )
    (folder / "effects").mkdir(exist_ok=True)
    (folder / "sabir.yaml").write_text(
        f"name: far-{folder.name}\ntargets: {{far: {{driver: local, root: /, labels: [{label}]}}}}\n"
        f"parts:\n  all:\n    language: resources\n    model:\n      resources:\n{resources}"
    )


def effects(folder: Path) -> dict[str, int]:
    return {file.name: len(file.read_text().split()) for file in (folder / "effects").iterdir()}


def deployed(site: Site, folder: Path, *words: str) -> tuple[int, str]:
    process = site.sabir(
        "deploy", ".", "--yes", "--trust", "scripts", "--executor", site.url, *words, folder=folder
    )
    output = process.communicate(timeout=300)[0]
    return process.returncode, output


@pytest.mark.slow
def test_steps_run_on_workers(site: Site, tmp_path: Path) -> None:
    describe(tmp_path, 12)
    status, output = deployed(site, tmp_path)
    assert status == 0, output
    assert effects(tmp_path) == {str(number): 1 for number in range(12)}
    plan = site.sabir("plan", ".", "--refresh", "--trust", "scripts", "--executor", site.url, folder=tmp_path)
    output = plan.communicate(timeout=60)[0]
    assert plan.returncode == 0, output


@pytest.mark.slow
def test_what_workers_reach_is_taken_away_by_workers_only(site: Site, tmp_path: Path) -> None:
    (tmp_path / "sabir.yaml").write_text(
        f"name: far\ntargets: {{far: {{driver: local, root: {tmp_path}, labels: [site]}}}}\nparts:\n  all:\n"
        "    language: resources\n    model: {resources: {a: {kind: file, target: far, fields: {path: a, content: x}}}}\n"
    )
    assert deployed(site, tmp_path)[0] == 0
    destroy = ["destroy", ".", "--yes", "--allow-delete", "all"]
    alone = site.sabir(*destroy, folder=tmp_path)
    assert "it needs workers" in alone.communicate(timeout=60)[0]
    assert (tmp_path / "a").exists()
    done = site.sabir(*destroy, "--executor", site.url, folder=tmp_path)
    output = done.communicate(timeout=60)[0]
    assert done.returncode == 0, output
    assert not (tmp_path / "a").exists()


@pytest.mark.slow
def test_labels_that_no_worker_has_are_told_when_it_is_planned(site: Site, tmp_path: Path) -> None:
    describe(tmp_path, 1, "vualt")
    for words in (["plan", "."], ["deploy", ".", "--yes"]):
        done = site.sabir(*words, "--trust", "scripts", "--executor", site.url, folder=tmp_path)
        output = done.communicate(timeout=60)[0]
        assert done.returncode == 1, output
        assert "no worker has the label vualt" in output
        assert "did you mean 'vault'" in output
    alone = site.sabir("plan", ".", "--trust", "scripts", folder=tmp_path)
    assert "needs workers: say where they are with --executor" in alone.communicate(timeout=60)[0]
    assert effects(tmp_path) == {}


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_workers_that_die_are_made_up_for(site: Site, tmp_path: Path, number: signal.Signals) -> None:
    """Nothing is lost and nothing is done twice; what was in the hands of a dead worker is found by its marks, or unknown."""
    count = 30 * KILLS
    describe(tmp_path, count)
    process = site.sabir(
        "deploy",
        ".",
        "--yes",
        "--trust",
        "scripts",
        "--executor",
        site.url,
        "--parallel",
        "12",
        folder=tmp_path,
    )
    choose = random.Random(number)
    for kill in range(1, KILLS + 1):
        _until(lambda kill=kill: process.poll() is not None or len(effects(tmp_path)) > 20 * kill)
        name = choose.choice("ab")
        site.kill_worker(name, number)
        site.start_worker(name)
    output = process.communicate(timeout=300)[0]
    unknown = set(re.findall(r"all/c(\d+) unknown", output))
    seen = effects(tmp_path)
    assert all(times == 1 for times in seen.values()), output
    assert {*map(str, range(count))} - {*seen} <= unknown, output
    print(
        f"{KILLS} workers killed, {count} steps: {count - len(seen)} lost, 0 repeated, {len(unknown)} unknown"
    )
    assert len(unknown) <= 12 * KILLS
    assert process.returncode == (1 if unknown else 0), output


def _until(condition: object) -> None:
    end = time.monotonic() + 120
    assert callable(condition)
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://x", "write dask://HOST:PORT"),
        ("dask://", "write dask://HOST:PORT"),
        ("dask://x:y", "Port could not be cast"),
        ("dask://example.org:1", "could be read on the way; write dask\\+tls://"),
    ],
)
def test_addresses_that_are_none(url: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        scheduler_address(url)


def test_addresses() -> None:
    assert str(scheduler_address("dask://127.0.0.1")) == "tcp://127.0.0.1:8786"
    assert str(scheduler_address("dask+tls://example.org:99")) == "tls://example.org:99"
