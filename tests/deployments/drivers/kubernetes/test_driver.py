"""The driver on a real control plane: what it does is what the cluster then has."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sabir.cli.main import main
from sabir.deployments.drivers.kubernetes.connection import ClusterConnection
from sabir.deployments.drivers.kubernetes.driver import DRIVER
from sabir.graph.address import Address
from sabir.graph.values import Sensitive
from sabir.resources.driver import Driver
from sabir.resources.effects import Effect, Effects
from sabir.resources.outcome import FieldChange, Health, Outcome, OutcomeStatus
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task
from sabir.resources.target import Target
from tests.deployments.drivers.contract import Case, DriverContract
from tests.support.control_plane import NodeStandIn

pytestmark = pytest.mark.slow


class Notes:
    """Effects of which only the lines for people are of interest."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    async def perform(self, effect: Effect) -> Outcome:
        raise AssertionError(effect)

    def branch(self, name: str) -> Effects:
        raise AssertionError(name)

    def note(self, line: str) -> None:
        self.lines.append(line)


def resource(kind: str, name: str, version: str = "v1", /, **rest: Any) -> Resource:
    options: dict[str, Any] = {key: rest.pop(key) for key in ("wait", "force", "replace") if key in rest}
    manifest = {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **rest}
    return Resource(address=Address(name), kind="kubernetes", desired={"manifest": manifest, **options})


def deployment(*, replicas: int = 1, **pod: Any) -> Resource:
    spec = {
        "replicas": replicas,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "web:1"}], **pod},
        },
    }
    return resource("Deployment", "web", "apps/v1", spec=spec)


def job(*arguments: str) -> Resource:
    container = {"name": "load", "image": "load:1", "args": [*arguments]}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return resource("Job", "load", "batch/v1", spec={"template": template, "backoffLimit": 0})


def task(wanted: Resource, action: Action = Action.CREATE, operation_id: str = "op-1", **more: Any) -> Task:
    return Task(operation_id=operation_id, action=action, resource=wanted, **more)


async def changes(cluster: ClusterConnection, wanted: Resource) -> tuple[FieldChange, ...]:
    return tuple(DRIVER.diff(wanted, await cluster.read(wanted, None)))


class TestContract(DriverContract):
    """What every driver promises, on the cluster of this module."""

    @pytest.fixture(autouse=True)
    def _cluster(self, node: NodeStandIn, namespace: str) -> None:
        self.kubeconfig: Path = node.kubeconfig  # type: ignore[attr-defined]  # the fixture's own note
        self.namespace = namespace

    def driver(self) -> Driver:
        return DRIVER

    def target(self, folder: Path) -> Target:
        settings: dict[str, Any] = {
            "kubeconfig": str(self.kubeconfig),
            "namespace": self.namespace,
            "wait_seconds": 120,
        }
        return Target(name="contract", driver="kubernetes", settings=settings)

    def bad_target(self, folder: Path) -> Target:
        wrong = folder / "kubeconfig"
        wrong.write_text(self.kubeconfig.read_text().replace("admin-token", "no-token"))
        return Target(name="contract", driver="kubernetes", settings={"kubeconfig": str(wrong)})

    def cases(self) -> list[Case]:
        ports = [{"port": 80}]
        pairs: list[tuple[Resource, Resource | None]] = [
            (resource("ConfigMap", "conf", data={"a": "1"}), resource("ConfigMap", "conf", data={"a": "2"})),
            (deployment(replicas=2), deployment(replicas=1)),
            (job("first"), job("second")),
            (resource("Service", "web", spec={"selector": {"app": "web"}, "ports": ports}), None),
            (resource("ClusterRole", "reader", "rbac.authorization.k8s.io/v1", rules=[]), None),
        ]
        secret = resource("Secret", "password", stringData={"p": Sensitive("hush-hush")})
        cases = [
            Case(
                kind="kubernetes",
                first=dict(first.desired),
                then=None if then is None else dict(then.desired),
            )
            for first, then in pairs
        ]
        plain = resource("Secret", "password", stringData={"p": "other"})
        return [*cases, Case(kind="kubernetes", first=dict(plain.desired), secret=dict(secret.desired))]


def test_drift_and_changes_are_named_field_by_field(
    on_cluster: Callable[..., Any], node: NodeStandIn, namespace: str
) -> None:
    wanted = resource("ConfigMap", "conf", data={"a": "1", "b": "2"})

    async def work(cluster: ClusterConnection) -> None:
        await cluster.apply(task(wanted), Notes())
        path = f"/api/v1/namespaces/{namespace}/configmaps/conf"
        node.request("PATCH", path, {"data": {"a": "other"}})
        assert await changes(cluster, wanted) == (FieldChange(field="data.a", before="other", after="1"),)
        without = resource("ConfigMap", "conf", data={"a": "1"})
        assert FieldChange(field="data.b", before="2", after=None) in await changes(cluster, without)

    on_cluster(work)


