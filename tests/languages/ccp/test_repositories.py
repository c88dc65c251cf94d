"""A folder of component repositories with a configuration, in the manner of those in use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from sabir.cli.main import main
from sabir.languages.ccp import LANGUAGE
from sabir.languages.ccp.check.phases import check_deployment
from sabir.languages.ccp.model.deployment import load_deployment
from sabir.languages.ccp.model.templates import ContainerTemplates
from sabir.languages.language import EvaluationRequest
from sabir.source.packages import MemoryPackage, load_package
from tests.conformance.runner.kubernetes_schema import schema_problems
from tests.support.files import write_files

FILES = {
    "fuel-ccp-queue/service/queue.yaml": """\
dsl_version: 0.4.0
service:
  name: queue
  kind: StatefulSet
  ports:
    - {{ queue.port }}
    # {% if queue.metrics.enabled %}
    - {{ queue.metrics.port }}
    # {% endif %}
  annotations:
    service:
      prometheus.io/port: "{{ queue.metrics.port.cont }}"
  containers:
    - name: queue
      image: queue
      probes:
        readiness: "true"
        liveness:
          command: "true"
          type: "exec"
      volumes:
        - name: state
          type: host
          path: "/var/lib/queue"
          readOnly: false
      daemon:
        command: >-
          queue-server --listen {{ queue.port.cont }}
          {% if queue.tls.enabled -%}
          --tls
          {%- endif %}
        files:
          - queue.conf
          # {% for peer in queue.peers %}
          - peer-{{ peer }}
          # {% endfor %}
files:
  queue.conf:
    path: /etc/queue/queue.conf
    content: queue.conf.j2
    perm: "0600"
  # {% for peer in queue.peers %}
  peer-{{ peer }}:
    path: /etc/queue/peers/{{ peer }}
    content: peer.j2
  # {% endfor %}
""",
    "fuel-ccp-queue/service/files/queue.conf.j2": "url = {{ queue_macros.url(queue.port) }}\nnode = {{ node_name }}\n",
    "fuel-ccp-queue/service/files/peer.j2": "x\n",
    "fuel-ccp-queue/service/actions/cleanup.yaml": "actions:\n  - {name: cleanup, image: queue, command: clean-up}\n",
    "fuel-ccp-queue/service/files/defaults.yaml": """\
configs:
  queue:
    port: {cont: 5672, node: 30672}
    metrics: {enabled: true, port: {cont: 9100}}
    tls: {enabled: false}
    peers: [a, b]
versions: {queue_version: 1.2}
""",
    "fuel-ccp-queue/exports/queue_macros.j2": """\
{% macro url(port) -%}
{{ address("queue", port, with_scheme=True) }}
{%- endmacro %}
""",
    "fuel-ccp-api/service/api.yaml": """\
dsl_version: 0.6.0
service:
  name: api
  ports:
    - {{ api.port }}
  containers:
    - name: api
      image: api
      pre:
        - name: api-register
          type: single
          command: register {{ address('api', api.port, external=True, with_scheme=True) }}
          dependencies:
            - queue
        - name: api-wait
          command: wait-for {{ address('queue') }}
          dependencies:
            - queue:local
      daemon:
        command: api --workers {{ api.workers }}
        dependencies:
          - queue
""",
    "fuel-ccp-api/service/files/defaults.yaml": "configs: {api: {port: {cont: 8000, ingress: api}, workers: 4}}\n",
    "fuel-ccp-api/docker/api/Dockerfile.j2": "FROM {{ image_spec('base') }}\n",
    "ccp.yaml": """\
kubernetes: {namespace: demo, cluster_nodes: [node1, node2]}
images: {namespace: prod, tag: '7'}
configs: {ingress: {enabled: true, domain: example.org}}
nodes:
  node1: {roles: [back]}
  node[1-2]: {roles: [front], configs: {api: {workers: 8}}}
