"""A short run of the fuzzer; `python -m tests.fuzz inmanta --count N` makes a long one."""

from __future__ import annotations

from tests.fuzz.inmanta import run


def test_generated_and_damaged_models() -> None:
    assert run(120, seed=3) == []
