"""Objects beyond the conformance cases."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from sabir.languages.ccp.renderers import render_kubernetes
from sabir.languages.ccp.syntax.deployment import DSL_VERSION
from sabir.languages.language import EvaluationRequest, RenderRequest
from sabir.source.packages import MemoryPackage
from tests.conformance.runner.kubernetes_schema import schema_problems
from tests.languages.ccp.building import checked, objects, service


def _pod(data: Any) -> Any:
    return data["spec"]["template"]["spec"]


def _workflow(found: dict[str, Any], role: str, unit: str) -> Any:
    return json.loads(found[f"ConfigMap/{role}-role"]["data"][unit])["workflow"]


def test_own_volumes_give_way_to_the_users() -> None:
    container = (
        "volumes:\n- {name: ccp-etc, type: empty-dir, path: /a}\n- {name: ccp-runner, type: host, path: /b}"
    )
    found = objects({"a": service("a", container=container)})
    names = [volume["name"] for volume in _pod(found["Deployment/a"])["volumes"]]
    assert names == ["ccp-etc-2", "ccp-runner-2", "ccp-etc", "ccp-runner"]
    assert schema_problems(list(found.values())) == []


def test_a_service_may_put_files_of_its_own_below_etc_ccp() -> None:
    files = {
        "mq": service(
            "mq", daemon="files: [cert]", tail="files: {cert: {path: /etc/ccp/mq.pem, content: mq.pem}}"
        ),
        "service/files/mq.pem": "x",
        "app": service("app"),
    }
    found = objects(files)
    (container,) = _pod(found["Deployment/mq"])["containers"]
    own = {one["mountPath"]: one.get("subPath") for one in container["volumeMounts"]}
    folders = ("globals", "global-secrets", "nodes-config", "meta", "role", "files")
    assert own == {f"/etc/ccp/{name}": name for name in folders} | {"/opt/ccp/runner": None}
    (container,) = _pod(found["Deployment/app"])["containers"]
    assert container["volumeMounts"][0]["mountPath"] == "/etc/ccp"
    assert schema_problems(list(found.values())) == []


def test_dependencies_on_an_instance_through_mapping() -> None:
    files = {
        "mq": service("mq", container="pre: [{name: mq-init, type: single, command: x}]"),
        "app": service("app", daemon="command: run {{ address('mq') }}\ndependencies: [mq, mq-init]"),
    }
    config = "services: {rpc: {service_def: mq}, app2: {service_def: app, mapping: {mq: rpc}}}"
    found = objects(files, config)
    assert _workflow(found, "app", "app")["dependencies"] == ["mq/mq", "mq/mq-init"]
    own = _workflow(found, "app2", "app")
    assert own["dependencies"] == ["rpc/mq", "rpc/mq-init"]
    assert own["daemon"]["command"] == "run rpc.ccp.svc.cluster.local"


def test_a_definition_that_waits_for_its_own_name_means_its_instance() -> None:
    text = service("mq", container="post: [{name: user, type: single, command: x, dependencies: [mq]}]")
    files = {"mq": text.replace("- name: mq", "- name: server")}
    found = objects(files, "services: {rpc: {service_def: mq}}")
    assert _workflow(found, "rpc", "user")["dependencies"] == ["rpc/server", "rpc/server"]


def test_secret_items_and_modes() -> None:
    tail = """
    secrets:
      tls:
        path: /etc/tls
        secret: {secretName: web-tls, defaultMode: "0400", items: [{key: k, path: /a/b, mode: "0644"}]}
    """
    container = "pre: [{name: boot, type: single, command: x}]"
    found = objects({"web": service("web", container=container, daemon="secrets: [tls]", tail=tail)})
    for workload in ("Deployment/web", "Job/web-boot"):
        volume = next(one for one in _pod(found[workload])["volumes"] if one["name"] == "tls")
        assert volume["secret"] == {
            "secretName": "web-tls",
            "defaultMode": 0o400,
            "items": [{"key": "k", "path": "a/b", "mode": 0o644}],
        }


def test_headless_service_with_external_ports() -> None:
    found = objects({"db": service("db", head="kind: StatefulSet\nports: [5432, '9000:30900']")})
    assert found["Service/db"]["spec"]["clusterIP"] == "None"
    assert found["Service/db-external"]["spec"]["type"] == "NodePort"
    assert [port["nodePort"] for port in found["Service/db-external"]["spec"]["ports"]] == [30900]


def test_recreate_on_a_daemon_set_is_its_nearest_form() -> None:
    found = objects({"a": service("a", head="kind: DaemonSet\nstrategy: Recreate")})
    assert found["DaemonSet/a"]["spec"]["updateStrategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": "100%"},
    }


def test_everything_at_once_fits_the_schema() -> None:
    container = """
    privileged: true
    probes:
      readiness: {type: httpGet, path: /, port: 80, timeout: 3, initialDelay: 4}
      liveness: {type: httpGet, path: /, port: 80, scheme: https}
    volumes: [{name: v, type: host, path: /v, readOnly: true}]
    env: [{name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]
    lifecycle: {preStop: {exec: {command: [sleep, "5"]}}}
    pre: [{name: one, type: single, command: x, image: tools}, {command: y, user: z}]
    post: [{name: two, type: single, command: x}]
    """
    head = "hostNetwork: true\nhostIPC: true\nantiAffinity: global\nports: [{cont: 80, node: 30080, ingress: web}]"
    config = """
    configs: {ingress: {enabled: true, domain: example.org}}
    registry: {address: registry.local, username: u, password: p}
    nodes: {n1: {roles: [r], configs: {a: 1}}}
    roles: {r: [web]}
    """
    found = objects({"web": service("web", head=head, container=container)}, config)
    assert schema_problems(list(found.values())) == []
    assert {"Ingress/web", "Job/web-one", "Job/web-two", "Secret/registry-key"} <= found.keys()


@pytest.mark.rows("C-088")
def test_the_framework_has_one_dsl_version() -> None:
    assert checked({"a": service("a")}).deployment.dsl_version == DSL_VERSION == "0.9.0"


@pytest.mark.rows("C-090", "C-100")
def test_rendering_is_a_dry_run_that_writes_yaml() -> None:
    package = MemoryPackage({"service/web.yaml": service("web", head="ports: [80]")})
    options = RenderRequest(namespace="test", options={"layout": "files", "image.web": "local/web:3"})
    files = render_kubernetes(package, EvaluationRequest(), options).files
    deployment = yaml.safe_load(files["deployment-web.yaml"])
    assert deployment["metadata"]["namespace"] == "test"
    assert _pod(deployment)["containers"][0]["image"] == "local/web:3"
    listed = yaml.safe_load(files["kustomization.yaml"])["resources"]
    assert [*listed, "kustomization.yaml"] == [*files]
    single = render_kubernetes(
        package, EvaluationRequest(), RenderRequest(options={"layout": "single"})
    ).files
    assert [*single][1:] == listed[1:]
    assert len(single) == len([*single.values()]) == len(listed)


@pytest.mark.rows("C-095")
def test_with_an_error_nothing_is_rendered() -> None:
    package = MemoryPackage({"service/web.yaml": service("web").replace("0.9.0", "9.0.0")})
    rendering = render_kubernetes(package, EvaluationRequest(), RenderRequest())
    assert rendering.files == {}
    assert [finding.code for finding in rendering.findings] == ["CCP:E021"]


def test_access_to_the_api_for_those_who_ask_for_it() -> None:
    config = "kubernetes: {access: {web: [{resources: [secrets], verbs: [get, patch]}]}}\n"
    container = "pre:\n- {name: keys, type: single, command: make-keys}\n"
    made = objects({"web": service("web", container=container), "db": service("db")}, config)
    assert made["Role/web"]["rules"] == [
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "patch"]}
    ]
    assert made["RoleBinding/web"]["subjects"] == [
        {"kind": "ServiceAccount", "name": "web", "namespace": "ccp"}
    ]
    for name in ("Deployment/web", "Job/web-keys"):
        assert made[name]["spec"]["template"]["spec"]["serviceAccountName"] == "web"
    assert "serviceAccountName" not in made["Deployment/db"]["spec"]["template"]["spec"]
