"""A service in a folder of its own, and clients with tokens."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from sabir.server.app import create_app
from sabir.server.service import SabirService
from sabir.server.settings import ServerSettings
from sabir.server.store.tokens import Role

MANIFEST = """\
Format: MuranoPL/1.3
Type: Application
FullName: org.example.Web
Name: Web
Description: A web server
Author: Example
Tags: [web, http]
Classes:
  org.example.Web: Web.yaml
"""
CLASS = "Namespaces:\n  =: org.example\n  std: io.murano\nName: Web\nExtends: std:Application\n"
PACKAGE = {"manifest.yaml": MANIFEST, "Classes/Web.yaml": CLASS, "LICENSE": "x\n", "logo.png": "\x89PNG\r\n"}


def archive(files: Mapping[str, str] = PACKAGE) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return buffer.getvalue()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SabirService]:
    running = SabirService(ServerSettings(data=tmp_path_factory.mktemp("service")))
    yield running
    running.close()


@pytest.fixture(scope="session")
def client(service: SabirService) -> Iterator[TestClient[Litestar]]:
    with TestClient(create_app(service.settings, service)) as connected:
        yield connected


@pytest.fixture
def headers(service: SabirService) -> Callable[..., dict[str, str]]:
    def make(role: Role = Role.ADMIN, **limits: Any) -> dict[str, str]:
        return {"Authorization": f"Bearer {service.tokens.create('tester', role, **limits)[1]}"}

    return make
