"""Whose turn it is: who comes next waits until the one before has ended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sabir.deployments.host_agent.root import HandError
from sabir.deployments.host_agent.server import Superseded, Turn

HOLDER = """
import sys
from sabir.deployments.host_agent.server import Turn
turn = Turn(sys.argv[1], 5)
turn.take()
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
        with pytest.raises(HandError, match="still at work on the host") as caught:
            Turn(path, 0.05).take()
        assert caught.value.passing
        holder.kill()
        turn = Turn(path, 10)
        turn.take()
        turn.take()
    turn._file.close()


def test_who_came_earlier_has_no_turn_any_more(tmp_path: Path) -> None:
    path = str(tmp_path / "turns" / "a")
    earlier, later = Turn(path, 1), Turn(path, 1)
    later.take()
    later._file.close()
    with pytest.raises(Superseded):
        earlier.take()
    last = Turn(path, 1)
    last.take()
    last._file.close()
