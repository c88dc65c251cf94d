"""A real PostgreSQL for tests: in a temporary folder, as a user without rights when we are root, on a port of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["PostgreSQL", "postgresql", "why_not"]


def _binaries() -> Path | None:
    folders = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: folder.parent.name, reverse=True
    )
    beside = shutil.which("pg_ctl")
    if beside is not None:
        folders.append(Path(beside).parent)
    programs = ("initdb", "pg_ctl", "postgres", "createdb")
    return next((folder for folder in folders if all((folder / name).exists() for name in programs)), None)


def why_not() -> str | None:
    """Why there is no PostgreSQL to be had here; None when there is."""
    if _binaries() is None:
        return "no PostgreSQL on this machine (Debian: apt install postgresql)"
    if os.getuid() == 0 and shutil.which("setpriv") is None:
        return "PostgreSQL does not run as root, and there is no setpriv to become somebody else"
    return None


class PostgreSQL:
    def __init__(self, folder: Path, binaries: Path, port: int) -> None:
        self.folder = folder
        self.binaries = binaries
        self.port = port

    @property
    def url(self) -> str:
        return f"postgresql://test@127.0.0.1:{self.port}/sabir"

    def _run(self, program: str, *words: str) -> None:
        prefix = (
            ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.getuid() == 0 else []
        )
        subprocess.run(
            [*prefix, "env", f"HOME={self.folder}", str(self.binaries / program), *words],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
        )

    def initialise(self) -> None:
        data = str(self.folder / "data")
        self._run(
            "initdb", "-D", data, "-A", "trust", "-U", "test", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"
        )
        self.start()
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "test", "sabir")

    def start(self) -> None:
        options = f"-c listen_addresses=127.0.0.1 -p {self.port} -k {self.folder} -c fsync=off"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-o", options, "-l", log, "-w", "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop")

    def database(self, name: str) -> str:
        """A fresh database; its URL."""
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "test", name)
        return f"postgresql://test@127.0.0.1:{self.port}/{name}"


@contextmanager
def postgresql() -> Iterator[PostgreSQL]:
    binaries = _binaries()
    assert binaries is not None
    with tempfile.TemporaryDirectory(prefix="sabir-pg-", dir="/tmp", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        if os.getuid() == 0:
            shutil.chown(folder, "nobody", "nogroup")
        server = PostgreSQL(folder, binaries, _free_port())
        try:
            server.initialise()
            yield server
        finally:
            server.stop()


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port
