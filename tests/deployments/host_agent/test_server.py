"""Whose turn it is: who comes next waits until the one before has ended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sabir.deployments.host_agent.root import HostAgentError
from sabir.deployments.host_agent.server import Lease, LeaseSupersededError

HOLDER = """
import sys
from sabir.deployments.host_agent.server import Lease
turn = Lease(sys.argv[1], 5)
turn.acquire()
print("taken", flush=True)
sys.stdin.read()
"""


def test_a_turn_ends_with_its_process(tmp_path: Path) -> None:
    path = str(tmp_path / "turns" / "a")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"taken\n"
        with pytest.raises(HostAgentError, match="still at work on the host") as caught:
            Lease(path, 0.05).acquire()
        assert caught.value.passing
        holder.kill()
        turn = Lease(path, 10)
        turn.acquire()
        turn.acquire()
    turn._file.close()


def test_who_came_earlier_has_no_turn_any_more(tmp_path: Path) -> None:
    path = str(tmp_path / "turns" / "a")
    earlier, later = Lease(path, 1), Lease(path, 1)
    later.acquire()
    later._file.close()
    with pytest.raises(LeaseSupersededError):
        earlier.acquire()
    last = Lease(path, 1)
    last.acquire()
    last._file.close()
