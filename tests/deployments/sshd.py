"""A real sshd for tests: of the current user, on a loopback port of its own, with keys of its own."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["Sshd", "sshd", "why_not"]

_CONFIG = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
PidFile {folder}/sshd.pid
AuthorizedKeysFile {folder}/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
SetEnv HOME={folder}/home
"""


def _program() -> str | None:
    return shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def why_not() -> str | None:
    """Why there is no sshd to be had here; None when there is."""
    if _program() is None or shutil.which("ssh-keygen") is None:
        return "no sshd on this machine (Debian: apt install openssh-server)"
    return None


class Sshd:
    def __init__(self, folder: Path, port: int, process: subprocess.Popen[bytes]) -> None:
        self.folder = folder
        self.port = port
        self.process = process

    def settings(self, root: Path | str, **others: object) -> dict[str, object]:
        return {
            "host": "127.0.0.1",
            "port": self.port,
            "user": getpass.getuser(),
            "key": str(self.folder / "id"),
            "known_hosts": str(self.folder / "known_hosts"),
            "root": str(root),
            "connect_seconds": 20,
            **others,
        }

    def connections(self) -> list[int]:
        """The processes that serve a connection each."""
        return _children(self.process.pid)

    def hands(self) -> list[int]:
        """What runs in the connections."""
        return [process for process in self._all() if not _name(process).startswith("sshd")]

    def _all(self) -> list[int]:
        processes = self.connections()
        for process in processes:
            processes += _children(process)
        return processes

    def cut(self) -> int:
        """End all connections, as a network does: without a word. How many there were."""
        sessions = [process for process in self._all() if _name(process).startswith("sshd")]
        for process in sessions:
            os.kill(process, signal.SIGKILL)
        return len(sessions)


def _children(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children")
    return [int(word) for word in listed.read_text().split()] if listed.exists() else []


def _name(process: int) -> str:
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


def _key(file: Path) -> str:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True)
    return file.with_suffix(".pub").read_text()


@contextmanager
def sshd(folder: Path) -> Iterator[Sshd]:
    program = _program()
    assert program is not None
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    (folder / "home").mkdir()
    host = _key(folder / "host")
    (folder / "authorized_keys").write_text(_key(folder / "id"))
    _key(folder / "stranger")
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {host}")
    (folder / "sshd_config").write_text(_CONFIG.format(port=port, folder=folder))
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([program, "-D", "-e", "-f", str(folder / "sshd_config")], stderr=log)
    try:
        _wait(port, process, folder / "log")
        yield Sshd(folder, port, process)
    finally:
        process.terminate()
        process.wait(10)


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError:
            time.sleep(0.02)
    raise AssertionError(f"sshd does not answer: {log.read_text()}")
