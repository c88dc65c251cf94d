"""Which target a resource goes to."""

from __future__ import annotations

import pytest

from sabir.deployments.drivers.kubernetes.driver import DRIVER
from sabir.deployments.problems import place_resources
from sabir.deployments.targets import Targets, Unplaced, default_target
from sabir.graph.address import Address
from sabir.graph.values import Sensitive
from sabir.resources.resource import Resource, Wanted
from sabir.resources.target import Target
from sabir.session import Trust

CLUSTER = Target(name="cluster", driver="kubernetes")
OTHER = Target(name="other", driver="kubernetes")
MACHINE = Target(name="machine", driver="local", settings={"root": "/"})


def place(kind: str, *targets: Target, target: str | None = None) -> str:
    known = Targets([default_target("world"), *targets])
    return known.place(Resource(address=Address("a"), kind=kind, target=target)).target.name


@pytest.mark.parametrize(
    ("kind", "targets", "named", "expected"),
    [
        ("file", (), None, "here"),
        ("file", (MACHINE,), None, "here"),
        ("file", (MACHINE,), "machine", "machine"),
        ("kubernetes", (CLUSTER,), None, "cluster"),
        ("kubernetes", (CLUSTER, OTHER), "other", "other"),
    ],
)
def test_placed(kind: str, targets: tuple[Target, ...], named: str | None, expected: str) -> None:
    assert place(kind, *targets, target=named) == expected


@pytest.mark.parametrize(
    ("kind", "targets", "named", "words"),
    [
        ("kubernetes", (), None, "driver: kubernetes"),
        ("kubernetes", (CLUSTER, OTHER), None, "target: NAME"),
        ("kubernetse", (CLUSTER,), None, "it takes"),
        ("flie", (Target(name="wrong", driver="kubernets"),), None, "file"),
        ("package", (MACHINE,), None, "--here"),
        ("file", (MACHINE,), "machin", "machine"),
    ],
)
def test_unplaced_says_what_to_do(
    kind: str, targets: tuple[Target, ...], named: str | None, words: str
) -> None:
    with pytest.raises(Unplaced) as refusal:
        place(kind, *targets, target=named)
    assert words in f"{refusal.value} {refusal.value.hint}"


def test_a_missing_target_is_said_once() -> None:
    resources = tuple(Resource(address=Address(name), kind="kubernetes") for name in ("a", "b", "c"))
    placing = place_resources(Wanted(resources=resources), Targets([default_target("world")]), Trust())
    assert [finding.message for finding in placing.findings] == ["a and 2 more: no target takes a kubernetes"]


@pytest.mark.parametrize(("kind", "offered"), [("ConfigMap", False), ("Job", False), ("StatefulSet", True)])
def test_only_workloads_are_restarted(kind: str, *, offered: bool) -> None:
    declared = DRIVER.kinds["kubernetes"]
    assert declared.callable_on is not None
    assert declared.callable_on({"manifest": Sensitive({"kind": kind})}) is offered
