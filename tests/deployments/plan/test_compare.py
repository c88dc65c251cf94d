"""What a step that is about to run still lacks."""

from __future__ import annotations

import pytest

from sabir.deployments.plan.compare import missing_values
from sabir.graph.values import UNKNOWN, Sensitive, Unknown, Value


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"run": ["a"]}, None),
        ({"run": UNKNOWN}, "the value of run is still not known"),
        (
            {"path": "x", "environment": {"A": Unknown(of="db|url"), "B": Sensitive(Unknown(of="db|url"))}},
            "the value of environment is still not known: no step before it gave db.url",
        ),
    ],
)
def test_missing_values(fields: dict[str, Value], words: str | None) -> None:
    assert missing_values(fields) == words
