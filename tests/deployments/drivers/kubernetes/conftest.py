"""A control plane for the tests of this folder, with a namespace for each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sabir.deployments.drivers.kubernetes.connection import ClusterConnection
from sabir.deployments.drivers.kubernetes.driver import DRIVER
from sabir.resources.driver import DriverContext, RecordedState
from sabir.resources.target import Target
from tests.support.control_plane import NodeStandIn, control_plane


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeStandIn]:
    with control_plane(tmp_path_factory.mktemp("cluster")) as kubeconfig, NodeStandIn(kubeconfig) as node:
        node.kubeconfig = kubeconfig  # type: ignore[attr-defined]  # the fixture's own note
        yield node


@pytest.fixture
def namespace(node: NodeStandIn) -> str:
    created = node.request("POST", "/api/v1/namespaces", {"metadata": {"generateName": "test-"}})
    return str(created["metadata"]["name"])


@pytest.fixture
def on_cluster(node: NodeStandIn, namespace: str) -> Callable[..., Any]:
    kubeconfig: Path = node.kubeconfig  # type: ignore[attr-defined]  # as above

    def run(
        work: Callable[[ClusterConnection], Awaitable[Any]],
        *,
        recorded: RecordedState | None = None,
        **settings: Any,
    ) -> Any:
        async def connected() -> Any:
            merged = {"kubeconfig": str(kubeconfig), "namespace": namespace, "wait_seconds": 120, **settings}
            target = Target(name="cluster", driver="kubernetes", settings=merged)
            async with DRIVER.connect(
                target, DriverContext(environment="shop", recorded=recorded)
            ) as cluster:
                return await work(cluster)

        return asyncio.run(connected())

    return run
