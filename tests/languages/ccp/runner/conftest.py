"""A real etcd for the tests of the runner, and pods that use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.languages.ccp.building import objects
from tests.languages.ccp.runner.cluster import Cluster, EtcdServer, container_python

QUICK = """
runner:
  dependency_timeout: 15
  poll_interval: 0.1
  daemon_grace: 0.3
  status_ttl: 3
  etcd_timeout: 2
"""


@pytest.fixture
def etcd(tmp_path: Path) -> Iterator[EtcdServer]:
    server = EtcdServer(tmp_path / "etcd")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def image_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return container_python(tmp_path_factory.mktemp("image") / "venv")


Deploy = Callable[..., Cluster]


@pytest.fixture
def pods(tmp_path: Path, image_python: Path) -> Iterator[Deploy]:
    """Render a component and stand by to run its pods with an environment; `quick` changes the runner's patience."""
    clusters: list[Cluster] = []

    def make(
        files: Mapping[str, str],
        *,
        environment: Mapping[str, str],
        configs: str = "",
        quick: str = QUICK,
        sections: str = "",
    ) -> Cluster:
        lines = ["configs:", *("  " + line for line in (quick + configs).strip("\n").splitlines()), sections]
        rendered = objects(files, "\n".join(lines) + "\n")
        cluster = Cluster(tmp_path / f"pods{len(clusters)}", rendered, environment, image_python)
        clusters.append(cluster)
        return cluster

    yield make
    for cluster in clusters:
        cluster.stop()


@pytest.fixture
def deploy(etcd: EtcdServer, pods: Deploy) -> Deploy:
    """Pods that are told where the etcd of the test is."""

    def make(files: Mapping[str, str], **options: Any) -> Cluster:
        environment = {"CCP_ETCD_ENDPOINTS": etcd.url, **options.pop("environment", {})}
        return pods(files, environment=environment, **options)

    return make
