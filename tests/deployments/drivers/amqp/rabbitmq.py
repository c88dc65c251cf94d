"""A RabbitMQ of the test's own, on a loopback port, in a folder that goes with it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["broker", "why_not"]

_PROGRAM = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")


def why_not() -> str | None:
    return None if _PROGRAM.exists() else "no RabbitMQ on this machine (Debian: apt install rabbitmq-server)"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def broker(folder: Path) -> Generator[int]:
    """The port of a broker. Its name server is ended, too."""
    port, distribution, names = _free_port(), _free_port(), _free_port()
    (folder / "plugins").write_text("[].")
    (folder / "rabbitmq.conf").write_text(f"listeners.tcp.1 = 127.0.0.1:{port}\n")
    variables = {
        **os.environ,
        "HOME": str(folder),
        "RABBITMQ_NODENAME": f"test{port}@localhost",
        "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_DIST_PORT": str(distribution),
        "ERL_EPMD_PORT": str(names),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
    }
    with (folder / "out").open("wb") as out:
        process = subprocess.Popen([_PROGRAM], env=variables, stdout=out, stderr=out, start_new_session=True)
    try:
        _wait(port, process)
        yield port
    finally:
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(15)
        _end_names(names)


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 90
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise AssertionError("the broker did not start")


def _end_names(port: int) -> None:
    """The name server of Erlang stays when the broker ends; it is ours by its port."""
    variables = {**os.environ, "ERL_EPMD_PORT": str(port)}
    subprocess.run(["epmd", "-port", str(port), "-kill"], env=variables, capture_output=True, check=False)
