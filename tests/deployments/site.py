"""A scheduler of dask with three workers, each a process of its own; in clear on this machine, or over TLS with a CA of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from msgspec import Struct

__all__ = ["Site", "certificates", "running_site", "until"]


class Site(Struct):
    """A scheduler with its workers."""

    url: str
    folder: Path
    environment: Mapping[str, str]
    """What its processes, and whoever talks to them, have in their environment."""
    workers: dict[str, subprocess.Popen[bytes]] = {}

    def start_worker(self, name: str, *labels: str) -> None:
        resources = ",".join(f"{label}=4" for label in ("site", *labels))
        address = self.url.replace("dask+tls", "tls").replace("dask", "tcp")
        words = f"--no-nanny --no-dashboard --nthreads 4 --name {name} --resources {resources}".split()
        command = [sys.executable, "-m", "distributed.cli.dask_worker", address, *words]
        with (self.folder / f"{name}.log").open("ab") as log:
            self.workers[name] = subprocess.Popen(
                [*command, "--local-directory", str(self.folder)],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=self.environment,
            )

    def kill_worker(self, name: str, number: signal.Signals = signal.SIGKILL) -> None:
        self.workers[name].send_signal(number)
        self.workers[name].wait(30)

    def sabir(
        self, *words: str, folder: Path, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "sabir.cli", *words],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self.environment if environment is None else environment,
        )


@contextmanager
def running_site(folder: Path, tls: Mapping[str, str] | None = None) -> Generator[Site]:
    """`tls`: the settings of dask for it, as variables of the environment."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    scheme, protocol = ("dask", "tcp") if tls is None else ("dask+tls", "tls")
    environment = {**os.environ, **(tls or {})}
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1"]
    with (folder / "scheduler.log").open("wb") as log:
        scheduler = subprocess.Popen(
            [*command, "--port", str(port), "--protocol", protocol, "--no-dashboard"],
            stdout=log,
            stderr=log,
            cwd=folder,
            env=environment,
        )
    site = Site(url=f"{scheme}://127.0.0.1:{port}", folder=folder, environment=environment)
    try:
        for name, labels in (("a", ()), ("b", ()), ("c", ("vault",))):
            site.start_worker(name, *labels)
        for name in site.workers:
            until(partial(_has_registered, folder / f"{name}.log"))
        yield site
    finally:
        for process in (*site.workers.values(), scheduler):
            process.kill()
            process.wait(10)


def certificates(folder: Path, name: str) -> dict[str, str]:
    """A CA of its own, a certificate of it for all sides, and dask's settings for them."""

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], check=True, cwd=folder, capture_output=True)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout"]
    openssl(
        "req", "-x509", *key, f"{name}-ca.key", "-out", f"{name}-ca.pem", "-days", "2", "-subj", f"/CN={name}"
    )
    openssl("req", *key, f"{name}.key", "-out", f"{name}.csr", "-subj", "/CN=127.0.0.1")
    signing = f"-in {name}.csr -CA {name}-ca.pem -CAkey {name}-ca.key -CAcreateserial -out {name}.pem -days 2".split()
    openssl("x509", "-req", *signing)
    settings = {"DASK_DISTRIBUTED__COMM__TLS__CA_FILE": str(folder / f"{name}-ca.pem")}
    for side in ("SCHEDULER", "WORKER", "CLIENT"):
        settings[f"DASK_DISTRIBUTED__COMM__TLS__{side}__CERT"] = str(folder / f"{name}.pem")
        settings[f"DASK_DISTRIBUTED__COMM__TLS__{side}__KEY"] = str(folder / f"{name}.key")
    return settings


def _has_registered(log: Path) -> bool:
    return "Registered to" in log.read_text()


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)
