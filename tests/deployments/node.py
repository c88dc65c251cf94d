"""A machine for tests: this one's files under an overlay that is thrown away, in namespaces of its own, with a real sshd and runit.

Whatever is installed, started or written in it is gone with it, and nothing of it is to be seen outside. Its process 1 is
`runsvdir`. Nobody listens in it: each connection to a loopback port of this machine is handed to an `sshd -i` in the node.
It takes root and the right to mount; where that is missing, tests say why they are left out.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["PASSWORD", "USER", "Node", "node", "why_no_node"]

USER = "deployer"
PASSWORD = "canary-of-the-user"
PASSPHRASE = "canary-of-the-key"

_PROGRAMS = (
    "unshare",
    "nsenter",
    "runsvdir",
    "sv",
    "sudo",
    "useradd",
    "dpkg-deb",
    "apt-get",
    "ssh-keygen",
    "openssl",
)
_MOUNTS = """\
set -e
mount --make-rprivate /
mount -t tmpfs none {folder}/layer
mkdir {folder}/layer/upper {folder}/layer/work {folder}/layer/root
mount -t overlay overlay -o lowerdir=/,upperdir={folder}/layer/upper,workdir={folder}/layer/work {folder}/layer/root
cd {folder}/layer/root
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs none run
mkdir -p run/sshd run/service etc/sv
mount --bind {folder}/shared mnt
useradd -R {folder}/layer/root -m -s /bin/sh -p "$(openssl passwd -6 {password})" {user}
echo '{user} ALL=(ALL) NOPASSWD: ALL' > etc/sudoers.d/{user}
chmod 440 etc/sudoers.d/{user}
ip link set lo up || true
touch mnt/ready
exec chroot . runsvdir /run/service
"""
_SSHD = """\
HostKey /mnt/host
AuthorizedKeysFile /mnt/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication yes
PermitRootLogin prohibit-password
"""


class Node:
    def __init__(self, folder: Path, process: int) -> None:
        self.folder, self.process = folder, process
        """What lies in `folder` is `/mnt` in the node."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sessions: list[subprocess.Popen[bytes]] = []

    def run(self, *words: str) -> str:
        """A command in the node, as root."""
        return subprocess.run(
            [*self._inside, *words], check=True, capture_output=True, text=True, timeout=60
        ).stdout

    @property
    def _inside(self) -> list[str]:
        return ["nsenter", "-t", str(self.process), "-m", "-p", "-n", "-u", "-i", "-r", "-w/"]

    def settings(self, **others: object) -> dict[str, object]:
        return {
            "host": "127.0.0.1",
            "port": self.port,
            "user": "root",
            "key": str(self.folder / "id"),
            "known_hosts": str(self.folder / "known_hosts"),
            "python": "/usr/bin/python3",
            "root": "/",
            # Its disk is this machine's, which may be busy with much else.
            "connect_seconds": 90,
            **others,
        }

    def serve(self) -> None:
        sshd = [*self._inside, "/usr/sbin/sshd", "-i", "-e", "-f", "/mnt/sshd_config"]
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:  # closed
                return
            with connection, (self.folder / "log").open("ab") as log:
                self._sessions.append(
                    subprocess.Popen(sshd, stdin=connection.fileno(), stdout=connection.fileno(), stderr=log)
                )

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for session in self._sessions:
            session.kill()
            session.wait(10)


def why_no_node() -> str | None:
    """Why there can be no node here; None when there can."""
    if os.getuid() != 0:
        return "a machine of its own takes root"
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    missing = [program for program in (*_PROGRAMS, "sshd") if shutil.which(program, path=path) is None]
    if missing:
        return f"no {', '.join(missing)} here (Debian: apt install openssh-server runit sudo)"
    tried = subprocess.run(
        ["unshare", "--mount", "--pid", "--net", "--fork", "mount", "-t", "tmpfs", "none", "/mnt"],
        capture_output=True,
        check=False,
    )
    return None if tried.returncode == 0 else "this root may not mount"


@contextmanager
def node(folder: Path) -> Iterator[Node]:
    shared = folder / "shared"
    for path in (shared, folder / "layer"):
        path.mkdir()
    for name, passphrase in (("host", ""), ("id", ""), ("locked", PASSPHRASE)):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", str(shared / name)], check=True
        )
    keys = ((shared / f"{name}.pub").read_text() for name in ("id", "locked"))
    (shared / "authorized_keys").write_text("".join(keys))
    (shared / "sshd_config").write_text(_SSHD)
    script = _MOUNTS.format(folder=folder, user=USER, password=PASSWORD)
    spaces = ["--mount", "--pid", "--net", "--uts", "--ipc", "--fork", "--kill-child"]
    outside = subprocess.Popen(["unshare", *spaces, "/bin/sh", "-c", script], stderr=subprocess.PIPE)
    try:
        running = Node(shared, _first_process(outside, shared / "ready"))
        host = (shared / "host.pub").read_text()
        (shared / "known_hosts").write_text(f"[127.0.0.1]:{running.port} {host}")
        threading.Thread(target=running.serve, daemon=True).start()
        try:
            yield running
        finally:
            running.close()
    finally:
        outside.send_signal(signal.SIGKILL)  # it takes the node along, and does not listen to anything less
        outside.communicate(timeout=10)


def _first_process(outside: subprocess.Popen[bytes], ready: Path) -> int:
    end = time.monotonic() + 30
    while not ready.exists():
        if outside.poll() is not None or time.monotonic() > end:
            outside.kill()
            raise AssertionError(outside.communicate()[1].decode())
        time.sleep(0.01)
    children = Path(f"/proc/{outside.pid}/task/{outside.pid}/children").read_text().split()
    return int(children[0])
