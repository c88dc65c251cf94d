"""The driver of other machines keeps the contract against a real sshd, and tells the truth when connections break."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from sabir.cli.main import main
from sabir.deployments.drivers.machine import MachineConnection
from sabir.deployments.drivers.ssh.driver import DRIVER
from sabir.errors import DeployError, UnreachableError
from sabir.graph.address import Address
from sabir.graph.values import Sensitive
from sabir.resources.driver import Connection, Driver, DriverContext
from sabir.resources.outcome import CompletionStatus, Outcome, OutcomeStatus
from sabir.resources.resource import Resource
from sabir.resources.step import Action
from sabir.resources.target import Target
from tests.deployments.drivers import test_local
from tests.deployments.drivers.contract import Case, DriverContract, task
from tests.deployments.drivers.quiet import NoEffects
from tests.deployments.sshd import Sshd
from tests.support.process import pyenv_pythons

Run = Callable[..., Any]


@pytest.mark.slow
class TestSsh(DriverContract):
    server: Sshd

    @pytest.fixture(autouse=True)
    def _server(self, server: Sshd) -> None:
        self.server = server

    def driver(self) -> Driver:
        return DRIVER

    def target(self, folder: Path) -> Target:
        settings: Any = self.server.settings(folder / "root")
        return Target(name="contract", driver="ssh", settings=settings)

    def bad_target(self, folder: Path) -> Target:
        settings: Any = self.server.settings(folder / "nowhere")
        return Target(name="contract", driver="ssh", settings=settings)

    def cases(self) -> Sequence[Case]:
        return test_local.TestLocal().cases()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def on_host(server: Sshd, root: Path) -> Run:
    def run(work: Callable[[Connection], Awaitable[Any]], **settings: object) -> Any:
        async def connected() -> Any:
            described: Any = {**server.settings(root), **settings}
            target = Target(name="web", driver="ssh", settings=described)
            context = DriverContext(folder=root.parent, environment="shop")
            async with DRIVER.connect(target, context) as connection:
                return await work(connection)

        return asyncio.run(connected())

    return run


def resource(kind: str, **fields: Any) -> Resource:
    return Resource(address=Address("subject"), kind=kind, desired=fields, target="web")


async def nothing(connection: Connection) -> None:
    pass


async def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


def test_an_unknown_host_is_refused_with_its_fingerprint(server: Sshd, on_host: Run, tmp_path: Path) -> None:
    (tmp_path / "none").touch()
    shown = subprocess.run(
        ["ssh-keygen", "-lf", str(server.folder / "host.pub")], capture_output=True, text=True, check=True
    )
    with pytest.raises(DeployError, match="its key is not known") as caught:
        on_host(nothing, known_hosts="none")
    assert shown.stdout.split()[1] in str(caught.value)
    assert f"ssh-keyscan -p {server.port} 127.0.0.1 >> " in str(caught.value)


def test_without_any_file_of_hosts_nothing_is_accepted(
    server: Sshd, on_host: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text("Host *\n  UserKnownHostsFile none\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(DeployError, match="its key is not known"):
        on_host(nothing, known_hosts=None)


def test_a_host_with_another_key_is_refused(server: Sshd, on_host: Run, tmp_path: Path) -> None:
    other = (server.folder / "stranger.pub").read_text()
    (tmp_path / "other").write_text(f"[127.0.0.1]:{server.port} {other}")
    with pytest.raises(DeployError, match="it shows another key") as caught:
        on_host(nothing, known_hosts="other")
    assert not isinstance(caught.value, UnreachableError)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"key": "STRANGER"}, r"target 'web' .* does not let '[^']+' in with the key"),
        ({"key": "nowhere"}, "there is no file '.*nowhere'"),
        ({"known_hosts": "nowhere"}, "there is no file '.*nowhere'"),
        ({"key": "KNOWN_HOSTS"}, "the key '.*' cannot be used"),
        ({"password": "canary-1", "key": "STRANGER"}, "does not let"),
        ({"python": "no-such-python"}, "needs Python 3.9 or newer, and 'no-such-python' did not start"),
        ({"root": "/no/such/folder"}, "there is no folder '/no/such/folder'"),
        ({"host": "-oProxyCommand=x"}, "no name of a host"),
        ({"port": 70000}, "no number of a port"),
        ({"keepalive_seconds": 0}, "must be more than 0"),
    ],
)
def test_what_is_wrong_is_said(server: Sshd, on_host: Run, settings: dict[str, object], words: str) -> None:
    files = {"STRANGER": str(server.folder / "stranger"), "KNOWN_HOSTS": str(server.folder / "known_hosts")}
    settings = {name: files.get(str(value), value) for name, value in settings.items()}
    with pytest.raises(DeployError, match=words) as caught:
        on_host(nothing, **settings)
    assert not isinstance(caught.value, UnreachableError)
    assert "canary" not in str(caught.value)


def test_nobody_listens(on_host: Run) -> None:
    with pytest.raises(UnreachableError, match="cannot be reached: Connection refused"):
        on_host(nothing, port=1)


@pytest.mark.parametrize("said", ["this is Python 3.8", "Unknown option: -I"])
def test_a_python_that_is_too_old(on_host: Run, root: Path, said: str) -> None:
    old = root / "python"
    old.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    old.chmod(0o755)
    with pytest.raises(DeployError, match=f"Python 3.9 or newer.*{said}.*`python:`"):
        on_host(nothing, python=str(old))


@pytest.mark.parametrize("version", ["3.8", "3.9", "3.13"])
def test_real_interpreters(on_host: Run, root: Path, version: str) -> None:
    """From 3.9 on it works; an older one says what it is."""
    python = next(iter(pyenv_pythons(version)), None)
    if python is None:
        pytest.skip(f"no Python {version} of pyenv on this machine")

    def work(connection: Connection) -> Awaitable[Outcome]:
        return connection.apply(task(resource("command", run="echo x > a"), Action.RUN), NoEffects())

    if version == "3.8":
        with pytest.raises(DeployError, match=r"this is Python 3\.8"):
            on_host(work, python=str(python))
        return
    assert on_host(work, python=str(python)).status is OutcomeStatus.DONE
    assert (root / "a").exists()


def test_what_a_login_prints_is_no_answer(on_host: Run, root: Path) -> None:
    chatty = root / "python"
    chatty.write_text(f'#!/bin/sh\necho welcome\necho\nexec {sys.executable} "$@"\n')
    chatty.chmod(0o755)
    wanted = resource("file", path="a", content="x")
    outcome = on_host(
        lambda connection: connection.apply(task(wanted, Action.CREATE), NoEffects()), python=str(chatty)
    )
    assert outcome.status is OutcomeStatus.DONE


def test_a_hundred_files_over_one_connection(
    server: Sshd, on_host: Run, root: Path, record_property: Callable[[str, object], None]
) -> None:
    connections: set[int] = set()

    async def work(connection: Connection) -> Sequence[Outcome]:
        outcomes = await asyncio.gather(
            *(
                connection.apply(
                    task(resource("file", path=f"d/{n}", content=f"{n}\n" * 100), Action.CREATE, f"op-{n}"),
                    NoEffects(),
                )
                for n in range(100)
            )
        )
        connections.update(server.connections())
        return outcomes

    began = time.monotonic()
    outcomes = on_host(work)
    record_property("seconds", time.monotonic() - began)
    assert all(outcome.status is OutcomeStatus.DONE for outcome in outcomes)
    assert len([*(root / "d").iterdir()]) == 100
    assert len(connections) == 1


@pytest.mark.slow
class TestBrokenConnections:
    def test_a_command_is_in_doubt_and_found(self, server: Sshd, on_host: Run, root: Path) -> None:
        """The command goes on; whoever looks waits for its end, and it ran once."""
        wanted = resource("command", run="echo ran >> ran; sleep 1; echo v=1 > $SABIR_OUTPUTS")
        step = task(wanted, Action.RUN)

        async def work(connection: Connection) -> Any:
            running = asyncio.ensure_future(connection.apply(step, NoEffects()))
            await until((root / "ran").exists)
            assert server.cut()
            return await running, await connection.observe(step)

        outcome, seen = on_host(work)
        assert outcome.status is OutcomeStatus.UNKNOWN
        assert "the connection broke" in outcome.message
        assert "before the host answered" in outcome.message
        assert seen.sighting is CompletionStatus.DONE
        assert seen.outcome.results == {"v": "1"}
        assert (root / "ran").read_text() == "ran\n"

    def test_a_command_that_was_killed_cannot_be_told(self, server: Sshd, on_host: Run, root: Path) -> None:
        step = task(resource("command", run="echo $PPID > shell; sleep 600"), Action.RUN)

        async def work(connection: Connection) -> Any:
            running = asyncio.ensure_future(connection.apply(step, NoEffects()))
            await until(lambda: (root / "shell").exists() and bool((root / "shell").read_text()))
            server.cut()
            outcome = await running
            shell = int((root / "shell").read_text())
            os.killpg(shell, 9)
            return outcome, await connection.observe(step)

        outcome, seen = on_host(work)
        assert outcome.status is OutcomeStatus.UNKNOWN
        assert seen.sighting is CompletionStatus.CANNOT_TELL
        assert "op-1: it was begun and did not end" in seen.look_at

    def test_files_are_worth_another_try(self, server: Sshd, on_host: Run, root: Path) -> None:
        """A file that is being written when the connection breaks: failed, passing, and right the next time."""
        wanted = resource("file", path="a", content="x" * 3_000_000)

        async def work(connection: Connection) -> Any:
            running = asyncio.ensure_future(connection.apply(task(wanted, Action.CREATE), NoEffects()))
            await asyncio.sleep(0)
            server.cut()
            first = await running
            again = await connection.apply(task(wanted, Action.CREATE), NoEffects())
            return first, again

        first, again = on_host(work)
        assert first.status in (OutcomeStatus.FAILED, OutcomeStatus.DONE)
        assert first.status is OutcomeStatus.DONE or first.passing
        assert again.status is OutcomeStatus.DONE
        assert (root / "a").stat().st_size == 3_000_000

    def test_a_host_that_does_not_come_back(self, on_host: Run, server: Sshd) -> None:
        """Nothing was sent: a failure that may pass, and a look that does not pretend."""
        step = task(resource("command", run="true"), Action.RUN)

        async def work(connection: Connection) -> Any:
            assert isinstance(connection, MachineConnection)
            host: Any = connection.hands
            server.cut()
            await until(lambda: host._line.broken is not None)
            host.access = type(host.access)(
                target="web", host="127.0.0.1", port=1, root="/", known_hosts=host.access.known_hosts
            )
            outcome = await connection.apply(step, NoEffects())
            with pytest.raises(DeployError, match="cannot be reached"):
                await connection.observe(step)
            return outcome

        outcome = on_host(work)
        assert outcome.status is OutcomeStatus.FAILED
        assert outcome.passing

    def test_a_request_that_comes_too_late(self, server: Sshd, on_host: Run, root: Path) -> None:
        """Hands that wake up after somebody else looked and did it do not do it again."""
        step = task(resource("command", run="echo ran >> ran"), Action.RUN)

        async def work(connection: Connection) -> Any:
            (hands,) = server.hands()
            os.kill(hands, signal.SIGSTOP)
            running = asyncio.ensure_future(connection.apply(step, NoEffects()))
            await asyncio.sleep(0.3)
            server.cut()
            outcome = await running
            seen = await connection.observe(step)
            again = await connection.apply(step, NoEffects())
            os.kill(hands, signal.SIGCONT)
            await until(lambda: not Path(f"/proc/{hands}").exists())
            return outcome, seen, again

        outcome, seen, again = on_host(work)
        assert outcome.status is OutcomeStatus.UNKNOWN
        assert seen.sighting is CompletionStatus.NOT_DONE
        assert again.status is OutcomeStatus.DONE
        assert (root / "ran").read_text() == "ran\n"

    def test_many_cuts(self, server: Sshd, on_host: Run, root: Path) -> None:
        """Commands that are cut off at any moment, looked for and run again only when they were not done: each runs once."""

        async def work(connection: Connection) -> None:
            for number in range(12):
                step = task(resource("command", run=f"echo {number} >> ran"), Action.RUN, f"op-{number}")
                running = asyncio.ensure_future(connection.apply(step, NoEffects()))
                await asyncio.sleep(number * 0.002)
                server.cut()
                outcome = await running
                while outcome.status is not OutcomeStatus.DONE:
                    if (await connection.observe(step)).sighting is CompletionStatus.DONE:
                        break
                    outcome = await connection.apply(step, NoEffects())

        on_host(work)
        assert (root / "ran").read_text().split() == [str(number) for number in range(12)]


def test_no_secret_on_a_command_line(on_host: Run, root: Path) -> None:
    """While it runs, no process of the host shows it."""
    wanted = resource(
        "command", run="cat /proc/[0-9]*/cmdline > seen; true", environment={"A": Sensitive("canary-5")}
    )
    outcome = on_host(lambda connection: connection.apply(task(wanted, Action.RUN), NoEffects()))
    assert outcome.status is OutcomeStatus.DONE, outcome.message
    seen = (root / "seen").read_bytes()
    assert b"sys.version_info" in seen
    assert b"canary-5" not in seen


ENVIRONMENT = """
name: remote
targets:
  web:
    driver: ssh
    host: 127.0.0.1
    port: {port}
    user: {user}
    key: {key}
    known_hosts: {known_hosts}
    root: {root}
