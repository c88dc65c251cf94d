"""Locations of a state."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.deployments.store.store import StateStore
from sabir.errors import DeployError, UsageError


def test_places_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="SQLite or PostgreSQL"):
        StateStore.open("mysql://localhost/x", "env")
    (tmp_path / "file").write_text("no database at all, but long enough to look like one" * 20)
    with pytest.raises(DeployError, match="cannot be opened"):
        StateStore.open(str(tmp_path / "file"), "env")
