"""Patterns of node names."""

from __future__ import annotations

import pytest

from sabir.languages.ccp.syntax.configuration_form import pattern_problem


@pytest.mark.parametrize(
    ("pattern", "fine"),
    [
        ("node1", True),
        ("node[1-3]", True),
        (".*", True),
        ("node-(a|b)[0-9]+\\.example\\..*", True),
        ("node(-x)?", True),
        ("[", False),
        ("(a+)+$", False),
        ("(a|a)*b", False),
        (".*.*.*.*x", False),
        ("(a)\\1", False),
        ("a" * 501, False),
        ("(" * 400, False),
        ("a++", False),
        ("(?>a|b)", False),
    ],
)
def test_patterns(pattern: str, *, fine: bool) -> None:
    assert (pattern_problem(pattern) is None) is fine
