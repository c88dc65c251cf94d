"""The runner and the etcds that real deployments have: with TLS, with several members, frozen, emptied."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.languages.ccp.building import service
from tests.languages.ccp.runner.authority import Authority, Pair
from tests.languages.ccp.runner.cluster import EtcdServer, free_port, until
from tests.languages.ccp.runner.conftest import QUICK, Deploy

pytestmark = pytest.mark.slow

SLEEPS = "command: exec sleep 60"
READY = "/ccp/ccp/status/global/{}/ready"


@pytest.fixture
def servers() -> Iterator[list[EtcdServer]]:
    started: list[EtcdServer] = []
    yield started
    for server in started:
        server.stop()


def _tls_words(folder: Path, pair: Pair) -> list[str]:
    folder.mkdir(exist_ok=True)
    (folder / "server.pem").write_text(pair.certificate)
    (folder / "server.key").write_text(pair.key)
    return [f"--cert-file={folder / 'server.pem'}", f"--key-file={folder / 'server.key'}"]


@pytest.mark.parametrize("secure", [True, False])
def test_in_the_pod_of_etcd_itself(
    tmp_path: Path, pods: Deploy, servers: list[EtcdServer], *, secure: bool
) -> None:
    """With TLS it also listens in plain text, on the loopback address; without, on the address of its pod alone."""
    port = free_port()
    address = f"http://127.0.0.2:{port}"
    urls, words = [address], []
    if secure:
        urls = [f"http://127.0.0.1:{port}", f"https://127.0.0.2:{port}"]
        words = _tls_words(tmp_path / "tls", Authority().pair("*.ccp.svc.cluster.local"))
    server = EtcdServer(tmp_path / "etcd", urls, words=words)
    servers.append(server)
    server.start()
    configs = f"etcd: {{client_port: {{cont: {port}}}, tls: {{enabled: {json.dumps(secure)}}}}}\n"
    cluster = pods(
        {"etcd": service("etcd", daemon=SLEEPS)}, environment={"CCP_POD_IP": "127.0.0.2"}, configs=configs
    )
    etcd = cluster.pod("Deployment/etcd", "etcd").start()
    until(etcd.probe, "the pod of etcd is ready")
    assert server.has(READY.format("etcd/etcd"))


def test_client_certificates(tmp_path: Path, pods: Deploy, servers: list[EtcdServer]) -> None:
    authority = Authority()
    port = free_port()
    (tmp_path / "ca.pem").write_text(authority.certificate)
    words = [
        *_tls_words(tmp_path / "tls", authority.pair("localhost", "127.0.0.1")),
        *("--client-cert-auth", f"--trusted-ca-file={tmp_path / 'ca.pem'}"),
    ]
    server = EtcdServer(tmp_path / "etcd", [f"https://127.0.0.1:{port}"], words=words)
    servers.append(server)
    server.start(wait=False)
    client = authority.pair("runner")
    texts = {"ca_cert": authority.certificate, "client_cert": client.certificate, "client_key": client.key}
    endpoints = {"CCP_ETCD_ENDPOINTS": server.url}
    files = {"web": service("web", daemon=SLEEPS)}
    sections = json.dumps({"etcd": {"tls": texts}})
    with_pair = pods(files, environment=endpoints, sections=f"secret_configs: {sections}")
    web = with_pair.pod("Deployment/web", "web").start()
    until(web.probe, "web is ready")
    short = QUICK.replace("etcd_timeout: 2", "etcd_timeout: 2\n  etcd_retry: 1")
    foreign = json.dumps({"etcd": {"tls": {**texts, "ca_cert": Authority().certificate}}})
    refusing = pods(files, environment=endpoints, sections=f"secret_configs: {foreign}", quick=short)
    stranger = refusing.pod("Deployment/web", "web").start()
    assert stranger.wait() == 1
    assert "CERTIFICATE_VERIFY_FAILED" in stranger.text()


def test_a_member_may_go(tmp_path: Path, pods: Deploy, servers: list[EtcdServer]) -> None:
    peers = {name: f"http://127.0.0.1:{free_port()}" for name in ("a", "b", "c")}
    servers += [EtcdServer(tmp_path / name, name=name, peers=peers) for name in peers]
    for server in servers:
        server.start(wait=False)
    for server in servers:
        server.await_answer()
    endpoints = ",".join(server.url for server in servers)
    cluster = pods({"web": service("web", daemon=SLEEPS)}, environment={"CCP_ETCD_ENDPOINTS": endpoints})
    web = cluster.pod("Deployment/web", "web").start()
    until(web.probe, "web is ready")
    servers[0].stop()
    time.sleep(3)  # as long as the keys live without being kept
    until(web.probe, "web is still ready")
    assert servers[1].has(READY.format("web/web"))


def test_what_etcd_lost_is_written_again(tmp_path: Path, deploy: Deploy, etcd: EtcdServer) -> None:
    """Its own keys by each runner, and those of finished Jobs by the runners that saw them done."""
    container = "pre:\n- {name: sync, type: single, command: 'true'}\n"
    cluster = deploy({"web": service("web", container=container, daemon=SLEEPS)})
    assert cluster.pod("Job/web-sync", "sync").start().wait() == 0
    web = cluster.pod("Deployment/web", "web").start()
    until(web.probe, "web is ready")
    etcd.stop()
    etcd.lose_data()
    etcd.start()
    until(lambda: etcd.has(READY.format("web/sync")), "the Job counts as done again")
    until(web.probe, "web is ready again")
    assert cluster.pod("Deployment/web", "web", node="node2").start().process is not None


def test_etcd_frozen(deploy: Deploy, etcd: EtcdServer) -> None:
    cluster = deploy({"web": service("web", daemon=SLEEPS)})
    web = cluster.pod("Deployment/web", "web").start()
    until(web.probe, "web is ready")
    etcd.signal(signal.SIGSTOP)
    assert not web.probe()
    assert web.process is not None
    assert web.process.poll() is None
    etcd.signal(signal.SIGCONT)
    until(web.probe, "web is ready again")
    etcd.signal(signal.SIGSTOP)
    began = time.monotonic()
    web.signal(signal.SIGTERM)
    assert web.wait() == 128 + signal.SIGTERM
    assert time.monotonic() - began < 10


def test_etcd_lost(deploy: Deploy, etcd: EtcdServer) -> None:
    """It never comes back: the daemon goes on, and ends when it is told to."""
    web = deploy({"web": service("web", daemon=SLEEPS)}).pod("Deployment/web", "web").start()
    until(web.probe, "web is ready")
    etcd.stop()
    until(lambda: not web.probe(), "nobody counts on it")
    assert web.process is not None
    assert web.process.poll() is None
    began = time.monotonic()
    web.signal(signal.SIGTERM)
    assert web.wait() == 128 + signal.SIGTERM
    assert time.monotonic() - began < 10


def test_one_of_two_replicas_may_go(deploy: Deploy, etcd: EtcdServer) -> None:
    cluster = deploy({"web": service("web", daemon=SLEEPS)})
    first, second = (cluster.pod("Deployment/web", "web", node=node).start() for node in ("node1", "node2"))
    until(lambda: first.probe() and second.probe(), "both are ready")
    first.signal(signal.SIGTERM)
    first.wait()
    assert etcd.has(READY.format("web/web"))
    assert not etcd.has("/ccp/ccp/status/node1/web/web/ready")
    assert etcd.has("/ccp/ccp/status/node2/web/web/ready")


def test_a_check_that_fails_later_is_told_at_once(tmp_path: Path, deploy: Deploy, etcd: EtcdServer) -> None:
    (tmp_path / "well").touch()
    container = f"probes: {{readiness: test -e {tmp_path}/well}}\n"
    web = deploy({"web": service("web", container=container, daemon=SLEEPS)}).pod("Deployment/web", "web")
    web.start()
    until(web.probe, "web is ready")
    (tmp_path / "well").unlink()
    assert not web.probe()
    assert not etcd.has(READY.format("web/web"))


def test_keys_go_before_the_daemon_does(deploy: Deploy, etcd: EtcdServer) -> None:
    """A daemon that ignores TERM is killed when its grace is over; nobody counts on it any longer by then."""
    script = "trap '' TERM; while :; do sleep 0.1; done"
    quick = QUICK + "  stop_grace: 2\n"
    web = deploy({"web": service("web", daemon=f'command: "{script}"')}, quick=quick)
    pod = web.pod("Deployment/web", "web").start()
    until(pod.probe, "web is ready")
    pod.signal(signal.SIGTERM)
    until(lambda: not etcd.has(READY.format("web/web")), "its keys are gone", seconds=1.5)
    assert pod.process is not None
    assert pod.process.poll() is None
    assert pod.wait(5) == 128 + signal.SIGKILL


def test_a_job_that_runs_again_is_not_done_yet(tmp_path: Path, deploy: Deploy, etcd: EtcdServer) -> None:
    container = f"pre:\n- {{name: sync, type: single, command: 'while ! test -e {tmp_path}/go; do sleep 0.1; done'}}\n"
    cluster = deploy({"web": service("web", container=container, daemon=SLEEPS)})
    (tmp_path / "go").touch()
    assert cluster.pod("Job/web-sync", "sync").start().wait() == 0
    (tmp_path / "go").unlink()
    again = cluster.pod("Job/web-sync", "sync").start()
    until(lambda: not etcd.has(READY.format("web/sync")), "the earlier success does not count")
    (tmp_path / "go").touch()
    assert again.wait() == 0
    assert etcd.has(READY.format("web/sync"))
