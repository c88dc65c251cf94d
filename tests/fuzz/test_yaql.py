"""A short run of the fuzzer; `python -m tests.fuzz yaql --count N` makes a long one."""

from __future__ import annotations

from tests.fuzz.yaql import run


def test_generated_expressions() -> None:
    assert run(1500, seed=7) == []