def test_secrets_are_never_shown(on_cluster: Callable[..., Any]) -> None:
    async def work(cluster: ClusterConnection) -> None:
        first = resource("Secret", "password", stringData={"p": Sensitive("hush")})
        await cluster.apply(task(first), Notes())
        reading = await cluster.read(resource("Secret", "password", stringData={"p": "other"}), None)
        shown = f"{reading} {await cluster.read(first, None)}"
        assert "hush" not in shown
        assert "aHVzaA" not in shown  # base64 hides nothing
        assert [change.field for change in reading.changes or ()] == ["data.p"]

    on_cluster(work)


def test_a_job_is_made_anew_when_its_content_changes(on_cluster: Callable[..., Any]) -> None:
    async def work(cluster: ClusterConnection) -> None:
        first = await cluster.apply(task(job("first")), Notes())
        assert [change.field for change in await changes(cluster, job("second"))] == ["content"]
        second = await cluster.apply(task(job("second"), Action.UPDATE, "op-2"), Notes())
        assert second.status is OutcomeStatus.DONE, second.message
        assert first.id != second.id
        assert await changes(cluster, job("second")) == ()

    on_cluster(work)


def test_a_job_that_fails_fails_the_step(on_cluster: Callable[..., Any]) -> None:
    async def work(cluster: ClusterConnection) -> Outcome:
        return await cluster.apply(task(job("fail")), Notes())

    outcome = on_cluster(work)
    assert outcome.status is OutcomeStatus.FAILED
    assert "backoff limit" in outcome.message


def test_a_workload_that_does_not_get_ready_says_what_its_pods_wait_for(
    on_cluster: Callable[..., Any],
) -> None:
    notes = Notes()

    async def work(cluster: ClusterConnection) -> Outcome:
        return await cluster.apply(task(deployment(nodeSelector={"disk": "golden"})), notes)

    outcome = on_cluster(work, wait_seconds=2)
    assert outcome.status is OutcomeStatus.FAILED
    assert "0 of 1 pods are ready" in outcome.message
    assert "has no node" in outcome.message
    assert any("waiting for Deployment web" in line for line in notes.lines)


def test_fields_that_the_server_does_not_know_are_left_out_and_told(on_cluster: Callable[..., Any]) -> None:
    term = {"topologyKey": "host", "labelSelector": {}, "namespaceSelector": {}}
    required = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    wanted = deployment(affinity=required)

    async def work(cluster: ClusterConnection) -> None:
        reading = await cluster.read(wanted, None)
        assert "namespaceSelector" in (reading.message or "")
        outcome = await cluster.apply(task(wanted), Notes())
        assert outcome.status is OutcomeStatus.DONE, outcome.message
        assert any("namespaceSelector" in line for line in outcome.log)
        assert await changes(cluster, wanted) == ()

    on_cluster(work)


def test_what_others_own_is_not_taken_without_force(
    on_cluster: Callable[..., Any], node: NodeStandIn, namespace: str
) -> None:
    wanted = resource("ConfigMap", "conf", data={"a": "1"})
    made = node.request(
        "POST",
        f"/api/v1/namespaces/{namespace}/configmaps",
        {"metadata": {"name": "conf"}, "data": {"a": "0"}},
    )
    forced = Resource(address=wanted.address, kind="kubernetes", desired={**wanted.desired, "force": True})

    async def work(cluster: ClusterConnection) -> list[Outcome]:
        adopted: dict[str, Any] = {"action": Action.UPDATE, "id": made["metadata"]["uid"]}
        return [
            await cluster.apply(task(forced), Notes()),
            await cluster.apply(task(wanted, **adopted), Notes()),
            await cluster.apply(task(forced, **adopted), Notes()),
        ]

    unknown, refused, taken = on_cluster(work)
    assert unknown.status is OutcomeStatus.FAILED
    assert "conf already exists and is not managed by sabir" in unknown.message
    assert refused.status is OutcomeStatus.FAILED
    assert "force: true" in refused.message
    assert taken.status is OutcomeStatus.DONE


