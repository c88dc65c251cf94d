"""The driver of this machine keeps the contract, and stays below its root."""

from __future__ import annotations

import io
import os
import shutil
import sys
import tarfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from sabir.deployments.drivers.local import DRIVER
from sabir.graph.values import Sensitive
from sabir.resources.driver import Connection, Driver
from sabir.resources.outcome import CompletionStatus, Outcome, OutcomeStatus
from sabir.resources.step import Action
from sabir.resources.target import Target
from tests.deployments.drivers.contract import Case, DriverContract, task
from tests.deployments.drivers.quiet import NoEffects


def zipped(**files: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{name}/file", text)
    return data.getvalue()


def tarred(name: str, text: bytes) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    return data.getvalue()


SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


class TestLocal(DriverContract):
    def driver(self) -> Driver:
        return DRIVER

    def target(self, folder: Path) -> Target:
        return Target(name="contract", driver="local", settings={"root": str(folder / "root")})

    def bad_target(self, folder: Path) -> Target:
        return Target(name="contract", driver="local", settings={"root": str(folder / "nowhere")})

    def cases(self) -> Sequence[Case]:
        return (
            Case(
                kind="file",
                first={"path": "etc/motd", "content": "hello\n", "mode": "0640"},
                then={"path": "etc/motd", "content": "good morning\n", "mode": "600"},
                secret={"path": "etc/secret", "content": Sensitive("canary-12345")},
            ),
            Case(kind="file", first={"path": "data", "content": b"\xff\x00" * 3}),
            Case(kind="file", first={"path": "large", "content": "x" * 1_500_000}),
            Case(
                kind="directory",
                first={"path": "/srv/www", "mode": "0755"},
                then={"path": "/srv/www", "mode": "0700"},
            ),
            Case(kind="symlink", first={"path": "link", "to": "a"}, then={"path": "link", "to": "b"}),
            Case(
                kind="archive",
                first={"path": "app", "content": zipped(a="1", b="2")},
                then={"path": "app", "content": tarred("c/file", b"3")},
            ),
            Case(
                kind="process",
                first={"name": "sleeper", "run": SLEEP},
                then={"name": "sleeper", "run": SLEEP, "environment": {"A": "1"}},
                secret={"name": "sleeper", "run": SLEEP, "environment": {"A": Sensitive("canary-777")}},
            ),
            Case(
                kind="command",
                first={"run": "echo done > ran"},
                secret={
                    "run": "echo $A; echo A=$A > $SABIR_OUTPUTS",
                    "environment": {"A": Sensitive("canary-99")},
                },
            ),
        )

    def apply(self, folder: Path, kind: str, fields: dict[str, object], **others: object) -> Outcome:
        resource = self.resource(Case(kind=kind, first={}), fields)
        timeout = others.pop("timeout", None)

        async def work(connection: Connection) -> Outcome:
            return await connection.apply(task(resource, Action.CREATE, timeout=timeout), NoEffects())

        return self.run(folder, work)

    @pytest.mark.parametrize("path", ["../out", "a/../../out", "link/out"])
    def test_nothing_leads_out(self, folder: Path, path: str) -> None:
        (folder / "root" / "link").symlink_to(folder)
        outcome = self.apply(folder, "file", {"path": path, "content": "x"})
        assert outcome.status is OutcomeStatus.FAILED
        assert "leads out of" in (outcome.message or "")
        assert not (folder / "out").exists()

    def test_an_archive_does_not_lead_out(self, folder: Path) -> None:
        outcome = self.apply(folder, "archive", {"path": "app", "content": tarred("../../out", b"x")})
        assert "leads out of" in (outcome.message or "")

    def test_what_is_in_the_way_is_left_alone(self, folder: Path) -> None:
        (folder / "root" / "a").mkdir()
        outcome = self.apply(folder, "file", {"path": "a", "content": "x"})
        assert "is a directory, no file" in (outcome.message or "")

    def test_a_directory_with_something_in_it_stays(self, folder: Path) -> None:
        (folder / "root" / "d").mkdir()
        (folder / "root" / "d" / "theirs").touch()
        for force in (False, True):
            resource = self.resource(Case(kind="directory", first={}), {"path": "d", "force": force})

            async def work(connection: Connection, resource: object = resource) -> Outcome:
                return await connection.delete(task(resource, Action.DELETE), NoEffects())  # type: ignore[arg-type]  # bound now

            outcome = self.run(folder, work)
            assert outcome.failed is not force

    def test_what_a_command_gives_out(self, folder: Path) -> None:
        fields: dict[str, object] = {"run": "echo hi; echo port=80 > $SABIR_OUTPUTS", "outputs": ["port"]}
        outcome = self.apply(folder, "command", fields)
        assert outcome.results == {"port": "80"}
        assert outcome.log == ("hi",)

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"run": "echo no room; exit 3"}, "it ended with status 3: no room"),
            ({"run": "true", "outputs": ["port"]}, "it did not give port"),
            ({"run": "true", "directory": "nowhere"}, "there is no directory"),
            ({}, "neither what to run nor a script"),
            ({"run": "true", "environment": {"LONG": "x" * 200_000}}, "the variable LONG has 200000 bytes"),
        ],
    )
    def test_commands_that_fail(self, folder: Path, fields: dict[str, object], words: str) -> None:
        outcome = self.apply(folder, "command", fields)
        assert outcome.status is OutcomeStatus.FAILED
        assert words in (outcome.message or "")

    def test_a_command_that_takes_too_long_is_ended(self, folder: Path) -> None:
        outcome = self.apply(
            folder, "command", {"run": "sleep 600 & echo $! > child; sleep 600"}, timeout=0.2
        )
        assert "took longer than 0.2 seconds" in (outcome.message or "")
        child = int((folder / "root" / "child").read_text())
        end = time.monotonic() + 10
        while _runs(child) and time.monotonic() < end:  # a process that was killed takes its time to go
            time.sleep(0.01)
        assert not _runs(child)

    @pytest.mark.parametrize("directory", [None, "below"])
    def test_a_command_is_undone_where_it_was_run(self, folder: Path, directory: str | None) -> None:
        (folder / "root" / "below").mkdir(parents=True)
        fields: dict[str, object] = {"run": "pwd > done", "undo": "pwd > undone", "directory": directory}
        assert not self.apply(folder, "command", fields).failed
        gone = task(self.resource(Case(kind="command", first={}), fields), Action.DELETE)
        assert not self.run(folder, lambda connection: connection.delete(gone, NoEffects())).failed
        there = folder / "root" / (directory or "")
        assert (there / "done").read_text() == (there / "undone").read_text() == f"{there}\n"

    def test_a_command_that_only_undoes_runs_nothing_before(self, folder: Path) -> None:
        outcome = self.apply(folder, "command", {"undo": "touch undone"})
        assert (outcome.status, outcome.changed) == (OutcomeStatus.DONE, False)
        resource = self.resource(Case(kind="command", first={}), {"undo": "touch undone"})
        gone = task(resource, Action.DELETE)
        assert not self.run(folder, lambda connection: connection.delete(gone, NoEffects())).failed
        assert (folder / "root" / "undone").exists()

    def test_a_script_with_its_words(self, folder: Path) -> None:
        script = "import os, sys\nopen(os.environ['SABIR_OUTPUTS'], 'w').write('{\"words\": \"%s\"}' % sys.argv[1:])"
        fields: dict[str, object] = {"script": script, "interpreter": [sys.executable], "run": ["a b", "c"]}
        assert self.apply(folder, "command", fields).results == {"words": "['a b', 'c']"}

    def test_a_process_that_ends_at_once(self, folder: Path) -> None:
        outcome = self.apply(folder, "process", {"name": "p", "run": "sh -c 'echo no port; exit 4'"})
        assert "it ended at once with status 4: no port" in (outcome.message or "")

    def test_a_command_that_was_cut_off_cannot_be_told(self, folder: Path) -> None:
        mark = folder / "root" / ".sabir" / "operations" / "op-1"
        mark.mkdir(parents=True)
        (mark / "begun").write_text("4194303\n")
        resource = self.resource(Case(kind="command", first={}), {"run": "true"})
        seen = self.run(folder, lambda connection: connection.observe(task(resource, Action.RUN)))
        assert seen.sighting is CompletionStatus.CANNOT_TELL
        assert str(mark) in (seen.look_at or "")


@pytest.mark.skipif(os.getuid() != 0 or shutil.which("groupadd") is None, reason="needs root and groupadd")
class TestMachine(DriverContract):
    """What belongs to the machine as a whole; only groups and users are tried, and taken away again."""

    def driver(self) -> Driver:
        return DRIVER

    def target(self, folder: Path) -> Target:
        return Target(name="contract", driver="local", settings={"root": "/"})

    def cases(self) -> Sequence[Case]:
        name = f"sabirt{os.getpid()}"
        number = 100_000 + 2 * os.getpid()
        return (
            Case(kind="group", first={"name": name, "gid": number}, then={"name": name, "gid": number + 1}),
            Case(
                kind="user",
                first={"name": name, "uid": number, "shell": "/bin/sh"},
                then={"name": name, "uid": number, "shell": "/bin/false"},
            ),
        )


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False
