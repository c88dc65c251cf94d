"""The service as an object."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from sabir.errors import DeployError
from sabir.server.service import SabirService
from sabir.server.settings import ServerSettings


def _open_files() -> list[Path]:
    """Return the files that this process holds open."""
    return [entry.readlink() for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink()]


def test_a_database_of_a_newer_service_is_closed(tmp_path: Path) -> None:
    settings = ServerSettings(data=tmp_path)
    first = SabirService(settings)
    with first.database.engine.begin() as connection:
        connection.execute(text("update sabir_meta set value = '99' where name = 'service'"))
    first.database.close()
    with pytest.raises(DeployError, match="newer sabir") as caught:
        SabirService(settings)
    assert not [file for file in _open_files() if file.is_relative_to(tmp_path)]
    del caught
