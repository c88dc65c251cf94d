"""As somebody types it, on a real control plane: objects of an earlier tool are taken over, and an upgrade leaves nothing to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sabir.cli.main import main
from tests.languages.ccp.building import service
from tests.languages.ccp.procedures import FILES
from tests.support.control_plane import NodeStandIn

pytestmark = pytest.mark.slow

SHOP = {
    "service/web.yaml": service(
        "web",
        head="ports: [8080]",
        container="pre:\n- {name: sync, type: single, command: sync}\n",
    )
}
CONFIGURATION = "images: {{tag: '{tag}'}}\nkubernetes: {{namespace: {namespace}, kubeconfig: {file}, wait_seconds: 120, force: {force}}}\n"


class Folder:
    """A description in the current folder, for a cluster."""

    def __init__(self, namespace: str, kubeconfig: Path) -> None:
        self.namespace, self.kubeconfig = namespace, kubeconfig

    def write(self, files: dict[str, str], *, tag: str = "1.0", force: bool = False) -> None:
        configuration = CONFIGURATION.format(
            tag=tag, namespace=self.namespace, file=self.kubeconfig, force=str(force).lower()
        )
        for name, text in {**files, "ccp.yaml": configuration}.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text)


def _earlier_tool(cluster: NodeStandIn, namespace: str) -> dict[str, str]:
    """What another manager made: other selectors and data, a Job that is done. Their uids by kind."""

    def create(path: str, body: dict[str, Any]) -> str:
        made = cluster.request("POST", f"{path}?fieldManager=earlier", body)
        return str(made["metadata"]["uid"])

    def pods(image: str) -> dict[str, Any]:
        return {"containers": [{"name": "web", "image": image}]}

    create("/api/v1/namespaces", {"metadata": {"name": namespace}})
    core, labels = f"/api/v1/namespaces/{namespace}", {"tool": "earlier"}
    return {
        "ConfigMap": create(
            f"{core}/configmaps", {"metadata": {"name": "globals"}, "data": {"globals": "{}"}}
        ),
        "Service": create(
            f"{core}/services",
            {"metadata": {"name": "web"}, "spec": {"selector": labels, "ports": [{"port": 80}]}},
        ),
        "Deployment": create(
            f"/apis/apps/v1/namespaces/{namespace}/deployments",
            {
                "metadata": {"name": "web"},
                "spec": {
                    "selector": {"matchLabels": labels},
                    "template": {"metadata": {"labels": labels}, "spec": pods("web:0")},
                },
            },
        ),
        "Job": create(
            f"/apis/batch/v1/namespaces/{namespace}/jobs",
            {
                "metadata": {"name": "web-sync"},
                "spec": {"template": {"spec": {**pods("web:0"), "restartPolicy": "Never"}}},
            },
        ),
    }


def _live(cluster: NodeStandIn, namespace: str) -> dict[str, Any]:
    paths = {
        "ConfigMap": f"/api/v1/namespaces/{namespace}/configmaps/globals",
        "Service": f"/api/v1/namespaces/{namespace}/services/web",
        "Deployment": f"/apis/apps/v1/namespaces/{namespace}/deployments/web",
        "Job": f"/apis/batch/v1/namespaces/{namespace}/jobs/web-sync",
    }
    return {kind: cluster.request("GET", path) for kind, path in paths.items()}


def test_objects_of_an_earlier_tool(
    node: tuple[NodeStandIn, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    cluster, kubeconfig = node
    monkeypatch.chdir(tmp_path)
    folder = Folder("takeover", kubeconfig)
    folder.write(SHOP)
    before = _earlier_tool(cluster, "takeover")
    assert main(["adopt", "."]) == 0
    assert {kind: one["metadata"]["uid"] for kind, one in _live(cluster, "takeover").items()} == before
    capsys.readouterr()
    assert main(["plan", "."]) == 3
    planned = capsys.readouterr().out
    assert "Deployment/web" in planned
    assert "runs again, because" in planned
    assert "imagePullPolicy" not in planned  # which the server has filled in
    # What the other tool owns is not taken without being asked for.
    assert main(["deploy", ".", "--yes"]) == 1
    assert "force: true" in capsys.readouterr().err
    folder.write(SHOP, force=True)
    assert main(["deploy", ".", "--yes"]) == 0
    after = _live(cluster, "takeover")
    same = {kind for kind, one in after.items() if one["metadata"]["uid"] == before[kind]}
    assert same == {"ConfigMap", "Service"}
    assert after["Deployment"]["spec"]["selector"]["matchLabels"] != {"tool": "earlier"}
    assert after["Deployment"]["status"]["readyReplicas"] == 1
    assert after["Job"]["status"]["succeeded"] == 1
    assert "tool" not in after["Service"]["spec"]["selector"]
    capsys.readouterr()
    assert main(["plan", ".", "--refresh"]) == 0
    assert "nothing to do" in capsys.readouterr().out


def test_an_upgrade_leaves_only_jobs_to_deploy(
    node: tuple[NodeStandIn, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, kubeconfig = node
    monkeypatch.chdir(tmp_path)
    folder = Folder("upgraded", kubeconfig)
    folder.write(FILES)
    assert main(["deploy", ".", "--yes"]) == 0
    folder.write(FILES, tag="2.0")
    assert main(["call", ".", "upgrade", "--yes"]) == 0
    capsys.readouterr()
    assert main(["plan", ".", "--format", "json"]) == 3
    planned = json.loads(capsys.readouterr().out)
    assert [step["address"] for step in planned["steps"]] == ["Job/web-sync"]
    assert "runs again, because" in planned["steps"][0]["reason"]
    assert main(["deploy", ".", "--yes"]) == 0
    capsys.readouterr()
    assert main(["plan", "."]) == 0
    assert "nothing to do" in capsys.readouterr().out


def test_a_namespace_that_existed_is_used_and_kept(
    node: tuple[NodeStandIn, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    cluster, kubeconfig = node
    monkeypatch.chdir(tmp_path)
    Folder("pre", kubeconfig).write(SHOP)
    path = "/api/v1/namespaces/pre"
    labels = {"app": "theirs"}
    pods = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    deployment = {
        "metadata": {"name": "theirs"},
        "spec": {"selector": {"matchLabels": labels}, "template": pods},
    }
    cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": "pre"}})
    cluster.request("POST", "/apis/apps/v1/namespaces/pre/deployments", deployment)
    cluster.request("POST", f"{path}/configmaps", {"metadata": {"name": "globals"}, "data": {"a": "theirs"}})
    namespace = cluster.request("GET", path)

    assert main(["deploy", ".", "--yes"]) == 1
    assert "ConfigMap/globals already exists and is not managed by sabir" in capsys.readouterr().err
    assert main(["destroy", ".", "--yes", "--allow-delete", "all"]) == 0
    assert cluster.request("GET", f"{path}/configmaps/globals")["data"] == {"a": "theirs"}

    cluster.request("DELETE", f"{path}/configmaps/globals")
    assert main(["deploy", ".", "--yes"]) == 0
    capsys.readouterr()
    assert main(["plan", ".", "--refresh"]) == 0
    assert main(["status", "."]) == 0
    assert main(["destroy", ".", "--yes", "--allow-delete", "all"]) == 0
    assert "namespace 'pre' is kept" in "".join(capsys.readouterr())
    assert cluster.request("GET", path) == namespace
    names = [
        each["metadata"]["name"]
        for each in cluster.request("GET", "/apis/apps/v1/namespaces/pre/deployments")["items"]
    ]
    assert names == ["theirs"]


def test_what_calls_have_left_goes_with_the_namespace(
    node: tuple[NodeStandIn, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster, kubeconfig = node
    monkeypatch.chdir(tmp_path)
    Folder("called", kubeconfig).write(FILES)
    assert main(["deploy", ".", "--yes"]) == 0
    assert main(["call", ".", "backup", "--yes"]) == 0
    assert main(["destroy", ".", "--yes", "--allow-delete", "all"]) == 0
    names = [each["metadata"]["name"] for each in cluster.request("GET", "/api/v1/namespaces")["items"]]
    assert "called" not in names
