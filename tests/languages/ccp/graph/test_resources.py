"""Objects as resources: what comes before what, and what is kept from being shown."""

from __future__ import annotations

from typing import Any

from sabir.graph.values import Sensitive
from sabir.languages.ccp import LANGUAGE
from sabir.languages.language import EvaluationRequest
from sabir.resources.resource import Resource
from sabir.source.packages import MemoryPackage
from tests.languages.ccp.building import service


def _wanted(files: dict[str, str]) -> dict[str, Resource]:
    package = MemoryPackage({f"service/{name}.yaml": text for name, text in files.items()})
    evaluation = LANGUAGE.evaluate(package, EvaluationRequest())
    assert {str(one.address) for one in evaluation.wanted().resources} <= {one.id for one in evaluation.graph}
    return {str(one.address): one for one in evaluation.wanted().resources}


def _before(resource: Resource) -> set[str]:
    return {str(address) for address in resource.requires}


def test_workloads_come_after_what_they_mount_and_wait_for() -> None:
    container = """
    pre:
    - {name: sync, type: single, command: sync, dependencies: [db]}
    post:
    - {name: warm, type: single, command: warm}
    """
    wanted = _wanted({"db": service("db"), "web": service("web", head="ports: [80]", container=container)})
    assert _before(wanted["Namespace/ccp"]) == set()
    assert _before(wanted["Service/web"]) == _before(wanted["ConfigMap/web-role"]) == {"Namespace/ccp"}
    assert {"Namespace/ccp", "ConfigMap/globals", "ConfigMap/web-role", "Deployment/db"} <= _before(
        wanted["Job/web-sync"]
    )
    assert "Job/web-sync" in _before(wanted["Deployment/web"])
    assert "Deployment/web" in _before(wanted["Job/web-warm"])
    assert not any("wait" in one.desired for one in wanted.values())


def test_services_that_wait_for_each_others_containers() -> None:
    """Their containers come up in an order; the pods as a whole have none."""

    def two(name: str, needs: str) -> str:
        daemon = f"command: run\ndependencies: [{needs}]"
        second = f"  - name: {name}-side\n    image: side\n    daemon: {{command: side}}\n"
        return service(name, daemon=daemon) + second

    wanted = _wanted(
        {"a": two("a", "b-side"), "b": two("b", "a-side"), "c": service("c", daemon="dependencies: [a]")}
    )
    assert wanted["Deployment/a"].desired["wait"] is wanted["Deployment/b"].desired["wait"] is False
    assert "Deployment/b" not in _before(wanted["Deployment/a"])
    assert "Deployment/a" in _before(wanted["Deployment/c"])


def test_secrets_are_marked() -> None:
    manifest: Any = _wanted({"db": service("db")})["Secret/global-secrets"].desired["manifest"]
    assert isinstance(manifest["data"]["global-secrets"], Sensitive)
