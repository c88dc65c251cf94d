"""Deployments over real workers: a scheduler and three workers in processes of their own, and what happens when they die."""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sabir
from sabir.operations.parallel import content_digest
from tests.deployments.site import Site, running_site

KILLS = int(os.environ.get("SABIR_TEST_WORKER_KILLS", "4"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    pytest.importorskip("distributed")
    with running_site(tmp_path_factory.mktemp("site")) as running:
        yield running


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
        while process.poll() is None and len(effects(tmp_path)) <= 20 * kill:
            time.sleep(0.005)
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


class TestManyPackages:
    """`check` of many packages on workers: the report of one process, whatever happens to workers."""

    @pytest.fixture
    def packages(self, tmp_path: Path) -> Path:
        for number in range(45):
            folder = tmp_path / f"p{number}"
            folder.mkdir()
            name = "kind" if number % 9 else "knd"
            (folder / "sabir.yaml").write_text(
                f"name: p{number}\nparts:\n  a:\n    language: resources\n"
                f"    model: {{resources: {{x: {{{name}: file, fields: {{path: x, content: y}}}}}}}}\n"
            )
        return tmp_path

    def checked(self, site: Site, folder: Path, *words: str) -> tuple[int, str]:
        process = site.sabir("check", *words, folder=folder)
        output = process.communicate(timeout=300)[0]
        return process.returncode, output

    @pytest.mark.slow
    def test_the_report_is_the_same(self, site: Site, packages: Path) -> None:
        here = self.checked(site, packages, ".")
        assert here[0] == 1
        assert self.checked(site, packages, ".", "--executor", site.url) == here
        one = self.checked(site, packages, "p1", "nowhere", "--executor", site.url)
        assert one == self.checked(site, packages, "p1", "nowhere")

    @pytest.mark.slow
    def test_graphs_come_back(self, site: Site, packages: Path) -> None:
        paths = [*(packages / f"p{number}" for number in range(25)), packages / "nowhere"]

        def compiled(**how: Any) -> list[Any]:
            return [
                result
                if isinstance(result, str)
                else (
                    path,
                    b"".join(result.pieces()),
                    [(one.message, str(one.location)) for one in result.findings],
                )
                for path, result in sabir.compile_many(*paths, **how)
            ]

        here = compiled()
        assert here == compiled(jobs=2)
        assert here == compiled(executor=site.url)
        assert "nowhere" in here[-1]
        assert here[1][1] == b"".join(sabir.compile(paths[1]).pieces())

    @pytest.mark.slow
    def test_workers_that_die_are_made_up_for(self, site: Site, packages: Path) -> None:
        expected = self.checked(site, packages, ".")
        process = site.sabir("check", ".", "--executor", site.url, folder=packages)
        time.sleep(1.5)
        site.kill_worker("a")
        site.start_worker("a")
        output = process.communicate(timeout=300)[0]
        assert (process.returncode, output) == expected

    @pytest.mark.slow
    def test_what_cannot_be_done_is_said(self, site: Site, packages: Path) -> None:
        status, output = self.checked(site, packages, ".", "--executor", "dask://127.0.0.1:1")
        assert status == 2 or "cannot be used" in output
        assert "cannot be used" in output
        status, output = self.checked(site, packages, "-", "--executor", site.url)
        assert "workers read what has a path" in output


def test_a_digest_of_what_is_below_a_path(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    before = content_digest(tmp_path)
    assert content_digest(tmp_path) == before
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("left out")
    assert content_digest(tmp_path) == before
    for change in (
        lambda: (tmp_path / "a").write_text("y"),
        lambda: (tmp_path / "a").rename(tmp_path / "b"),
        lambda: (tmp_path / "c").symlink_to("b"),
        lambda: os.mkfifo(tmp_path / "d"),
    ):
        change()
        after = content_digest(tmp_path)
        assert after != before
        before = after
    assert content_digest(tmp_path / "nowhere") == content_digest(tmp_path / "nowhere")
