"""Processes that stay: their shell lines, their ports, and how they end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sabir.deployments.drivers.ssh.hosts import first_line, start_command
from sabir.deployments.host_agent.processes import Process
from sabir.deployments.host_agent.root import HostAgentError, HostRoot
from sabir.deployments.host_agent.server import GREETING
from sabir.deployments.host_agent.wire import decode, encode

SERVER = """\
import socket, sys, time
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
try:
    server.bind(("127.0.0.1", int(sys.argv[1])))
except OSError as error:
    sys.exit(f"cannot listen: {error.strerror}")
server.listen()
print("ready", flush=True)
time.sleep(600)
"""


@pytest.fixture
def place(tmp_path: Path) -> HostRoot:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "server.py").write_text(SERVER)
    return HostRoot(str(tmp_path))


@contextmanager
def listening() -> Generator[int]:
    """The port of a server of somebody else."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def free_port() -> int:
    with listening() as port:
        return port


def fields_of(run: Any, **others: Any) -> dict[str, Any]:
    return {"name": "p", "run": run, "ready_within": 20, **others}


@contextmanager
def applied(place: HostRoot, fields: dict[str, Any]) -> Generator[dict[str, Any]]:
    outcome = Process().apply({"fields": fields, "operation": "op-1"}, place)
    try:
        yield outcome
    finally:
        Process().delete({"fields": fields, "operation": "op-2"}, place)


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


PYTHON = sys.executable
LINES = [
    pytest.param(f"cd x && {PYTHON} server.py PORT", id="and"),
    pytest.param(f"cd x; A=1 {PYTHON} server.py PORT", id="variable"),
    pytest.param(f"cd x && {{ {PYTHON} server.py PORT | cat; }}", id="pipe"),
    pytest.param(f"cd x && {PYTHON} server.py PORT & wait", id="child"),
    pytest.param(f"cd x && {PYTHON} server.py PORT &", id="background"),
    pytest.param(f"cd x && (setsid {PYTHON} server.py PORT; true)", id="own session"),
    pytest.param(f"exec {PYTHON} x/server.py PORT", id="exec"),
    pytest.param([PYTHON, "x/server.py", "PORT"], id="words"),
]


@pytest.mark.parametrize("line", LINES)
def test_a_line_runs_as_it_is_written_and_ends_as_a_whole(place: HostRoot, line: Any) -> None:
    port = free_port()
    run = (
        line.replace("PORT", str(port))
        if isinstance(line, str)
        else [word.replace("PORT", str(port)) for word in line]
    )
    fields = fields_of(run, port=port)
    with applied(place, fields) as outcome:
        assert outcome["changed"]
        assert not outcome["log"]
        assert not is_free(port)
        assert Process().read(fields, place)["exists"]
        assert not Process().apply({"fields": fields, "operation": "op-3"}, place)["changed"]
    assert is_free(port)
    assert not Process().read(fields, place)["exists"]


def test_the_server_of_another_on_the_port_is_not_taken_for_it(place: HostRoot) -> None:
    with listening() as port:
        fields = fields_of(f"cd x && {PYTHON} server.py {port}", port=port)
        with pytest.raises(
            HostAgentError, match=rf"before it listened on port {port}.*Address already in use"
        ):
            Process().apply({"fields": fields, "operation": "op"}, place)
    assert not Process().read(fields, place)["exists"]


def test_who_holds_the_port_is_named(place: HostRoot) -> None:
    with listening() as port:
        fields = fields_of("sleep 600", port=port, ready_within=0.3)
        words = rf"did not listen on port {port} within 0.3 s: another process listens on it \(.*pid {os.getpid()}\)"
        with pytest.raises(HostAgentError, match=words):
            Process().apply({"fields": fields, "operation": "op"}, place)
    assert not Process().read(fields, place)["exists"]  # what was started for a failed step does not stay


def test_a_process_that_dies_before_it_is_ready_shows_its_last_lines(place: HostRoot) -> None:
    Path(place.root, "log").mkdir()
    Path(place.root, "log", "p.log").write_text("of an earlier one\n")
    fields = fields_of("echo first; echo second >&2; exit 4", port=free_port())
    with pytest.raises(HostAgentError, match=r"with status 4: first; second$"):
        Process().apply({"fields": fields, "operation": "op"}, place)


def test_it_has_ended_when_nothing_of_it_runs(place: HostRoot) -> None:
    fields = fields_of("sleep 600 | sleep 600")
    with applied(place, fields) as outcome:
        os.killpg(outcome["results"]["pid"], signal.SIGKILL)
        end = time.monotonic() + 10
        while Process().read(fields, place)["exists"] and time.monotonic() < end:
            os.sched_yield()
        assert not Process().read(fields, place)["exists"]


def test_what_does_not_end_by_itself_is_killed(place: HostRoot) -> None:
    port = free_port()
    line = f"trap '' TERM; cd x; {PYTHON} server.py {port}; {PYTHON} server.py {port}"
    with applied(place, fields_of(line, port=port, stop_within=0.2)):
        pass
    assert is_free(port)


def test_on_another_host(place: HostRoot) -> None:
    """The same through hands that were sent, as over SSH."""
    port = free_port()
    fields = fields_of(f"cd x && {PYTHON} server.py {port}", port=port)
    requests = [
        {"id": 1, "do": "apply", "kind": "process", "data": {"fields": fields, "operation": "op"}},
        {"id": 2, "do": "delete", "kind": "process", "data": {"fields": fields, "operation": "op"}},
    ]
    settings = {"root": place.root, "turn": "t", "silence": 30.0}
    hands = subprocess.Popen(
        ["/bin/sh", "-c", start_command(PYTHON, sudo=False)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert hands.stdin is not None
    assert hands.stdout is not None
    with hands.stdin, hands.stdout:
        hands.stdin.write(first_line(settings))
        hands.stdin.flush()
        assert hands.stdout.readline().startswith(GREETING)
        for request in requests:
            hands.stdin.write(encode(request))
            hands.stdin.flush()
            assert decode(hands.stdout.readline())["answer"]["changed"]
    hands.wait()
    assert is_free(port)
