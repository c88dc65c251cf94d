"""Which cluster a target means, and what its kubeconfig may not do."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.deployments.drivers.kubernetes.access import cluster_config
from sabir.errors import DeployError
from sabir.resources.driver import DriverContext
from sabir.resources.target import Target
from sabir.session import Session

KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{name: local, cluster: {server: "https://127.0.0.1:1"}}]
users:
- {name: admin, user: {token: t}}
- {name: outside, user: {exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: fetch-token}}}
contexts:
- {name: local, context: {cluster: local, user: admin, namespace: shop}}
- {name: exec, context: {cluster: local, user: outside}}
current-context: local
"""


def config_of(folder: Path, environment: dict[str, str], **settings: str) -> str:
    context = DriverContext(session=Session(environment=environment), folder=folder)
    target = Target(name="cluster", driver="kubernetes", settings=settings)
    return cluster_config(target, context).namespace


def test_a_named_file_lies_beside_the_environment(tmp_path: Path) -> None:
    (tmp_path / "config").write_text(KUBECONFIG)
    assert config_of(tmp_path, {}, kubeconfig="config") == "shop"


@pytest.mark.parametrize("variable", ["KUBECONFIG", "HOME"])
def test_the_operators_own_file(tmp_path: Path, variable: str) -> None:
    file = tmp_path / ".kube" / "config"
    file.parent.mkdir()
    file.write_text(KUBECONFIG)
    environment = {"KUBECONFIG": str(file)} if variable == "KUBECONFIG" else {"HOME": str(tmp_path)}
    assert config_of(tmp_path / "elsewhere", environment) == "shop"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"kubeconfig": "gone"}, "gone"),
        ({"kubeconfig": "config", "context": "locla"}, "locla"),
        ({"kubeconfig": "config", "context": "exec"}, "--trust scripts"),
        ({"kubeconfig": "broken"}, "broken"),
        ({}, "KUBECONFIG"),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path: Path, settings: dict[str, str], words: str) -> None:
    (tmp_path / "config").write_text(KUBECONFIG)
    (tmp_path / "broken").write_text("clusters: 1\n")
    with pytest.raises(DeployError, match=words):
        config_of(tmp_path, {}, **settings)
