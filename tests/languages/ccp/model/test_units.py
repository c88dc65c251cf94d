"""Units, what they wait for, and deployments whose names are all resolved.

Cycles among units, and the order in which they start.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sabir.languages.ccp.model.units import Units, find_cycles, start_order
from tests.languages.ccp.building import checked, deployment, service

FILES = {
    "db": service("db", container="pre: [{name: init, type: single, command: x}, {name: wipe, command: y}]"),
    "web": service(
        "web",
        container="post: [{name: user, type: single, command: x}]\npre: [{command: y, dependencies: [init]}]",
        daemon="dependencies: [DEPENDENCY]",
    ),
}

DEPENDENCIES = {
    "a container": ("db", ["db/db"]),
    "on the same node": ("db:local", ["db/db:local"]),
    "a single command": ("init", ["db/init"]),
    "of its own": ("user", ["web/user"]),
    "nothing of that name": ("cache", list[str]()),
    "another suffix": ("db:near", list[str]()),
    "no suffix": ("'db:'", list[str]()),
    "a local command": ("wipe", list[str]()),
}


def _units(dependency: str = "db") -> Units:
    files = {name: text.replace("DEPENDENCY", dependency) for name, text in FILES.items()}
    return Units(deployment(files).definitions)


@pytest.mark.parametrize(("dependency", "expected"), DEPENDENCIES.values(), ids=[*DEPENDENCIES])
def test_what_a_dependency_means(dependency: str, expected: list[str]) -> None:
    units = _units(dependency)
    assert [str(resolved) for resolved in units.dependencies(units.all["web/web"])] == expected


def test_units_and_their_needs() -> None:
    units = _units()
    assert dict(units.needs) == {
        "db/db": ("db/init",),
        "db/init": (),
        "web/web": ("db/db", "db/init"),
        "web/user": ("web/web",),
    }
    assert [unit.id for unit in units.of_service("web")] == ["web/web", "web/user"]
    assert units.of_service("cache") == []
    assert units.services_needed() == {"db": [], "web": ["db"]}
    assert units.names == {"db", "init", "web", "user"}
    assert (units.local_command("wipe"), units.local_command("init")) == ("db", None)


def test_a_service_with_several_containers_means_all_of_them() -> None:
    text = service("db").replace(
        "  - name: db", "  - name: one\n    image: x\n    daemon: {command: y}\n  - name: two"
    )
    units = Units(deployment({"db": text, "web": service("web", daemon="dependencies: [db]")}).definitions)
    assert units.needs["web/web"] == ("db/one", "db/two")


RESOLVED = {
    "whole": ("db", True),
    "a name that is not there": ("cache", False),
    "itself": ("web", False),
}


@pytest.mark.parametrize(("dependency", "is_whole"), RESOLVED.values(), ids=[*RESOLVED])
def test_only_a_deployment_without_errors_is_resolved(dependency: str, *, is_whole: bool) -> None:
    files = {name: text.replace("DEPENDENCY", dependency) for name, text in FILES.items()}
    result = checked(files)
    assert (result.resolved is not None) is is_whole
    assert bool(result.errors) is not is_whole
    if result.resolved is not None:
        assert result.resolved.deployment is result.deployment
        assert result.resolved.topology is None
        assert "web/web" in result.resolved.units.all


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
