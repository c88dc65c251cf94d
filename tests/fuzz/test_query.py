"""A few of the fuzzed expressions, in every run of the suite."""

from tests.fuzz.query import run


def test_expressions() -> None:
    assert run(400, seed=7) == []