def test_what_cannot_be_changed_in_place_is_replaced_when_asked(on_cluster: Callable[..., Any]) -> None:
    def service(address: str, **more: Any) -> Resource:
        spec = {"clusterIP": address, "ports": [{"port": 80}]}
        return resource("Service", "web", spec=spec, **more)

    async def work(cluster: ClusterConnection) -> None:
        first = await cluster.apply(task(service("10.77.1.1")), Notes())
        refused = await cluster.apply(task(service("10.77.1.2")), Notes())
        assert refused.status is OutcomeStatus.FAILED
        assert "replace: true" in (refused.message or "")
        replaced = await cluster.apply(task(service("10.77.1.2", replace=True)), Notes())
        assert replaced.status is OutcomeStatus.DONE, replaced.message
        assert replaced.id != first.id
        assert replaced.results["cluster_ip"] == "10.77.1.2"

    on_cluster(work)


def test_an_object_that_somebody_made_anew_is_not_deleted(on_cluster: Callable[..., Any]) -> None:
    wanted = resource("ConfigMap", "conf", data={"a": "1"})

    async def work(cluster: ClusterConnection) -> Outcome:
        await cluster.apply(task(wanted), Notes())
        return await cluster.delete(task(wanted, Action.DELETE, "op-2", id="of-another"), Notes())

    outcome = on_cluster(work)
    assert outcome.status is OutcomeStatus.FAILED
    assert "someone else" in outcome.message


def test_restart_makes_pods_anew_and_is_no_drift(on_cluster: Callable[..., Any]) -> None:
    async def work(cluster: ClusterConnection) -> None:
        await cluster.apply(task(deployment()), Notes())
        outcome = await cluster.call(task(deployment(), Action.RUN), "restart", Notes())
        assert outcome.status is OutcomeStatus.DONE, outcome.message
        assert await changes(cluster, deployment()) == ()

    on_cluster(work)


def test_a_kind_that_is_not_served_yet_can_be_planned(on_cluster: Callable[..., Any]) -> None:
    async def work(cluster: ClusterConnection) -> None:
        reading = await cluster.read(resource("Shelf", "books", "example.org/v1"), None)
        assert not reading.exists
        assert "serves no Shelf" in (reading.message or "")

    on_cluster(work)


def test_what_a_container_waits_for_is_told(on_cluster: Callable[..., Any]) -> None:
    waiting = deployment(containers=[{"name": "web", "image": "web:1", "args": ["wait"]}])
    notes = Notes()

    async def work(cluster: ClusterConnection) -> tuple[Outcome, Any]:
        outcome = await cluster.apply(task(waiting, timeout=14.0), notes)
        return outcome, await cluster.read(waiting, None)

    outcome, reading = on_cluster(work)
    key = "waits for db/db: no key /ccp/shop/status/global/db/db/ready"
    assert outcome.status is OutcomeStatus.FAILED
    assert key in outcome.message
    assert any(key in line for line in notes.lines)
    assert reading.health is Health.WAITING
    assert key in reading.message


def test_objects_are_run_each_time(on_cluster: Callable[..., Any]) -> None:
    def run(*arguments: str) -> Resource:
        objects = [job(*arguments).desired["manifest"]]
        return Resource(address=Address("run"), kind="kubernetes-run", desired={"objects": objects})

    async def work(cluster: ClusterConnection) -> tuple[list[Outcome], Any]:
        outcomes = [
            await cluster.apply(task(run("first"), Action.RUN, "op-a"), Notes()),
            await cluster.apply(task(run("fail"), Action.RUN, "op-b"), Notes()),
        ]
        nodes = Resource(address=Address("cluster"), kind="kubernetes-nodes")
        return outcomes, await cluster.apply(task(nodes, Action.RUN), Notes())

    (first, failed), nodes = on_cluster(work)
    assert first.status is OutcomeStatus.DONE
    assert failed.status is OutcomeStatus.FAILED
    assert nodes.results == {"nodes": ["node1"]}


def test_status_reads_hundreds_of_objects(
    node: NodeStandIn, namespace: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {0}}}, data: {{name: {0}}}}}"
    names = [f"c{number}" for number in range(460)]
    lines = [
        f"  {name}: {{kind: kubernetes, fields: {{manifest: {manifest.format(name)}}}}}" for name in names
    ]
    (tmp_path / "resources.yaml").write_text("sabir: resources/1\nresources:\n" + "\n".join(lines) + "\n")
    (tmp_path / "sabir.yaml").write_text(
        "name: many\nparts:\n  f: {path: resources.yaml}\n"
        f"targets:\n  cluster: {{driver: kubernetes, kubeconfig: {node.kubeconfig}, namespace: {namespace}}}\n"  # type: ignore[attr-defined]  # as above
    )
    assert main(["deploy", str(tmp_path), "--yes", "--trust", "outside", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["status", str(tmp_path), "--trust", "outside", "--format", "json"]) == 0
    states = [each["state"] for each in json.loads(capsys.readouterr().out)["resources"]]
    assert states == ["as wanted"] * len(names)
