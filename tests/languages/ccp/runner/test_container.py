"""The runner as the first process of a container: orphans, probes, credentials, commands that are templates."""

from __future__ import annotations

import ctypes
import http.server
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.languages.ccp.building import service
from tests.languages.ccp.runner.authority import Authority, Pair
from tests.languages.ccp.runner.cluster import EtcdServer, Pod, until
from tests.languages.ccp.runner.conftest import Deploy

pytestmark = pytest.mark.slow

SLEEPS = "command: exec sleep 60"
_BECOME_FIRST = "import ctypes, os, sys; ctypes.CDLL(None).prctl(36, 1); os.execv(sys.argv[1], sys.argv[1:])"
"""A process that orphans below it come to, as they come to the first process of a container."""


def _start_as_first(pod: Pod) -> None:
    with pod.log.open("ab") as log:
        pod.process = subprocess.Popen(
            [sys.executable, "-c", _BECOME_FIRST, *pod.words(pod.spec["command"])],
            env=pod.environment,
            stdout=log,
            stderr=log,
        )


def _children(process: int) -> list[tuple[int, str]]:
    """Process ids and states of the children of a process."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,stat=", "--ppid", str(process)], capture_output=True, text=True, check=False
    )
    rows = (line.split() for line in listed.stdout.splitlines())
    return [(int(pid), state) for pid, state in rows]


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "prctl"), reason="orphans are given to a process on Linux only"
)
def test_orphans_are_taken_in(tmp_path: Path, deploy: Deploy) -> None:
    script = f"for i in 1 2 3; do (sh -c 'sleep 0.3; touch {tmp_path}/ended' &) ; done; exec sleep 60"
    web = deploy({"web": service("web", daemon=f'command: "{script}"')}).pod("Deployment/web", "web")
    _start_as_first(web)
    until(web.probe, "web is ready")
    until((tmp_path / "ended").exists, "the orphans ended")
    assert web.process is not None
    runner = web.process.pid
    until(lambda: len(_children(runner)) == 1, "only the daemon is left")
    assert not any(state.startswith("Z") for _, state in _children(runner))


def _may_unshare() -> bool:
    words = ["unshare", "--pid", "--fork", "true"]
    return (
        bool(shutil.which("unshare"))
        and not subprocess.run(words, capture_output=True, check=False).returncode
    )


@pytest.mark.skipif(not _may_unshare(), reason="namespaces of processes are Linux's, and mostly root's")
def test_as_process_1(tmp_path: Path, deploy: Deploy, etcd: EtcdServer) -> None:
    """The kernel gives it all orphans, and no signal that it does not ask for."""
    script = f"(sh -c 'sleep 0.3; touch {tmp_path}/ended' &); trap 'sleep 3; exit 7' TERM; while :; do sleep 0.1; done"
    web = deploy({"web": service("web", daemon=f'command: "{script}"')}).pod("Deployment/web", "web")
    with web.log.open("ab") as log:
        words = ["unshare", "--pid", "--fork", "--kill-child", *web.words(web.spec["command"])]
        web.process = subprocess.Popen(words, env=web.environment, stdout=log, stderr=log)
    until(web.probe, "web is ready")
    until((tmp_path / "ended").exists, "the orphan ended")
    ((runner, _),) = _children(web.process.pid)
    until(lambda: len(_children(runner)) == 1, "only the daemon is left")
    os.kill(runner, signal.SIGTERM)
    key = "/ccp/ccp/status/global/web/web/ready"
    until(lambda: not etcd.has(key), "its keys are gone", seconds=2.5)
    assert web.process.poll() is None
    assert web.wait() == 7


class _Hello(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/v3" else 503)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        del format, args


@contextmanager
def _daemon(address: str, folder: Path, pair: Pair | None) -> Iterator[int]:
    """A web server, with TLS when it has a certificate; its port."""
    server = http.server.HTTPServer((address, 0), _Hello)
    if pair is not None:
        (folder / "pair.pem").write_text(pair.key + pair.certificate)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "pair.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


AUTHORITY = Authority()


@pytest.mark.parametrize(
    ("address", "scheme", "path", "options", "authority", "ready"),
    [
        ("127.0.0.1", "http", "/v3", "", AUTHORITY, True),
        ("127.0.0.2", "http", "/v3", "", AUTHORITY, True),
        ("127.0.0.2", "http", "/down", "", AUTHORITY, False),
        ("127.0.0.2", "https", "/v3", "", Authority(), True),
        ("127.0.0.1", "https", "/v3", "", None, True),
        ("127.0.0.2", "https", "/v3", "verify_probes: true", AUTHORITY, True),
        ("127.0.0.2", "https", "/v3", "verify_probes: true", Authority(), False),
    ],
)
def test_http_probes(
    tmp_path: Path,
    deploy: Deploy,
    address: str,
    scheme: str,
    path: str,
    options: str,
    authority: Authority | None,
    *,
    ready: bool,
) -> None:
    """Daemons listen on the address of the pod or on the loopback address; their certificates are for neither."""
    pair = AUTHORITY.pair("web.ccp.svc.cluster.local") if scheme == "https" else None
    certificate = "" if authority is None else authority.certificate
    sections = "secret_configs: " + json.dumps({"security": {"tls": {"ca_cert": certificate}}})
    with _daemon(address, tmp_path, pair) as port:
        probe = f"{{type: httpGet, path: {path}, port: {port}, scheme: {scheme}}}"
        files = {"web": service("web", container=f"probes: {{readiness: {probe}}}\n", daemon=SLEEPS)}
        cluster = deploy(
            files,
            environment={"CCP_POD_IP": "127.0.0.2"},
            configs=f"  {options}\n" if options else "",
            sections=sections,
        )
        web = cluster.pod("Deployment/web", "web").start()
        until(lambda: web.probe() or "the readiness check fails" in web.text(), "the probe has an answer")
        assert web.probe() is ready


ACCOUNT = """
openstack: {user_name: admin, user_password: pass word, project_name: operators}
keystone: {admin_port: {cont: 35357}, tls: {enabled: true}}
"""


@pytest.mark.parametrize(
    ("command", "options", "expected"),
    [
        ("openstack token issue", "", "admin/pass word/operators/https://keystone.ccp.svc.cluster.local:35357/v3"),
        ("LANG=C openstack token issue", "", "admin/pass word/operators/https://keystone.ccp.svc.cluster.local:35357/v3"),
        ("sh -c openstack", "", "///"),
        ("openstack token issue", "  credentials: []\n", "///"),
        ("sh -c openstack", "  credentials: [sh]\n", "admin/pass word/operators/https://keystone.ccp.svc.cluster.local:35357/v3"),
    ],
)  # fmt: skip
def test_clients_get_credentials(
    tmp_path: Path, deploy: Deploy, command: str, options: str, expected: str
) -> None:
    client = tmp_path / "bin" / "openstack"
    client.parent.mkdir()
    client.write_text(
        f'#!/bin/sh\necho "$OS_USERNAME/$OS_PASSWORD/$OS_PROJECT_NAME/$OS_AUTH_URL" > {tmp_path}/account\n'
    )
    client.chmod(0o755)
    container = f"pre:\n- {{name: ask, type: single, command: '{command}'}}\n"
    cluster = deploy(
        {"web": service("web", container=container)},
        environment={"PATH": f"{client.parent}:/usr/bin:/bin"},
        configs=options + ACCOUNT,
    )
    assert cluster.pod("Job/web-ask", "ask").start().wait() == 0
    assert (tmp_path / "account").read_text().strip() == expected


def test_commands_are_templates(tmp_path: Path, deploy: Deploy, etcd: EtcdServer) -> None:
    """What the definition protects is rendered in the container, where more is known."""
    said = "{% raw %}{{ network_topology.private.address }} {{ memory_limit }} {{ node_name }}{% endraw %}"
    container = f"pre:\n- {{name: say, type: single, command: 'echo {said} > {tmp_path}/said'}}\n"
    environment = {"CCP_POD_IP": "192.0.2.7", "MEMORY_LIMIT": "1024"}
    cluster = deploy({"web": service("web", container=container)}, environment=environment)
    assert cluster.pod("Job/web-say", "say", node="node3").start().wait() == 0
    assert (tmp_path / "said").read_text().strip() == "192.0.2.7 1024 node3"
    assert etcd.has("/ccp/ccp/status/global/web/say/ready")
