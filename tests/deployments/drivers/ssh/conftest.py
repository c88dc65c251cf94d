from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.deployments.sshd import Sshd, sshd, why_not


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    with sshd(tmp_path_factory.mktemp("sshd")) as running:
        yield running
