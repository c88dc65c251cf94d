"""Fields of other tools become ours before the first apply."""

from __future__ import annotations

from typing import Any

from sabir.deployments.drivers.kubernetes.objects import claim_managed_fields

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
