"""A deployment on a real control plane: made, left alone, changed, taken away. No container runs: a stand-in reports them ready."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct, structs

from sabir.cli.main import main
from sabir.deployments.deployment import Deployer, DeployOptions, hold_environment
from sabir.deployments.drivers.kubernetes.driver import DRIVER
from sabir.deployments.engine.results import DeploymentResult
from sabir.deployments.plan.build import build_plan
from sabir.deployments.plan.decisions import PlanRequest
from sabir.deployments.plan.steps import Plan
from sabir.deployments.store.records import DeploymentState
from sabir.deployments.store.store import StateStore
from sabir.deployments.targets import Targets
from sabir.graph.values import Value
from sabir.languages.ccp import LANGUAGE
from sabir.languages.language import EvaluationRequest
from sabir.resources.driver import DriverContext
from sabir.resources.outcome import Outcome, OutcomeStatus
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task
from sabir.resources.target import DEFAULT_TARGET, Target
from sabir.source.packages import LoadedPackage, MemoryPackage, load_package
from tests.deployments.drivers.kubernetes.test_driver import Notes
from tests.languages.ccp.building import service
from tests.languages.ccp.procedures import FILES
from tests.support.control_plane import NodeStandIn

pytestmark = pytest.mark.slow

SHOP = {
    "service/db.yaml": service(
        "db",
        head="kind: StatefulSet\nports: [5432]",
        container="volumes:\n- {name: d, type: host, path: /d}\n",
    ),
    "service/web.yaml": service(
        "web",
        head="ports: ['8080:30080']",
        container="pre:\n- {name: sync, type: single, command: 'sync {{ web.level }}', dependencies: [db]}\n",
        daemon="command: run\ndependencies: [db]\nfiles: [web.conf]",
        tail="files:\n  web.conf: {path: /etc/web.conf, content: web.j2}\n",
    ),
    "service/files/web.j2": "port = {{ web.port }}\n",
    "service/files/defaults.yaml": "configs: {web: {port: 80, level: 1}}\n",
    "ccp.yaml": "kubernetes: {namespace: shop}\nsecret_configs: {db: {password: s3cret}}\n",
}


class World(Struct):
    """An environment on the cluster, with its record; `waits`: each object is waited for."""

    cluster: Path
    state: Path
    name: str
    waits: bool = True

    def _targets(self) -> Targets:
        settings: dict[str, Value] = {"kubeconfig": str(self.cluster), "wait_seconds": 240}
        target = Target(name=DEFAULT_TARGET, driver="kubernetes", settings=settings)
        return Targets([target], {"kubernetes": DRIVER})

    def _plan(self, store: StateStore, resources: tuple[Resource, ...]) -> Plan:
        targets, records = self._targets(), store.records()
        request = PlanRequest(
            environment=self.name,
            serial=store.serial(),
            wanted={str(one.address): targets.place(one) for one in resources},
            records=records,
            targets=targets,
            codec=store.codec,
            observed=store.load_observations(),
        )
        return build_plan(request)

    def _wanted(self, package: LoadedPackage, inputs: Mapping[str, Any]) -> tuple[Resource, ...]:
        resources = LANGUAGE.evaluate(package, EvaluationRequest(inputs=inputs)).wanted().resources
        if self.waits:
            return resources
        return tuple(structs.replace(one, desired={**one.desired, "wait": False}) for one in resources)

    def steps(self, package: LoadedPackage, **inputs: Any) -> list[str]:
        store = StateStore.open(str(self.state), self.name, create=True)
        try:
            return [step.key for step in self._plan(store, self._wanted(package, inputs)).steps]
        finally:
            store.close()

    def deploy(self, package: LoadedPackage | None, **inputs: Any) -> DeploymentResult:
        resources = () if package is None else self._wanted(package, inputs)
        context = DriverContext(environment=self.name)
        options = DeployOptions(parallel=20)
        store = StateStore.open(str(self.state), self.name, create=True)
        try:
            with hold_environment(store, context, options) as writer:
                deployer = Deployer(store, writer, self._targets(), context, options)
                deployer.recover()
                plan = self._plan(store, resources)
                return deployer.deploy(plan, verb="deploy", document={})
        finally:
            store.close()


@pytest.mark.rows("C-100")
def test_made_left_alone_changed_and_taken_away(node: tuple[NodeStandIn, Path], tmp_path: Path) -> None:
    cluster, kubeconfig = node
    world = World(kubeconfig, tmp_path / "state.db", "shop")
    shop = MemoryPackage(SHOP)
    assert world.deploy(shop).failures == ()
    job = cluster.request("GET", "/apis/batch/v1/namespaces/shop/jobs/web-sync")["metadata"]
    assert (
        cluster.request("GET", "/apis/apps/v1/namespaces/shop/statefulsets/db")["status"]["readyReplicas"]
        == 1
    )
    assert world.steps(shop) == []
    # A setting that only a file reads rolls the pods that have the file; the Job that is done stays.
    changed = {"web.port": 81}
    assert _changing(world.steps(shop, **changed)) == {"ConfigMap/globals", "Deployment/web"}
    assert world.deploy(shop, **changed).failures == ()
    assert (
        cluster.request("GET", "/apis/batch/v1/namespaces/shop/jobs/web-sync")["metadata"]["uid"]
        == job["uid"]
    )
    # Another command is another Job of the same name.
    assert world.deploy(shop, **changed, **{"web.level": 2}).failures == ()
    again = cluster.request("GET", "/apis/batch/v1/namespaces/shop/jobs/web-sync")["metadata"]
    assert again["uid"] != job["uid"]
    assert world.deploy(None).state is DeploymentState.DONE
    names = [one["metadata"]["name"] for one in cluster.request("GET", "/api/v1/namespaces")["items"]]
    assert "shop" not in names


@pytest.mark.rows("C-090", "C-095", "C-100")
def test_a_version_that_is_too_new_stops_before_any_object_is_made(
    node: tuple[NodeStandIn, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster, kubeconfig = node
    for name, text in {**SHOP, "ccp.yaml": "kubernetes: {namespace: too-new}\n"}.items():
        file = tmp_path / "shop" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("dsl_version: 0.9.0", "dsl_version: 9.9.0"))
    (tmp_path / "sabir.yaml").write_text(
        "sabir: 1\nname: too-new\nparts:\n  shop: {language: ccp, path: shop/, config: shop/ccp.yaml}\n"
        f"targets:\n  cluster: {{driver: kubernetes, kubeconfig: {kubeconfig}}}\n"
    )
    assert main(["deploy", str(tmp_path), "--yes", "--trust", "outside"]) == 1
    told = capsys.readouterr().err
    assert all(f"service/{name}.yaml:" in told for name in ("db", "web"))
    names = [each["metadata"]["name"] for each in cluster.request("GET", "/api/v1/namespaces")["items"]]
    assert "too-new" not in names


async def _called(
    kubeconfig: Path, resources: tuple[Resource, ...], operation_id: str, environment: str = "procedures"
) -> list[Outcome]:
    """What `call` does: each resource is run, in the order they require each other."""
    settings: dict[str, Value] = {"kubeconfig": str(kubeconfig), "wait_seconds": 120}
    target = Target(name="cluster", driver="kubernetes", settings=settings)
    async with DRIVER.connect(target, DriverContext(environment=environment)) as cluster:
        tasks = (
            Task(operation_id=f"{operation_id}-{number}", action=Action.RUN, resource=resource)
            for number, resource in enumerate(resources)
        )
        return [await cluster.apply(task, Notes()) for task in tasks]


def test_actions_and_upgrades_are_carried_out(node: tuple[NodeStandIn, Path], tmp_path: Path) -> None:
    cluster, kubeconfig = node
    world = World(kubeconfig, tmp_path / "state.db", "procedures")
    package = MemoryPackage(FILES)
    assert world.deploy(package).failures == ()
    operations = {
        one.name: one for one in LANGUAGE.evaluate(package, EvaluationRequest()).wanted().operations
    }
    jobs = "/apis/batch/v1/namespaces/procedures/jobs"
    runs: list[str] = []
    for operation_id in ("first", "first", "second"):
        (outcome,) = asyncio.run(_called(kubeconfig, operations["backup"].resources({}), operation_id))
        assert outcome.status is OutcomeStatus.DONE, outcome.message
        runs.append(cluster.request("GET", f"{jobs}/action-backup")["metadata"]["uid"])
    # The same operation goes on with its Job; another makes one anew.
    assert runs[0] == runs[1] != runs[2]
    steps = operations["upgrade"].resources({})
    web = "/apis/apps/v1/namespaces/procedures/deployments/web"
    before = cluster.request("GET", f"{jobs}/web-sync")["metadata"]["uid"]
    outcomes = asyncio.run(_called(kubeconfig, steps[:3], "upgrade"))
    assert [one.message for one in outcomes if one.failed] == []
    assert cluster.request("GET", web)["spec"]["replicas"] == 0
    outcomes = asyncio.run(_called(kubeconfig, steps, "upgrade"))
    assert [one.message for one in outcomes if one.failed] == []
    assert cluster.request("GET", web)["status"]["readyReplicas"] == 1
    assert cluster.request("GET", f"{jobs}/web-sync")["metadata"]["uid"] == before
    assert world.steps(package) == []
    # No state has recorded these runs, so what they left is not known to be its own.
    ((key, message),) = world.deploy(None).failures
    assert key == "Namespace/procedures#delete"
    assert "Job/action-backup" in message


def _carry_out_procedures(kubeconfig: Path, package: LoadedPackage) -> None:
    """All actions and upgrades. Files of three of them read a setting that no component defines."""
    request = EvaluationRequest(inputs={"service.database": "database"})
    operations = LANGUAGE.evaluate(package, request).wanted().operations
    procedures = [one for one in operations if str(one.address).startswith("component/")]
    assert len([one for one in procedures if one.name == "upgrade"]) == 10
    assert len(procedures) == 23
    failures: dict[str, list[str | None]] = {}
    for procedure in procedures:
        id_ = f"{procedure.address}.{procedure.name}"
        resources = procedure.resources(dict.fromkeys(procedure.arguments, "nova"))
        outcomes = asyncio.run(_called(kubeconfig, resources, id_.rpartition("/")[2], "ccp"))
        failures[id_] = [one.message for one in outcomes if one.failed]
    assert {id_: messages for id_, messages in failures.items() if messages} == {}


def _changing(keys: list[str]) -> set[str]:
    return {key.rpartition(":")[2] for key in keys}


CORPUS = Path(os.environ.get("SABIR_TEST_CORPORA", "")) / "fuel-ccp"


@pytest.mark.skipif(
    not os.environ.get("SABIR_TEST_CORPORA") or not CORPUS.exists(),
    reason="SABIR_TEST_CORPORA names no folder with fuel-ccp",
)
def test_definitions_of_public_repositories(node: tuple[NodeStandIn, Path], tmp_path: Path) -> None:
    _, kubeconfig = node
    # All of them becoming ready takes minutes, which `make endure` has.
    waits = bool(os.environ.get("SABIR_TEST_ENDURE"))
    world = World(kubeconfig, tmp_path / "state.db", "ccp", waits=waits)
    package = load_package(CORPUS)
    first = world.deploy(package)
    assert first.failures == ()
    assert world.steps(package) == []
    assert world.deploy(package, **{"keystone.debug": True}).failures == ()
    assert world.steps(package, **{"keystone.debug": True}) == []
    upgraded = shutil.copytree(CORPUS, tmp_path / "upgraded")
    with (upgraded / "ccp.yaml").open("a") as configuration:
        configuration.write("images: {tag: next}\n")
    _carry_out_procedures(kubeconfig, load_package(upgraded))
    assert [key for key, _ in world.deploy(None).failures] == ["Namespace/ccp#delete"]  # as above
