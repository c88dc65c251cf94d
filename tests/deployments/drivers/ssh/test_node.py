"""What belongs to a machine as a whole, on one that is thrown away: apt, runit, accounts; and the ways to get in."""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from sabir.cli.main import main
from sabir.deployments.drivers.ssh.driver import DRIVER
from sabir.errors import DeployError
from sabir.graph.address import Address
from sabir.graph.values import Sensitive
from sabir.resources.driver import Connection, Driver, DriverContext
from sabir.resources.outcome import Outcome, OutcomeStatus
from sabir.resources.resource import Resource
from sabir.resources.step import Action
from sabir.resources.target import Target
from tests.deployments.drivers.contract import Case, DriverContract, task
from tests.deployments.drivers.quiet import NoEffects
from tests.deployments.node import PASSPHRASE, PASSWORD, USER, Node, node, why_no_node

pytestmark = pytest.mark.slow

_CONTROL = """\
Package: sabir-sample
Version: {version}
Architecture: all
Maintainer: nobody <nobody@example.org>
Description: a package that holds one file
"""


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    reason = why_no_node()
    if reason is not None:
        pytest.skip(reason)
    with node(tmp_path_factory.mktemp("node")) as running:
        _offer_packages(running)
        _describe_service(running)
        yield running


def _offer_packages(machine: Node) -> None:
    """Two versions of a package in a folder, which is all the archive that apt knows there."""
    index = []
    for version in ("1.0", "2.0"):
        tree = machine.folder / f"sample-{version}"
        (tree / "DEBIAN").mkdir(parents=True)
        control = _CONTROL.format(version=version)
        (tree / "DEBIAN" / "control").write_text(control)
        (tree / "opt").mkdir()
        (tree / "opt" / "sabir-sample").write_text(version)
        file = machine.folder / f"sabir-sample_{version}_all.deb"
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-b", str(tree), str(file)], check=True, capture_output=True
        )
        data = file.read_bytes()
        index.append(
            f"{control}Filename: ./{file.name}\nSize: {len(data)}\nSHA256: {hashlib.sha256(data).hexdigest()}\n"
        )
    (machine.folder / "Packages").write_text("\n".join(index))
    machine.run(
        "sh",
        "-c",
        "rm -f /etc/apt/sources.list.d/*; echo 'deb [trusted=yes] file:/mnt ./' > /etc/apt/sources.list",
    )
    machine.run("apt-get", "update", "-q")


def _describe_service(machine: Node) -> None:
    script = "mkdir -p /etc/sv/web; printf '#!/bin/sh\\nexec sleep 1000\\n' > /etc/sv/web/run; chmod 755 /etc/sv/web/run"
    machine.run("sh", "-c", script)


