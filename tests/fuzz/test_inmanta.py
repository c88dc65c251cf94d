"""Short runs of the fuzzers; `python -m tests.fuzz inmanta --count N` and `inmanta_syntax` make long ones."""

from __future__ import annotations

from tests.fuzz import inmanta, inmanta_syntax


def test_generated_and_damaged_models() -> None:
    assert inmanta.run(120, seed=3) == []


def test_damaged_texts() -> None:
    assert inmanta_syntax.run(500, seed=3) == []
