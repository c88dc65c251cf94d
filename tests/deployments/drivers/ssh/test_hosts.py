"""What is sent to a host works with nothing but an interpreter there."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from sabir.deployments.drivers.ssh.hosts import first_line, start_command
from sabir.deployments.host_agent.server import GREETING
from sabir.deployments.host_agent.wire import decode, encode


def spoken(root: Path, *requests: dict[str, Any]) -> list[Any]:
    """The answers of hands that are started as on a host, in a process of their own."""
    command = start_command(sys.executable, sudo=False)
    first = first_line({"root": str(root), "turn": "t", "silence": 30.0})
    process = subprocess.Popen(["/bin/sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        process.stdin.write(first + b"".join(map(encode, requests)))
        process.stdin.flush()
        lines = [process.stdout.readline() for _ in range(1 + len(requests))]
    assert process.wait(20) == 0
    assert lines[0].startswith(GREETING)
    answers = [decode(line) for line in lines[1:]]
    return [decode(lines[0][len(GREETING) :]), *sorted(answers, key=lambda answer: answer["id"])]


def test_hands_that_were_sent(tmp_path: Path) -> None:
    fields = {"path": "a", "content": b"\xff\x00"}
    data = {"operation": "o", "action": "create", "fields": fields, "recorded": None}
    greeting, done, odd = spoken(
        tmp_path,
        {"id": 1, "do": "apply", "kind": "file", "data": data},
        {"id": 2, "do": "apply", "kind": "file", "data": {}},
    )
    assert greeting["error"] is None
    assert done["answer"] == {"changed": True}
    assert odd["fault"] == "KeyError: 'fields'"
    assert (tmp_path / "a").read_bytes() == b"\xff\x00"


def test_no_such_root(tmp_path: Path) -> None:
    (greeting,) = spoken(tmp_path / "nowhere")
    assert greeting["error"] == f"there is no folder '{tmp_path}/nowhere'"


def test_a_reader_leaves_nothing_behind(tmp_path: Path) -> None:
    spoken(tmp_path, {"id": 1, "do": "read", "kind": "file", "data": {"path": "a"}})
    assert [*tmp_path.iterdir()] == []


def test_sudo_never_asks() -> None:
    assert shlex.split(start_command("python3.11", sudo=True))[:6] == [
        "exec",
        "sudo",
        "-n",
        "--",
        "python3.11",
        "-I",
    ]