class TestMachine(DriverContract):
    machine: Node
    kill_after = (0.0, 0.2, 0.5)

    @pytest.fixture(autouse=True)
    def _machine(self, machine: Node) -> None:
        self.machine = machine

    def driver(self) -> Driver:
        return DRIVER

    def target(self, folder: Path) -> Target:
        settings: Any = self.machine.settings()
        return Target(name="contract", driver="ssh", settings=settings)

    def cases(self) -> Sequence[Case]:
        web = {"name": "web", "manager": "runit", "directory": "/run/service"}
        return (
            Case(
                kind="package",
                first={"name": "sabir-sample", "version": "1.0"},
                then={"name": "sabir-sample", "version": "2.0"},
            ),
            Case(
                kind="service",
                first={**web, "state": "running", "enabled": True},
                then={**web, "state": "stopped", "enabled": True},
                stays=True,
            ),
            Case(kind="group", first={"name": "team", "gid": 4001}, then={"name": "team", "gid": 4002}),
            Case(
                kind="user",
                first={
                    "name": "worker",
                    "uid": 4001,
                    "shell": "/bin/sh",
                    "groups": ["mail"],
                    "create_home": True,
                },
                then={"name": "worker", "uid": 4001, "shell": "/bin/false", "groups": ["mail", "news"]},
            ),
            Case(
                kind="file",
                first={"path": "/etc/motd-of-test", "content": "hello\n", "mode": "0640", "group": "mail"},
                then={"path": "/etc/motd-of-test", "content": "bye\n", "mode": "0600", "group": "news"},
            ),
        )

    def apply(
        self, folder: Path, kind: str, fields: dict[str, object], action: Action = Action.CREATE
    ) -> Outcome:
        resource = self.resource(Case(kind=kind, first={}), fields)
        return self.run(folder, lambda connection: connection.apply(task(resource, action), NoEffects()))

    def test_the_newest_package(self, folder: Path) -> None:
        outcome = self.apply(folder, "package", {"name": "sabir-sample"})
        assert outcome.fields == {"name": "sabir-sample", "version": "2.0"}
        assert self.machine.run("cat", "/opt/sabir-sample") == "2.0"
        older = self.apply(folder, "package", {"name": "sabir-sample", "version": "1.0"}, Action.UPDATE)
        assert older.changed
        assert self.machine.run("cat", "/opt/sabir-sample") == "1.0"

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"name": "no-such-package"}, "Unable to locate package no-such-package"),
            ({"name": "sabir-sample", "version": "9"}, "Version '9' for 'sabir-sample' was not found"),
            ({"name": "-oDPkg::Pre-Invoke::=touch /mnt/run"}, "is no name and version of a package"),
            ({"name": "mail-"}, "is no name and version of a package"),
            ({"name": "/mnt/sabir-sample_1.0_all.deb"}, "is no name and version of a package"),
        ],
    )
    def test_packages_that_cannot_be_had(self, folder: Path, fields: dict[str, object], words: str) -> None:
        outcome = self.apply(folder, "package", fields)
        assert outcome.status is OutcomeStatus.FAILED
        assert words in (outcome.message or "")
        assert not (self.machine.folder / "run").exists()

    def test_a_service_is_restarted(self, folder: Path) -> None:
        fields: dict[str, object] = {
            "name": "web",
            "manager": "runit",
            "directory": "/run/service",
            "state": "running",
        }
        self.apply(folder, "service", {**fields, "enabled": True})
        before = self.machine.run("cat", "/run/service/web/supervise/pid")
        resource = self.resource(Case(kind="service", first={}), fields)
        step = task(resource, Action.RUN)
        restarted = self.run(folder, lambda connection: connection.call(step, "restart", NoEffects()))
        assert not restarted.failed
        after = self.machine.run("cat", "/run/service/web/supervise/pid")
        assert before != after
        assert not self.apply(folder, "service", fields, Action.RUN).failed
        assert self.machine.run("cat", "/run/service/web/supervise/pid") != after

    def test_a_service_that_nobody_described(self, folder: Path) -> None:
        outcome = self.apply(folder, "service", {"name": "none", "manager": "runit", "state": "running"})
        assert outcome.message == "there is no service 'none' on this machine"


