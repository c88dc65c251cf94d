"""Objects and namespaces of others are left alone: on a real control plane, and by what a cluster lists."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from msgspec import Struct

from sabir.cli.main import main
from sabir.deployments.drivers.kubernetes.connection import ClusterConnection
from sabir.deployments.drivers.kubernetes.ownership import ContainedObject, Contents, Ownership
from sabir.graph.address import Address
from sabir.resources.effects import RecordedEffect
from sabir.resources.outcome import Outcome, OutcomeStatus
from sabir.resources.resource import Resource
from sabir.resources.step import Action
from tests.deployments.drivers.kubernetes.test_driver import Notes, job, resource, task
from tests.support.control_plane import NodeStandIn

LABEL = "sabir/environment"
OPERATION = "sabir/operation"


class State(Struct, frozen=True):
    """What a state records."""

    operations: frozenset[str] = frozenset()
    ids: frozenset[str] = frozenset()
    runs: frozenset[str] = frozenset()

    def has_operation(self, operation_id: str, *, ran: bool = False) -> bool:
        return operation_id in self.runs or (not ran and operation_id in self.operations)

    def has_id(self, target_id: str) -> bool:
        return target_id in self.ids

    def recorded_effects(self, kinds: Sequence[str]) -> Sequence[RecordedEffect]:
        return ()


# What keeps a namespace


def contained(kind: str, name: str, group: str = "", /, **metadata: Any) -> ContainedObject:
    return ContainedObject(group, kind, {"name": name, "uid": f"uid-{kind}-{name}", **metadata})


def written(operation: str, manager: str = "sabir") -> dict[str, Any]:
    return {
        "labels": {LABEL: "shop"},
        "annotations": {OPERATION: operation},
        "managedFields": [{"manager": manager, "operation": "Apply"}],
    }


CONTROLLED = {"managedFields": [{"manager": "kube-controller-manager", "operation": "Update"}]}
TOKEN = {"annotations": {"kubernetes.io/service-account.name": "default"}}


@pytest.mark.parametrize(
    ("one", "found"),
    [
        (contained("ConfigMap", "kube-root-ca.crt"), Contents()),
        (contained("ConfigMap", "data"), Contents(foreign=("ConfigMap/data",))),
        (contained("ServiceAccount", "default"), Contents()),
        (contained("ServiceAccount", "robot"), Contents(foreign=("ServiceAccount/robot",))),
        (contained("Secret", "default-token-x", **TOKEN), Contents()),
        (contained("Secret", "mine", **TOKEN), Contents(foreign=("Secret/mine",))),
        (contained("Event", "e"), Contents()),
        (contained("Event", "e", "events.k8s.io"), Contents()),
        (contained("Event", "e", "example.org"), Contents(foreign=("Event/e",))),
        (contained("Endpoints", "web", **CONTROLLED), Contents()),
        (contained("Endpoints", "web"), Contents(foreign=("Endpoints/web",))),
        (contained("EndpointSlice", "web", "discovery.k8s.io", **CONTROLLED), Contents()),
        (contained("Pod", "p", ownerReferences=[{"uid": "gone"}]), Contents(leaving=("Pod/p",))),
        (contained("Pod", "p", deletionTimestamp="2026-01-01T00:00:00Z"), Contents(leaving=("Pod/p",))),
        (contained("ConfigMap", "known"), Contents(recorded=("ConfigMap/known",))),
        (contained("Job", "run", "batch", **written("op-run")), Contents()),
        (contained("Job", "run", "batch", **written("op-of-another")), Contents(foreign=("Job/run",))),
        (contained("Job", "copy", "batch", **written("op-run", "kubectl")), Contents(foreign=("Job/copy",))),
        (ContainedObject("metrics.k8s.io", "PodMetrics", {"name": "p"}), Contents()),
    ],
    ids=lambda value: value.title if isinstance(value, ContainedObject) else "",
)
def test_what_keeps_a_namespace(one: ContainedObject, found: Contents) -> None:
    state = State(frozenset(["op-run"]), frozenset(["uid-ConfigMap-known"]))
    ownership = Ownership(environment="shop", field_manager="sabir", recorded=state)
    assert ownership.sort_contents([one]) == found


def test_an_owner_in_the_namespace_decides() -> None:
    ownership = Ownership(environment="shop", field_manager="sabir", recorded=State(frozenset(["op-run"])))
    ours = contained("Job", "run", "batch", **written("op-run"))
    theirs = contained("Deployment", "web", "apps")
    pods = [
        contained("Pod", f"of-{owner.kind}", ownerReferences=[{"uid": owner.metadata["uid"]}])
        for owner in (ours, theirs)
    ]
    assert ownership.sort_contents([ours, theirs, *pods]) == Contents(foreign=("Deployment/web",))


# On a cluster


class Calls:
    """Requests to the cluster as others send them."""

    def __init__(self, node: NodeStandIn) -> None:
        self.node = node

    def names(self, path: str) -> set[str]:
        return {each["metadata"]["name"] for each in self.node.request("GET", path)["items"]}

    def apply(self, path: str, manifest: dict[str, Any]) -> dict[str, Any]:
        """As versions before this one applied an object."""
        tls = ssl.create_default_context()
        tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
        request = Request(
            f"{self.node.server}{path}?fieldManager=sabir",
            method="PATCH",
            data=json.dumps(manifest).encode(),
            headers={"Authorization": "Bearer admin-token", "Content-Type": "application/apply-patch+yaml"},
        )
        with urlopen(request, context=tls, timeout=20) as response:
            answer: dict[str, Any] = json.load(response)
            return answer

    def exists(self, path: str) -> bool:
        try:
            return "deletionTimestamp" not in self.node.request("GET", path)["metadata"]
        except HTTPError as error:
            if error.code != 404:
                raise
            return False


@pytest.fixture
def calls(node: NodeStandIn) -> Calls:
    return Calls(node)


def config(name: str = "conf", **data: str) -> Resource:
    return resource("ConfigMap", name, data=data or {"a": "1"})


def old_manifest(kind: str, name: str, environment: str = "shop", **rest: Any) -> dict[str, Any]:
    labels = {"app.kubernetes.io/managed-by": "sabir", LABEL: environment}
    metadata = {"name": name, "labels": labels, "annotations": {OPERATION: "old"}}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **rest}


@pytest.mark.slow
def test_objects_of_a_state_written_before_stay_its_own(
    on_cluster: Callable[..., Any], calls: Calls, namespace: str
) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps/conf"
    live = calls.apply(path, old_manifest("ConfigMap", "conf", data={"a": "0"}))
    recorded: dict[str, Any] = {"id": live["metadata"]["uid"], "recorded": config(a="0").desired}

    async def work(cluster: ClusterConnection) -> list[Outcome]:
        changed = task(config(a="1"), Action.UPDATE, **recorded)
        gone = task(config(a="1"), Action.DELETE, "op-2", **recorded)
        return [await cluster.apply(changed, Notes()), await cluster.delete(gone, Notes())]

    outcomes = on_cluster(work, recorded=State())
    assert [outcome.status for outcome in outcomes] == [OutcomeStatus.DONE] * 2, outcomes
    assert not calls.exists(path)


@pytest.mark.slow
@pytest.mark.parametrize("uid_is_recorded", [True, False])
def test_objects_of_another_environment_are_refused(
    on_cluster: Callable[..., Any], calls: Calls, namespace: str, *, uid_is_recorded: bool
) -> None:
    """Also one whose uid is recorded: the other environment took it, as versions before this one did."""
    path = f"/api/v1/namespaces/{namespace}/configmaps/conf"
    before = calls.apply(path, old_manifest("ConfigMap", "conf", "other", data={"a": "0"}))
    recorded = {"id": before["metadata"]["uid"]} if uid_is_recorded else {}

    async def work(cluster: ClusterConnection) -> list[Outcome]:
        actions = (Action.CREATE, Action.UPDATE, Action.CHECK)
        outcomes = [await cluster.apply(task(config(), action, **recorded), Notes()) for action in actions]
        return [*outcomes, await cluster.delete(task(config(), Action.DELETE, **recorded), Notes())]

    for outcome in on_cluster(work, force=True):
        assert (outcome.status, outcome.untouched) == (OutcomeStatus.FAILED, True)
        assert "conf belongs to environment 'other'" in (outcome.message or "")
    assert calls.node.request("GET", path) == before


@pytest.mark.slow
def test_a_step_that_was_cut_off_recognizes_its_object(on_cluster: Callable[..., Any]) -> None:
    async def work(cluster: ClusterConnection) -> list[Outcome]:
        first = await cluster.apply(task(config(a="1"), operation_id="begun"), Notes())
        same = await cluster.apply(task(config(a="1"), operation_id="begun"), Notes())
        other = task(config(a="2"), operation_id="next")
        unrelated = await cluster.apply(other, Notes())
        resumed = await cluster.apply(task(config(a="2"), operation_id="next", begun_before=True), Notes())
        return [first, same, unrelated, resumed]

    first, same, unrelated, resumed = on_cluster(work, recorded=State(frozenset(["begun", "next"])))
    assert [each.status for each in (first, same, resumed)] == [OutcomeStatus.DONE] * 3
    assert first.id == same.id == resumed.id
    assert unrelated.status is OutcomeStatus.FAILED
    assert "this state does not record it" in (unrelated.message or "")


@pytest.mark.slow
def test_what_a_run_has_created_can_be_recorded(on_cluster: Callable[..., Any]) -> None:
    """An upgrade creates objects that are new, and the next deployment records them."""

    async def work(cluster: ClusterConnection) -> list[Outcome]:
        objects = [config().desired["manifest"]]
        run = Resource(address=Address("run"), kind="kubernetes-run", desired={"objects": objects})
        return [
            await cluster.apply(task(run, Action.RUN, "op-run"), Notes()),
            await cluster.apply(task(config(), operation_id="op-2"), Notes()),
        ]

    outcomes = on_cluster(work, recorded=State(runs=frozenset(["op-run"])))
    assert [outcome.message for outcome in outcomes if outcome.failed] == []
    assert on_cluster(work).pop().status is OutcomeStatus.FAILED


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "words"), [("other", "belongs to environment 'other'"), (None, "not managed")]
)
def test_a_run_does_not_touch_objects_of_others(
    on_cluster: Callable[..., Any], calls: Calls, namespace: str, environment: str | None, words: str
) -> None:
    path = f"/apis/batch/v1/namespaces/{namespace}/jobs"
    given: Any = job("first").desired["manifest"]
    metadata = {"name": "load", "labels": {} if environment is None else {LABEL: environment}}
    before = calls.node.request("POST", path, {**given, "metadata": metadata})

    async def work(cluster: ClusterConnection) -> Outcome:
        objects = [job("second").desired["manifest"]]
        run = Resource(address=Address("run"), kind="kubernetes-run", desired={"objects": objects})
        return await cluster.apply(task(run, Action.RUN, "op-run"), Notes())

    outcome = on_cluster(work)
    assert outcome.status is OutcomeStatus.FAILED
    assert words in outcome.message
    assert "Job/load" in outcome.message
    assert calls.node.request("GET", f"{path}/load")["metadata"]["uid"] == before["metadata"]["uid"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ConfigMap", "Service"])
def test_an_object_that_comes_in_between_is_not_taken(
    on_cluster: Callable[..., Any],
    calls: Calls,
    namespace: str,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    rest: dict[str, Any] = {"spec": {"ports": [{"port": 80}]}} if kind == "Service" else {"data": {"a": "0"}}
    path = f"/api/v1/namespaces/{namespace}/{kind.lower()}s"

    async def work(cluster: ClusterConnection) -> Outcome:
        find, came = cluster.api.find, list[str]()

        async def find_before(place: Any) -> Any:
            found = await find(place)
            if not came:
                came.append(place.name)
                calls.node.request("POST", path, {"metadata": {"name": "conf"}, **rest})
            return found

        monkeypatch.setattr(cluster.api, "find", find_before)
        wanted = resource(kind, "conf", **rest)
        return await cluster.apply(task(wanted), Notes())

    outcome = on_cluster(work, force=True)
    assert outcome.status is OutcomeStatus.FAILED
    assert "conf already exists and is not managed by sabir" in outcome.message
    assert "labels" not in calls.node.request("GET", f"{path}/conf")["metadata"]


@pytest.mark.slow
@pytest.mark.parametrize("action", [Action.UPDATE, Action.DELETE])
def test_an_object_that_is_replaced_in_between_is_not_touched(
    on_cluster: Callable[..., Any],
    calls: Calls,
    namespace: str,
    monkeypatch: pytest.MonkeyPatch,
    action: Action,
) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"

    async def work(cluster: ClusterConnection) -> Outcome:
        made = await cluster.apply(task(config()), Notes())
        find, came = cluster.api.find, list[str]()

        async def find_before(place: Any) -> Any:
            found = await find(place)
            if not came:
                came.append(place.name)
                calls.node.request("DELETE", f"{path}/conf")
                calls.node.request("POST", path, {"metadata": {"name": "conf"}, "data": {"a": "theirs"}})
            return found

        monkeypatch.setattr(cluster.api, "find", find_before)
        step = task(config(a="2"), action, "op-2", id=made.id, recorded=config().desired)
        return await (cluster.delete if action is Action.DELETE else cluster.apply)(step, Notes())

    assert on_cluster(work, force=True).status is OutcomeStatus.FAILED
    assert calls.node.request("GET", f"{path}/conf")["data"] == {"a": "theirs"}


@pytest.mark.slow
def test_a_failed_step_tells_the_id_of_what_it_created(on_cluster: Callable[..., Any]) -> None:
    async def work(cluster: ClusterConnection) -> tuple[Outcome, Any]:
        return await cluster.apply(task(job("fail")), Notes()), await cluster.read(job("fail"), None)

    outcome, reading = on_cluster(work)
    assert outcome.status is OutcomeStatus.FAILED
    assert outcome.id == reading.id is not None


# Namespaces


@pytest.fixture
def fresh(namespace: str) -> str:
    """A name that no namespace has."""
    return f"{namespace}-fresh"


def deleted(
    on_cluster: Callable[..., Any], name: str, uid: str | None, state: State | None = None
) -> Outcome:
    async def work(cluster: ClusterConnection) -> Outcome:
        step = task(resource("Namespace", name), Action.DELETE, "op-gone", id=uid)
        return await cluster.delete(step, Notes())

    outcome: Outcome = on_cluster(work, recorded=state)
    return outcome


def created(on_cluster: Callable[..., Any], name: str) -> Outcome:
    async def work(cluster: ClusterConnection) -> Outcome:
        return await cluster.apply(task(resource("Namespace", name), operation_id="op-made"), Notes())

    outcome: Outcome = on_cluster(work)
    return outcome


@pytest.mark.slow
def test_a_namespace_that_exists_is_used_and_kept(
    on_cluster: Callable[..., Any], calls: Calls, namespace: str
) -> None:
    path = f"/api/v1/namespaces/{namespace}"
    before = calls.node.request("GET", path)
    used = created(on_cluster, namespace)
    assert (used.status, used.changed) == (OutcomeStatus.DONE, False)
    assert used.id is not None

    async def read(cluster: ClusterConnection) -> Any:
        return await cluster.read(resource("Namespace", namespace), used.id)

    assert on_cluster(read).changes == ()
    kept = deleted(on_cluster, namespace, used.id)
    assert (kept.status, kept.changed) == (OutcomeStatus.DONE, False)
    assert "sabir did not create it" in (kept.message or "")
    assert calls.node.request("GET", path) == before


@pytest.mark.slow
def test_a_namespace_that_was_adopted_is_changed_but_not_deleted(
    on_cluster: Callable[..., Any], calls: Calls, namespace: str
) -> None:
    path = f"/api/v1/namespaces/{namespace}"
    uid = calls.node.request("GET", path)["metadata"]["uid"]

    async def work(cluster: ClusterConnection) -> Outcome:
        step = task(resource("Namespace", namespace, force=True), Action.UPDATE, id=uid)
        return await cluster.apply(step, Notes())

    assert on_cluster(work).id == uid
    assert calls.node.request("GET", path)["metadata"]["labels"][LABEL] == "shop"
    assert deleted(on_cluster, namespace, uid).changed is False
    assert calls.exists(path)


@pytest.mark.slow
def test_a_namespace_that_was_created_is_deleted_when_it_is_empty(
    on_cluster: Callable[..., Any], calls: Calls, fresh: str
) -> None:
    path = f"/api/v1/namespaces/{fresh}"
    made = created(on_cluster, fresh)
    calls.node.request("POST", f"{path}/configmaps", {"metadata": {"name": "theirs"}})
    kept = deleted(on_cluster, fresh, made.id)
    assert kept.status is OutcomeStatus.FAILED
    assert "ConfigMap/theirs" in (kept.message or "")
    assert calls.exists(path)
    calls.node.request("DELETE", f"{path}/configmaps/theirs")
    assert deleted(on_cluster, fresh, made.id).status is OutcomeStatus.DONE
    assert not calls.exists(path)


@pytest.fixture
def shelves(calls: Calls) -> Iterator[str]:
    """A kind that the cluster got by a definition; its name in paths."""
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object"}},
    }
    spec = {
        "group": "example.org",
        "scope": "Namespaced",
        "names": {"plural": "shelves", "singular": "shelf", "kind": "Shelf"},
        "versions": [version],
    }
    calls.node.request("POST", path, {"metadata": {"name": "shelves.example.org"}, "spec": spec})
    yield "shelves"
    calls.node.request("DELETE", f"{path}/shelves.example.org")


@pytest.mark.slow
def test_an_object_of_a_kind_that_was_defined_later_keeps_a_namespace(
    on_cluster: Callable[..., Any], calls: Calls, fresh: str, shelves: str
) -> None:
    made = created(on_cluster, fresh)
    path = f"/apis/example.org/v1/namespaces/{fresh}/{shelves}"
    shelf = {"apiVersion": "example.org/v1", "kind": "Shelf", "metadata": {"name": "books"}}
    until(lambda: calls.node.request("POST", path, shelf))
    kept = deleted(on_cluster, fresh, made.id)
    assert kept.status is OutcomeStatus.FAILED
    assert "Shelf/books" in (kept.message or "")


def until(work: Callable[[], Any]) -> None:
    """A kind is served a moment after its definition."""
    for _ in range(100):
        try:
            work()
        except HTTPError:
            threading.Event().wait(0.1)
        else:
            return
    raise AssertionError("not served")


@pytest.mark.slow
def test_what_is_still_recorded_is_waited_for(
    on_cluster: Callable[..., Any], calls: Calls, fresh: str
) -> None:
    made = created(on_cluster, fresh)
    path = f"/api/v1/namespaces/{fresh}/configmaps"
    uid = calls.node.request("POST", path, {"metadata": {"name": "ours"}})["metadata"]["uid"]
    kept = deleted(on_cluster, fresh, made.id, State(ids=frozenset([uid])))
    assert (kept.status, kept.passing) == (OutcomeStatus.FAILED, True)
    assert "ConfigMap/ours" in (kept.message or "")
    assert calls.exists(f"{path}/ours")


@pytest.fixture
def broken_group(calls: Calls) -> Iterator[None]:
    """A group of kinds whose server does not answer."""
    path = "/apis/apiregistration.k8s.io/v1/apiservices"
    spec = {
        "group": "broken.example.org",
        "version": "v1",
        "groupPriorityMinimum": 100,
        "versionPriority": 100,
        "insecureSkipTLSVerify": True,
        "service": {"name": "none", "namespace": "default"},
    }
    calls.node.request("POST", path, {"metadata": {"name": "v1.broken.example.org"}, "spec": spec})
    yield
    calls.node.request("DELETE", f"{path}/v1.broken.example.org")


@pytest.mark.slow
@pytest.mark.usefixtures("broken_group")
def test_a_namespace_whose_contents_cannot_be_read_is_kept(
    on_cluster: Callable[..., Any], calls: Calls, fresh: str
) -> None:
    made = created(on_cluster, fresh)
    kept = deleted(on_cluster, fresh, made.id)
    assert kept.status is OutcomeStatus.FAILED
    assert "could not be read" in (kept.message or "")
    assert calls.exists(f"/api/v1/namespaces/{fresh}")


@pytest.mark.slow
@pytest.mark.parametrize("existed", [False, True])
def test_a_namespace_of_a_state_written_before(
    on_cluster: Callable[..., Any], calls: Calls, fresh: str, *, existed: bool
) -> None:
    """It is deleted only when the cluster proves that sabir created it."""
    path = f"/api/v1/namespaces/{fresh}"
    if existed:
        calls.node.request("POST", "/api/v1/namespaces", {"metadata": {"name": fresh}})
    live = calls.apply(path, old_manifest("Namespace", fresh))
    outcome = deleted(on_cluster, fresh, live["metadata"]["uid"])
    assert outcome.status is OutcomeStatus.DONE
    assert calls.exists(path) is existed


# As somebody types it


class Project:
    def __init__(self, folder: Path, name: str, node: NodeStandIn, namespace: str) -> None:
        self.folder, self.node = folder, node
        folder.mkdir()
        kubeconfig: Path = node.kubeconfig  # type: ignore[attr-defined]  # the fixture's own note
        (folder / "sabir.yaml").write_text(
            f"name: {name}\nparts:\n  f: {{path: resources.yaml}}\n"
            f"targets:\n  cluster: {{driver: kubernetes, kubeconfig: {kubeconfig}, namespace: {namespace}}}\n"
        )

    def run(self, verb: str, *words: str) -> int:
        consent = ["--yes", "--allow-delete", "all"] if verb == "destroy" else ["--yes"]
        return int(
            main(
                [verb, str(self.folder), *words, "--trust", "outside", *(consent if verb != "adopt" else [])]
            )
        )

    def write(self, **manifests: str) -> None:
        lines = [
            f"  {name}: {{kind: kubernetes, fields: {{manifest: {text}}}}}\n"
            for name, text in manifests.items()
        ]
        (self.folder / "resources.yaml").write_text("sabir: resources/1\nresources:\n" + "".join(lines))


def config_text(value: str) -> str:
    return f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: conf}}, data: {{a: {value}}}}}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"), [("second", "belongs to environment 'first'"), ("first", "does not record it")]
)
def test_a_second_environment_takes_nothing_of_the_first(
    node: NodeStandIn,
    namespace: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    words: str,
) -> None:
    """Also one of the same name, with a state of its own."""
    path = f"/api/v1/namespaces/{namespace}/configmaps/conf"
    first = Project(tmp_path / "a", "first", node, namespace)
    second = Project(tmp_path / "b", name, node, namespace)
    first.write(conf=config_text("'1'"))
    second.write(conf=config_text("'2'"))
    assert first.run("deploy") == 0
    before = node.request("GET", path)
    capsys.readouterr()
    assert second.run("deploy") == 1
    assert words in capsys.readouterr().err
    if name == "second":
        second.run("adopt")
        assert "belongs to environment 'first'" in "".join(capsys.readouterr())
        assert second.run("deploy") == 1
    second.run("destroy")
    assert node.request("GET", path) == before
    first.write(conf=config_text("'3'"))
    assert first.run("deploy") == 0
    assert first.run("destroy") == 0
    with pytest.raises(HTTPError):
        node.request("GET", path)


def job_text(argument: str) -> str:
    spec = f"{{template: {{spec: {{restartPolicy: Never, containers: [{{name: j, image: i, args: [{argument}]}}]}}}}, backoffLimit: 0}}"
    return f"{{apiVersion: batch/v1, kind: Job, metadata: {{name: load}}, spec: {spec}}}"


@pytest.mark.slow
def test_what_was_created_anew_by_a_step_that_failed_is_still_its_own(
    node: NodeStandIn, namespace: str, tmp_path: Path
) -> None:
    project = Project(tmp_path / "a", "jobs", node, namespace)
    for argument, status in (("first", 0), ("fail", 1), ("second", 0)):
        project.write(load=job_text(argument))
        assert project.run("deploy") == status, argument
    assert project.run("destroy") == 0
