"""Units, what they wait for, and deployments whose names are all resolved."""

from __future__ import annotations

import pytest

from sabir.languages.ccp.model.units import Units
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
