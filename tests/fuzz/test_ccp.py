"""A short run of the fuzzer; `python -m tests.fuzz ccp --count N` makes a long one."""

from __future__ import annotations

from tests.fuzz.ccp import run


def test_damaged_components() -> None:
    assert run(150, seed=7) == []
