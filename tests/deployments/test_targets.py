"""Which target a resource goes to."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sabir.cli.main import main
from sabir.deployments.drivers.kubernetes.driver import DRIVER
from sabir.deployments.placement import place_resources
from sabir.deployments.targets import PlacementError, Targets, default_target
from sabir.graph.address import Address
from sabir.graph.values import Sensitive, Unknown, Value
from sabir.resources.resource import DesiredResources, Resource
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
    with pytest.raises(PlacementError) as refusal:
        place(kind, *targets, target=named)
    assert words in f"{refusal.value} {refusal.value.hint}"


def test_a_missing_target_is_said_once() -> None:
    resources = tuple(Resource(address=Address(name), kind="kubernetes") for name in ("a", "b", "c"))
    placing = place_resources(
        DesiredResources(resources=resources), Targets([default_target("world")]), Trust()
    )
    assert [finding.message for finding in placing.findings] == ["a and 2 more: no target takes a kubernetes"]


@pytest.mark.parametrize(("kind", "offered"), [("ConfigMap", False), ("Job", False), ("StatefulSet", True)])
def test_only_workloads_are_restarted(kind: str, *, offered: bool) -> None:
    declared = DRIVER.kinds["kubernetes"]
    assert declared.callable_on is not None
    assert declared.callable_on({"manifest": Sensitive({"kind": kind})}) is offered


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"path": "users/alice"}, "not 'users/alice'"),
        ({"path": "//elsewhere/users"}, "must be a path below"),
        ({"path": "/users/../admin"}, "must be a path below"),
        ({"path": "/users/1", "collection": "users"}, "collection must be a path below"),
        ({"path": "/users/{id}"}, "say `collection`"),
        ({"path": Sensitive("users/hunter2")}, "not <<REDACTED>>"),
    ],
)
def test_where_an_item_of_a_service_cannot_be(fields: dict[str, Value], words: str) -> None:
    """It is said by the plan, not only when the service is spoken to."""
    service = Target(name="api", driver="http", settings={"url": "http://127.0.0.1"})
    resource = Resource(address=Address("a"), kind="http", target="api", desired={"body": {}, **fields})
    placing = place_resources(DesiredResources(resources=(resource,)), Targets([service]), Trust())
    (finding,) = placing.findings
    assert finding.code == "DEP:E003"
    assert words in finding.message


@pytest.mark.parametrize(
    "fields",
    [
        {"path": "/users/alice?x=../y"},
        {"path": "/users/{id}", "collection": "/users"},
        {"path": Unknown("port")},
        {"path": "/users/{id}", "collection": Unknown("port")},
    ],
)
def test_where_an_item_of_a_service_can_be(fields: dict[str, Value]) -> None:
    service = Target(name="api", driver="http", settings={"url": "http://127.0.0.1"})
    resource = Resource(address=Address("a"), kind="http", target="api", desired={"body": {}, **fields})
    assert (
        place_resources(DesiredResources(resources=(resource,)), Targets([service]), Trust()).findings == ()
    )


def test_a_language_says_how_it_names_a_target(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shop = tmp_path / "shop"
    shutil.copytree(Path(__file__).parents[2] / "examples" / "ccp" / "shop", shop)
    assert main(["plan", str(shop)]) == 1
    assert "kubernetes: {context: NAME}" in capsys.readouterr().err
    config = tmp_path / "ccp.yaml"
    config.write_text("kubernetes: {context: there}\n")
    assert main(["plan", str(shop), "--config", str(config)]) == 3, capsys.readouterr().err
