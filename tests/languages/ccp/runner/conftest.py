"""A real etcd for the tests of the runner, and pods that use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

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
    folder = tmp_path / "etcd"
    folder.mkdir()
    server = EtcdServer(folder)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def image_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return container_python(tmp_path_factory.mktemp("image") / "venv")


Deploy = Callable[..., Cluster]


@pytest.fixture
def deploy(tmp_path: Path, etcd: EtcdServer, image_python: Path) -> Iterator[Deploy]:
    """Render a component and stand by to run its pods; `quick` changes the runner's patience."""
    clusters: list[Cluster] = []

    def make(files: Mapping[str, str], *, configs: str = "", quick: str = QUICK) -> Cluster:
        lines = ["configs:", *("  " + line for line in (quick + configs).strip("\n").splitlines())]
        rendered = objects(files, "\n".join(lines) + "\n")
        cluster = Cluster(tmp_path / f"pods{len(clusters)}", rendered, etcd.url, image_python)
        clusters.append(cluster)
        return cluster

    yield make
    for cluster in clusters:
        cluster.stop()
