"""Where the service listens, and what it says when it cannot."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from sabir.cli.main import main
from sabir.errors import UsageError
from sabir.server.run import open_socket, server_url
from sabir.server.settings import ServerSettings


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
