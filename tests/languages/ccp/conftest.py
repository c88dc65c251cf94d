"""A control plane for the tests of this folder, and a stand-in for the node that would run its pods."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.control_plane import NodeStandIn, control_plane


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[NodeStandIn, Path]]:
    with control_plane(tmp_path_factory.mktemp("cluster")) as kubeconfig, NodeStandIn(kubeconfig) as stand_in:
        yield stand_in, kubeconfig
