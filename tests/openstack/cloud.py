"""A real cloud for tests, as far as one fits on a machine: Keystone, and Heat with its engine, on SQLite and loopback.

`SABIR_TEST_OPENSTACK` names a virtual environment that holds `keystone` and `openstack-heat`; `make endure` makes one.
Nova, Neutron and the others are not there: templates use what Heat has of its own (`OS::Heat::*`).
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest
from msgspec import Struct

__all__ = ["CLOUDS", "PASSWORD", "Cloud", "cloud"]

PASSWORD = "canary-of-the-cloud"
_SERVERS = Path(__file__).parent / "servers"

_KEYSTONE = """\
[DEFAULT]
use_stderr = true
[database]
connection = sqlite:///{folder}/keystone.db
[token]
provider = fernet
[fernet_tokens]
key_repository = {folder}/fernet
[credential]
key_repository = {folder}/credential
"""
_HEAT = """\
[DEFAULT]
host = cloud
use_stderr = true
transport_url = fake://
auth_encryption_key = 0123456789abcdef0123456789abcdef
deferred_auth_method = password
stack_domain_admin = admin
stack_domain_admin_password = {password}
stack_user_domain_name = Default
environment_dir = {folder}/none
region_name_for_services = here
[database]
connection = sqlite:///{folder}/heat.db
[paste_deploy]
api_paste_config = {paste}
[keystone_authtoken]
www_authenticate_uri = {keystone}
auth_url = {keystone}
auth_type = password
username = admin
password = {password}
project_name = admin
user_domain_name = Default
project_domain_name = Default
[clients_keystone]
auth_uri = {keystone}
[trustee]
auth_type = password
auth_url = {keystone}
username = admin
password = {password}
user_domain_id = default
"""
CLOUDS = """\
clouds:
  here: &here
    region_name: here
    auth: &auth
      auth_url: {keystone}
      username: admin
      password: {password}
      project_name: admin
      user_domain_id: default
      project_domain_id: default
  refused: {{<<: *here, auth: {{<<: *auth, password: wrong}}}}
  nobody: {{<<: *here, auth: {{<<: *auth, auth_url: "http://127.0.0.1:1/v3"}}}}
"""
"""`here`, one with a wrong password, and one where nobody listens."""


class Cloud(Struct):
    clouds: Path
    """Its `clouds.yaml`, which names `here`, `refused` and `nobody`."""


@contextmanager
def cloud(folder: Path) -> Iterator[Cloud]:
    home = os.environ.get("SABIR_TEST_OPENSTACK")
    if not home:
        pytest.skip("SABIR_TEST_OPENSTACK names no environment with Heat; `make endure` makes one")
    bin_folder = Path(home).absolute() / "bin"
    keystone_port, heat_port = _free_port(), _free_port()
    keystone, heat = f"http://127.0.0.1:{keystone_port}/v3", f"http://127.0.0.1:{heat_port}"
    paste = Path(home).absolute() / "etc" / "heat" / "api-paste.ini"
    (folder / "keystone.conf").write_text(_KEYSTONE.format(folder=folder))
    (folder / "heat.conf").write_text(
        _HEAT.format(folder=folder, password=PASSWORD, keystone=keystone, paste=paste)
    )
    (folder / "clouds.yaml").write_text(CLOUDS.format(keystone=keystone, password=PASSWORD))
    _prepare(folder, bin_folder, keystone)
    with ExitStack() as running:
        running.enter_context(_server(folder, bin_folder, "keystone", keystone_port))
        _register_heat(folder, bin_folder, heat)
        running.enter_context(_server(folder, bin_folder, "heat", heat_port))
        yield Cloud(folder / "clouds.yaml")


def _prepare(folder: Path, bin_folder: Path, keystone: str) -> None:
    """Tables, keys and the first user. Keystone and Heat do not wait for each other."""
    configured = [str(bin_folder / "keystone-manage"), "--config-file", str(folder / "keystone.conf")]
    owner = ["--keystone-user", str(os.getuid()), "--keystone-group", str(os.getgid())]
    heat = subprocess.Popen(
        [str(bin_folder / "heat-manage"), "--config-file", str(folder / "heat.conf"), "db_sync"],
        stderr=subprocess.DEVNULL,
    )
    for command in (
        ["db_sync"],
        ["fernet_setup", *owner],
        ["credential_setup", *owner],
        ["bootstrap", "--bootstrap-password", PASSWORD, "--bootstrap-region-id", "here"]
        + [f"--bootstrap-{kind}-url={keystone}" for kind in ("public", "internal", "admin")],
    ):
        subprocess.run([*configured, *command], check=True, stderr=subprocess.DEVNULL, timeout=120)
    assert heat.wait(120) == 0


def _register_heat(folder: Path, bin_folder: Path, heat: str) -> None:
    """Tell the catalogue where Heat is, with the client that comes with it."""
    script = (
        "import sys, openstack\n"
        "cloud = openstack.connect(cloud='here')\n"
        "service = cloud.identity.create_service(name='heat', type='orchestration')\n"
        "cloud.identity.create_endpoint(service_id=service.id, interface='public', region_id='here', url=sys.argv[1])\n"
        "cloud.identity.create_role(name='heat_stack_user')\n"
    )
    environment = {**os.environ, "OS_CLIENT_CONFIG_FILE": str(folder / "clouds.yaml")}
    subprocess.run(
        [str(bin_folder / "python"), "-c", script, f"{heat}/v1/%(project_id)s"],
        check=True,
        env=environment,
        timeout=120,
    )


@contextmanager
def _server(folder: Path, bin_folder: Path, name: str, port: int) -> Iterator[None]:
    log = folder / f"{name}.log"
    command = [
        str(bin_folder / "python"),
        str(_SERVERS / f"run_{name}.py"),
        str(port),
        str(folder / f"{name}.conf"),
    ]
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
    try:
        _wait(port, process, log)
        yield
    finally:
        process.kill()
        process.wait(10)


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        try:
            with urlopen(f"http://127.0.0.1:{port}/", timeout=5):
                return
        except HTTPError:
            return  # it answers, and that is enough
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(f"it does not answer: {log.read_text()[-3000:]}")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
