"""A few of the damaged templates, in every run of the suite."""

from tests.fuzz.tosca import run


def test_templates() -> None:
    assert run(60, seed=11) == []
