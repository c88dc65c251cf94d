"""A short run of the fuzzer; `python -m tests.fuzz muranopl --count N` makes a long one."""

from __future__ import annotations

from tests.fuzz.muranopl import run


def test_damaged_classes_and_models() -> None:
    assert run(400, seed=3) == []
