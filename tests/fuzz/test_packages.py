"""A short run of the fuzzer; `python -m tests.fuzz packages --count N` makes a long one."""

from __future__ import annotations

from tests.fuzz.packages import run


def test_damaged_packages() -> None:
    assert run(300, seed=11) == []