def connected(settings: Any, work: Callable[[Connection], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with DRIVER.connect(
            Target(name="web", driver="ssh", settings=settings), DriverContext()
        ) as connection:
            return await work(connection)

    return asyncio.run(run())


def _who(connection: Connection) -> Awaitable[Outcome]:
    fields = {"run": "echo who=$(id -un) > $SABIR_OUTPUTS", "outputs": ["who"]}
    resource = Resource(address=Address("who"), kind="command", desired=fields)
    return connection.apply(task(resource, Action.RUN), NoEffects())


@pytest.mark.parametrize(
    ("settings", "who"),
    [
        ({"user": USER, "key": None, "password": Sensitive(PASSWORD)}, USER),
        ({"user": USER, "key": None, "password": Sensitive(PASSWORD), "sudo": True}, "root"),
        ({"key": "locked", "passphrase": Sensitive(PASSPHRASE)}, "root"),
    ],
    ids=["password", "sudo", "passphrase"],
)
def test_ways_in(machine: Node, settings: dict[str, Any], who: str) -> None:
    if settings.get("key"):
        settings = {**settings, "key": str(machine.folder / settings["key"])}
    machine.run("rm", "-rf", "/var/lib/sabir", f"/home/{USER}/.local")
    outcome = connected(machine.settings(**settings), _who)
    assert outcome.results == {"who": who}, outcome.message


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"user": USER, "key": None, "password": Sensitive("canary-1")},
            "does not let 'deployer' in with the password",
        ),
        ({"key": "locked", "passphrase": Sensitive("canary-1")}, "[Pp]assphrase"),
        ({"key": "locked"}, "[Pp]assphrase must be"),
        ({"user": "worker-of-nobody", "key": None, "password": Sensitive("canary-1")}, "does not let"),
    ],
)
def test_ways_that_stay_closed(machine: Node, settings: dict[str, Any], words: str) -> None:
    if settings.get("key"):
        settings = {**settings, "key": str(machine.folder / settings["key"])}
    with pytest.raises(DeployError, match=words) as caught:
        connected(machine.settings(**settings), _who)
    assert "canary" not in str(caught.value)


def test_sudo_that_asks_for_a_password(machine: Node) -> None:
    """It is told as what it is; nobody waits for a password."""
    machine.run("mv", f"/etc/sudoers.d/{USER}", "/var/tmp/kept")
    try:
        with pytest.raises(DeployError, match="sudo"):
            connected(machine.settings(user=USER, key=None, password=Sensitive(PASSWORD), sudo=True), _who)
    finally:
        machine.run("mv", "/var/tmp/kept", f"/etc/sudoers.d/{USER}")


def test_systemd_is_told_to_be_missing(machine: Node) -> None:
    """A real systemd needs a machine that it started; what is said without one can be seen here."""
    resource = Resource(
        address=Address("web"),
        kind="service",
        desired={"name": "web", "manager": "systemd", "state": "running"},
    )
    outcome = connected(
        machine.settings(), lambda connection: connection.apply(task(resource, Action.CREATE), NoEffects())
    )
    assert outcome.status is OutcomeStatus.FAILED
    assert (outcome.message or "").startswith("systemd does not answer: ")


@pytest.mark.parametrize(
    ("source", "trust"), [("{env: DOOR}", ["--trust", "env:DOOR"]), ("{file: door}", [])], ids=["env", "file"]
)
def test_a_password_by_reference(
    machine: Node,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    source: str,
    trust: list[str],
) -> None:
    """`password: {secret: …}` of a target: read when the machine is entered, and written nowhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOOR", PASSWORD)
    (tmp_path / "door").write_text(PASSWORD)
    machine.run("rm", "-rf", "/var/lib/sabir", f"/home/{USER}/.local")
    settings = machine.settings(user=USER, key=None, password={"secret": "door"}, sudo=True)
    target = json.dumps({name: value for name, value in settings.items() if value is not None})
    (tmp_path / "sabir.yaml").write_text(
        f"name: entered\nsecrets: {{door: {source}}}\ntargets:\n  web: {{driver: ssh, {target[1:]}\n"
        "parts:\n  all:\n    language: resources\n    model:\n      resources:\n"
        "        motd: {kind: file, target: web, fields: {path: /etc/motd-by-reference, content: hello}}\n"
    )
    for words, status in (
        (["plan", "."], 3),
        (["deploy", ".", "--yes"], 0),
        (["status", "."], 0),
        (["plan", ".", "--refresh", "--format", "json"], 0),
        (["destroy", ".", "--yes", "--allow-delete", "all"], 0),
    ):
        assert main([*words, *trust]) == status, capfd.readouterr()
        shown = capfd.readouterr()
        assert PASSWORD not in shown.out + shown.err
    kept = [file for file in (tmp_path / ".sabir").rglob("*") if file.is_file()]
    assert kept
    assert not any(PASSWORD.encode() in file.read_bytes() for file in kept)
