"""Stores that the tests of deployments run on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.deployments.postgresql import PostgreSQL, postgresql, why_not

_numbers = count()


@pytest.fixture(scope="session")
def server() -> Iterator[PostgreSQL]:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    with postgresql() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place for a state, on each store."""
    if request.param == "sqlite":
        return str(tmp_path / "state.db")
    server: PostgreSQL = request.getfixturevalue("server")
    return server.database(f"t{next(_numbers)}")
