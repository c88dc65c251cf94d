"""Machines for tests: each a copy of this one that is thrown away, with processes, a name and an sshd of its own.

A machine is an overlay over the root of this machine in namespaces of its own; it listens on a loopback address of its own. That
needs root and overlay mounts: where they are not to be had, tests are skipped with the reason.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests.deployments.sshd import why_not as why_no_sshd

__all__ = ["Farm", "Machine", "farm", "why_not"]

_CONFIG = """\
Port {port}
ListenAddress {address}
HostKey {keys}/host
PidFile none
AuthorizedKeysFile {keys}/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
"""
_START = """\
set -e
mount -t overlay overlay -o lowerdir=/,upperdir="$1/upper",workdir="$1/work" "$1/root"
mount --rbind /dev "$1/root/dev"
mkdir -p "$1/root/proc" "$1/root/run/sshd" "$1/root/$2"
mount --bind "$2" "$1/root/$2"
hostname "$3"
exec chroot "$1/root" /bin/sh -c 'mount -t proc proc /proc; touch "$1/$2.up"; exec $0' "$4" "$2" "$3"
"""
_SSHD = "/usr/sbin/sshd -D -e -f {keys}/{name}.conf"
_SILENT = "sleep 1000000"
"""A machine that nobody listens on is entered through its namespaces."""


@cache
def why_not() -> str | None:
    """Why there are no machines to be had here; None when there are."""
    reason = why_no_sshd()
    if reason is not None:
        return reason
    if os.geteuid() != 0:
        return "machines need root"
    tried = subprocess.run(
        ["unshare", "--mount", "--pid", "--uts", "--fork", "true"], capture_output=True, check=False
    )
    return "this machine has no namespaces to give" if tried.returncode else None


class Machine:
    def __init__(self, name: str, address: str, port: int | None, folder: Path) -> None:
        self.name = name
        self.address = address
        self.port = port
        """None: there is no sshd on it."""
        self.folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def root(self) -> Path:
        """What is different on it; it begins empty."""
        return self.folder / "upper"

    def start(self, keys: Path) -> None:
        for part in ("upper", "work", "root"):
            (self.folder / part).mkdir(parents=True)
        config = _CONFIG.format(port=self.port, address=self.address, keys=keys)
        program = (_SILENT if self.port is None else _SSHD).format(keys=keys, name=self.name)
        (keys / f"{self.name}.conf").write_text(config)
        words = ["unshare", "--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child"]
        with (self.folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [*words, "/bin/sh", "-c", _START, "machine", str(self.folder), str(keys), self.name, program],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._wait(keys / f"{self.name}.up")

    def _wait(self, mark: Path) -> None:
        assert self._process is not None
        end = time.monotonic() + 20
        while time.monotonic() < end and self._process.poll() is None:
            if mark.exists() and self._is_listening():
                return
            time.sleep(0.02)
        raise AssertionError((self.folder / "log").read_text())

    def _is_listening(self) -> bool:
        if self.port is None:
            return True
        try:
            with socket.create_connection((self.address, self.port), 1):
                return True
        except OSError:
            return False

    def through(self) -> list[str]:
        """A command that starts programs in its namespaces."""
        assert self._process is not None
        outside = self._process.pid
        (first,) = Path(f"/proc/{outside}/task/{outside}/children").read_text().split()
        return ["nsenter", "--target", first, "--mount", "--pid", "--uts", "--ipc", "--root", "--wd"]

    def stop(self) -> None:
        """End it with all its processes; its mounts go with its namespace."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()


class Farm:
    """Several machines with one key."""

    def __init__(self, keys: Path, machines: list[Machine]) -> None:
        self.keys = keys
        self.machines = machines

    def settings(self) -> dict[str, object]:
        """What the hosts of a target have in common."""
        return {
            "user": "root",
            "key": str(self.keys / "id"),
            "known_hosts": str(self.keys / "known_hosts"),
            "python": "/usr/bin/python3",
        }

    def hosts(self) -> list[dict[str, object]]:
        return [
            {"host": machine.address, "port": machine.port}
            if machine.port is not None
            else {"host": machine.name, "address": machine.address, "through": machine.through()}
            for machine in self.machines
        ]


@contextmanager
def farm(folder: Path, size: int, *, with_sshd: bool = True) -> Generator[Farm]:
    """`folder` is short-lived; addresses are taken from the process id, so that two farms do not meet."""
    keys = folder / "keys"
    keys.mkdir(parents=True)
    for name in ("host", "id"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", keys / name], check=True)
    shutil.copy(keys / "id.pub", keys / "authorized_keys")
    public = " ".join((keys / "host.pub").read_text().split()[:2])
    number = os.getpid()
    machines = [
        Machine(
            f"machine{index}",
            f"127.{1 + number // 250 % 250}.{number % 250}.{index}",
            2222 if with_sshd else None,
            folder / f"m{index}",
        )
        for index in range(1, size + 1)
    ]
    lines = [f"[{machine.address}]:{machine.port} {public}\n" for machine in machines]
    (keys / "known_hosts").write_text("".join(lines))
    try:
        for machine in machines:
            machine.start(keys)
        yield Farm(keys, machines)
    finally:
        for machine in machines:
            machine.stop()
