"""A short run through the doors; `python -m tests.fuzz doors --count N` makes a long one."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest

from tests.fuzz import doors, opening


def test_damaged_projects() -> None:
    assert doors.run(60, seed=11) == []


def test_the_same_seed_makes_the_same_input() -> None:
    assert doors.input_of(77) == doors.input_of(77)
    assert doors.input_of(77) != doors.input_of(78)


def _raise(*_: Any) -> int:
    raise TypeError("planted")


def _work(*_: Any) -> int:
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass
    return 0


def _fill(*_: Any) -> int:
    return len(bytearray(80 << 20)) & 1


def _end(*_: Any) -> int:
    os._exit(9)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (_raise, "TypeError: planted"),
        (_work, "took 0."),
        (_fill, " MB\n"),
        (_end, "ended the process: 9"),
    ],
)
def test_a_fault_is_seen(fault: Any, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "invoke_command", fault)
    monkeypatch.setattr(opening, "SECONDS", 0.1)
    monkeypatch.setattr(opening, "MEGABYTES", 50)
    (failure,) = doors.run(1, seed=3)
    assert words in failure
    assert "python -m tests.fuzz doors --count 1 --seed 3" in failure