roles: {front: [api], back: [queue, rpc]}
services: {rpc: {service_def: queue, configs: {queue: {port: {cont: 5673, node: 30673}, peers: [c]}}}}
""",
}


def _objects() -> dict[str, Any]:
    rendering = LANGUAGE.renderers()["kubernetes"]
    from sabir.languages.language import RenderRequest

    result = rendering(MemoryPackage(FILES), EvaluationRequest(), RenderRequest())
    assert not [finding for finding in result.findings if finding.code.startswith("CCP:E")]
    loaded = [yaml.safe_load(text) for name, text in result.files.items() if name != "kustomization.yaml"]
    return {f"{one['kind']}/{one['metadata']['name']}": one for one in loaded}


def test_everything_is_rendered_and_valid() -> None:
    found = _objects()
    assert schema_problems(list(found.values())) == []
    assert found["Deployment/api"]["metadata"]["labels"]["ccp-component"] == "api"
    assert found["Deployment/api"]["spec"]["template"]["spec"]["containers"][0]["image"] == "prod/api:7"
    assert {
        "StatefulSet/queue",
        "StatefulSet/rpc",
        "Service/queue-external",
        "Job/api-api-register",
    } <= found.keys()
    assert found["Service/rpc-external"]["spec"]["ports"][0]["nodePort"] == 30673
    assert "https://api.example.org:8443" in found["ConfigMap/api-role"]["data"]["api-register"]
    assert "queue-server --listen 5673" in found["ConfigMap/rpc-role"]["data"]["queue"]
    assert set(found["ConfigMap/rpc-files"]["data"]) == {"queue.conf", "peer-c"}


def test_files_use_the_macros_of_all_components() -> None:
    checked = check_deployment(load_deployment(MemoryPackage(FILES)))
    assert checked.resolved is not None
    templates = ContainerTemplates(checked.resolved)
    unit = checked.resolved.units.all["rpc/queue"]
    written = {file.name: file.text for file in templates.files(unit, templates.variables(unit, "node1"))}
    expected = "url = http://queue.demo.svc.cluster.local:5673\nnode = node1"
    assert written["queue.conf"] == expected


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_files(tmp_path / "repositories", FILES)
    return tmp_path


def test_on_disk(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(folder / "repositories")]) == 0
    assert main(["render", str(folder / "repositories"), "--to", "dependencies", "-q"]) == 0
    assert capfd.readouterr().out.endswith("api: queue\nqueue:\nrpc:\n")


def test_a_configuration_names_its_repositories(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    config = folder / "deploy.yaml"
    lines = "repositories: {path: repositories, repos: [{name: fuel-ccp-queue}, {name: fuel-ccp-api}]}\n"
    config.write_text((folder / "repositories" / "ccp.yaml").read_text() + lines)
    assert main(["render", str(config), "--to", "start-order", "-q"]) == 0
    assert capfd.readouterr().out == "1. queue/queue, rpc/queue\n2. api/api-register\n3. api/api\n"


def test_one_definition_alone(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The component around the file is read; what it waits for elsewhere is not there."""
    definition = folder / "repositories/fuel-ccp-api/service/api.yaml"
    assert main(["check", str(definition)]) == 1
    assert "CCP:E040" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (FILES, True),
        ({"service/web.yaml": "service:\n  name: web\n"}, True),
        ({"service/web.yaml": "openapi: 3\n"}, False),
        ({"service/web.yaml": "service:\n", "manifest.yaml": "Format: '1.0'"}, False),
        ({"main.cf": "x"}, False),
    ],
)
def test_recognised(files: dict[str, str], *, expected: bool) -> None:
    assert LANGUAGE.recognises(MemoryPackage(files)) is expected


def test_a_component_of_a_folder(folder: Path) -> None:
    package = load_package(folder / "repositories" / "fuel-ccp-queue")
    assert load_deployment(package).components[0].name == "queue"
