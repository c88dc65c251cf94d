"""Cycles among units, and the order in which they start."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sabir.languages.ccp.model.cycles import find_cycles, start_order

Needs = Mapping[str, tuple[str, ...]]

CASES: dict[str, tuple[Needs, list[tuple[str, ...]], list[tuple[str, ...]]]] = {
    "nothing": ({}, [], []),
    "apart": ({"b": (), "a": ()}, [], [("a", "b")]),
    "a chain": ({"a": ("b",), "b": ("c",), "c": ()}, [], [("c",), ("b",), ("a",)]),
    "a diamond": ({"a": ("b", "c"), "b": ("d",), "c": ("d",), "d": ()}, [], [("d",), ("b", "c"), ("a",)]),
    "itself": ({"a": ("a",)}, [("a",)], []),
    "two": ({"a": ("b",), "b": ("a",)}, [("a", "b")], []),
    "two circles": (
        {"d": ("c",), "c": ("d",), "a": ("b",), "b": ("a",)},
        [("a", "b"), ("c", "d")],
        [],
    ),
    "before and behind a circle": (
        {"a": (), "b": ("a", "c"), "c": ("b",), "d": ("c",)},
        [("b", "c")],
        [("a",)],
    ),
    "two ways round": ({"a": ("b", "c"), "b": ("a",), "c": ("a",)}, [("a", "b", "c")], []),
}


@pytest.mark.parametrize(("needs", "cycles", "waves"), CASES.values(), ids=[*CASES])
def test_cycles_and_order(needs: Needs, cycles: list[tuple[str, ...]], waves: list[tuple[str, ...]]) -> None:
    assert find_cycles(needs) == cycles
    assert start_order(needs) == waves


def test_a_long_chain_needs_no_recursion() -> None:
    needs = {str(number): (str(number + 1),) for number in range(5000)} | {"5000": ("0",)}
    assert [len(cycle) for cycle in find_cycles(needs)] == [5001]
