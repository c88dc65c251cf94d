"""The service as an object."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from sabir.errors import DeployError
from sabir.server.service import SabirService
from sabir.server.settings import ServerSettings
from tests.support.files import open_files


def test_a_database_of_a_newer_service_is_closed(tmp_path: Path) -> None:
    settings = ServerSettings(data=tmp_path)
    first = SabirService(settings)
    with first.database.engine.begin() as connection:
        connection.execute(text("update sabir_meta set value = '99' where name = 'service'"))
    first.database.close()
    with pytest.raises(DeployError, match="newer sabir") as caught:
        SabirService(settings)
    assert open_files(tmp_path) == []
    del caught