parts:
  files:
    language: resources
    model:
      resources:
        etc: {{kind: directory, target: web, fields: {{path: etc, mode: '0750'}}}}
        motd: {{kind: file, target: web, fields: {{path: etc/motd, content: hello}}, requires: [etc]}}
        secret: {{kind: file, target: web, fields: {{path: etc/s, content: {{sensitive: canary-6}}}}, requires: [etc]}}
        seed: {{kind: command, target: web, fields: {{run: echo seeded >> seeded}}, requires: [motd]}}
"""


@pytest.mark.slow
def test_an_environment_from_nothing_to_nothing(
    server: Sshd,
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sabir.yaml").write_text(ENVIRONMENT.format(**server.settings(root)))
    words = [".", "--trust", "scripts"]
    assert main(["plan", *words]) == 3
    assert "3 to create, 1 to run" in capsys.readouterr().out
    assert main(["deploy", *words, "--yes"]) == 0, capsys.readouterr().err
    assert (root / "etc" / "motd").read_text() == "hello"
    assert stat.S_IMODE((root / "etc").stat().st_mode) == 0o750
    assert (root / "seeded").read_text() == "seeded\n"
    assert main(["plan", *words]) == 0
    assert main(["status", *words]) == 0
    (root / "etc" / "motd").write_text("theirs")
    assert main(["status", *words]) == 3
    assert main(["deploy", *words, "--repair", "--yes"]) == 0
    assert (root / "etc" / "motd").read_text() == "hello"
    assert main(["destroy", *words, "--yes", "--allow-delete", "all"]) == 0
    assert not (root / "etc").exists()
    assert "canary" not in "".join(capsys.readouterr())
