"""Schemas, comparison, readiness and the object that is sent: what needs no cluster."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.deployments.drivers.kubernetes.objects import build_desired_object, claim_managed_fields
from sabir.errors import DeployError
from sabir.graph.address import Address
from sabir.resources.resource import Resource


@pytest.mark.parametrize(
    "manifest",
    [None, {}, {"apiVersion": "v1", "kind": "Pod"}, {"apiVersion": "v1", "kind": "Pod", "metadata": {}}],
)
def test_what_is_no_object_is_said(manifest: Any) -> None:
    broken = Resource(address=Address("web"), kind="kubernetes", desired={"manifest": manifest})
    with pytest.raises(DeployError, match="web: its manifest needs"):
        build_desired_object(broken, "shop", force=False)


def test_objects_carry_the_name_of_their_environment() -> None:
    manifest: Any = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"app": "x"}}}
    pod = Resource(address=Address("p"), kind="kubernetes", desired={"manifest": manifest})
    labels = build_desired_object(pod, "my shop/one", force=False).manifest["metadata"]["labels"]
    assert labels == {"app": "x", "app.kubernetes.io/managed-by": "sabir", "sabir/environment": "my-shop-one"}


CONTROLLER = {"manager": "kube-controller-manager", "operation": "Update", "fieldsV1": {"f:status": {}}}


def entry(manager: str, **spec: Any) -> dict[str, Any]:
    fields = {"f:spec": {f"f:{name}": value for name, value in spec.items()}}
    return {"manager": manager, "operation": "Update", "apiVersion": "apps/v1", "fieldsV1": fields}


def test_fields_of_several_tools_become_ours() -> None:
    managed = claim_managed_fields(
        [entry("helm", a={}, b={"f:c": {}}), CONTROLLER, entry("kubectl", b={"f:d": {}})], "sabir"
    )
    assert managed is not None
    controller, ours = managed
    assert controller == CONTROLLER
    assert (ours["manager"], ours["operation"]) == ("sabir", "Apply")
    assert ours["fieldsV1"] == {"f:spec": {"f:a": {}, "f:b": {"f:c": {}, "f:d": {}}}}


def test_nothing_is_taken_from_controllers_or_twice() -> None:
    assert claim_managed_fields([CONTROLLER], "sabir") is None
    assert claim_managed_fields([entry("helm", a={}), entry("sabir", a={})], "sabir") is None
