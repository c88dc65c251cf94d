"""Where the service listens, and what it says when it cannot."""

from __future__ import annotations

import os
import socket
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from sabir.cli.main import main
from sabir.errors import UsageError
from sabir.server.run import open_socket, server_url
from sabir.server.service import SabirService
from sabir.server.settings import ServerSettings
from tests.support.files import open_files


def _sockets() -> set[str]:
    """Return the sockets that this process holds open."""
    entries = [entry for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink()]
    return {name for name in map(os.readlink, entries) if name.startswith("socket:")}


def test_a_port_that_is_taken_leaves_the_data_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["serve", str(tmp_path / "data"), "--port", str(port)]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"sabir: cannot listen on 127.0.0.1 port {port}: another program listens there")
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    "damage",
    ["update sabir_meta set value = '99' where name = 'service'", "drop table service_token"],
    ids=["newer", "damaged"],
)
def test_a_service_that_cannot_start_closes_its_socket_and_its_database(damage: str, tmp_path: Path) -> None:
    settings = ServerSettings(data=tmp_path / "data")
    with closing(SabirService(settings)) as service, service.database.engine.begin() as connection:
        connection.execute(text(damage))
    sockets = _sockets()
    assert main(["serve", str(settings.data), "--port", "0"]) != 0
    assert open_files(tmp_path) == []
    assert _sockets() == sockets


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"port": 65536}, "no port 65536"),
        ({"host": "203.0.113.7", "port": 0}, "cannot listen on 203.0.113.7"),
    ],
    ids=lambda value: str(value),
)
def test_a_place_that_is_none(settings: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        open_socket(ServerSettings(data=tmp_path, **settings))  # type: ignore[arg-type]


def test_the_address_has_the_port_that_the_system_chose(tmp_path: Path) -> None:
    settings = ServerSettings(data=tmp_path, port=0)
    with open_socket(settings) as listening:
        assert server_url(settings, listening) == f"http://127.0.0.1:{listening.getsockname()[1]}"
