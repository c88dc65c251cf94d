"""The runner against a real etcd: processes as pods would run them."""

from __future__ import annotations

import getpass
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from tests.languages.ccp.building import service
from tests.languages.ccp.runner.cluster import EtcdServer, until
from tests.languages.ccp.runner.conftest import QUICK, Deploy

pytestmark = pytest.mark.slow


def _shop(tmp_path: Path) -> dict[str, str]:
    """`app` waits for its Job, which waits for `db`, which runs local commands around its daemon."""
    note = f"echo %s >> {tmp_path / 'journal'}"
    return {
        "db": service(
            "db",
            container=f"""
            pre:
            - command: {note % "db-pre"}
            post:
            - command: {note % "db-post"}
            probes: {{readiness: "test -e {tmp_path}/db-up"}}
            """,
            daemon=f"command: {note % 'db-daemon'}; touch {tmp_path}/db-up; exec sleep 60",
        ),
        "app": service(
            "app",
            container=f"""
            pre:
            - name: app-sync
              type: single
              command: {note % "app-sync"}
              dependencies: [db]
            """,
            daemon=f"command: {note % 'app-daemon'}; exec sleep 60\ndependencies: [db]",
        ),
    }


def test_the_image_knows_nothing_of_sabir(image_python: Path) -> None:
    """Otherwise the tests below would not show that the shipped files start in a container."""
    answers = subprocess.run(
        [image_python, "-I", "-c", "import jinja2, markupsafe; import sabir"],
        capture_output=True,
        check=False,
    )
    assert b"No module named 'sabir'" in answers.stderr


@pytest.mark.rows("C-044", "C-053", "C-055", "C-070")
def test_units_come_up_in_the_order_of_their_dependencies(
    tmp_path: Path, deploy: Deploy, etcd: EtcdServer
) -> None:
    cluster = deploy(_shop(tmp_path))
    app = cluster.pod("Deployment/app", "app").start()
    sync = cluster.pod("Job/app-app-sync", "app-sync").start()
    db = cluster.pod("Deployment/db", "db").start()
    until(db.probe, "db is ready")
    assert etcd.has("/ccp/ccp/status/global/db/db/ready")
    assert etcd.has("/ccp/ccp/status/node1/db/db/ready")
    assert sync.wait() == 0
    assert etcd.has("/ccp/ccp/status/global/app/app-sync/ready")
    until(lambda: db.probe() and app.probe(), "app is ready")
    lines = (tmp_path / "journal").read_text().split()
    assert lines == ["db-pre", "db-daemon", "db-post", "app-sync", "app-daemon"]


@pytest.mark.rows("C-044")
def test_readiness_fades_when_the_daemon_dies(tmp_path: Path, deploy: Deploy, etcd: EtcdServer) -> None:
    files = {"web": service("web", daemon=f"command: sleep 1; touch {tmp_path}/dying; exit 7")}
    cluster = deploy(files)
    web = cluster.pod("Deployment/web", "web").start()
    until(web.probe, "web is ready")
    assert web.wait() == 7
    assert "the daemon ended with status 7" in web.text()
    assert not web.probe()
    until(lambda: not etcd.has("/ccp/ccp/status/global/web/web/ready"), "the key fades", 10)


def test_a_daemon_that_ends_at_once_has_failed(deploy: Deploy) -> None:
    cluster = deploy({"web": service("web", daemon="command: 'true'")})
    web = cluster.pod("Deployment/web", "web").start()
    assert web.wait() == 1
    assert "the daemon ended at once" in web.text()


@pytest.mark.rows("C-070")
def test_a_dependency_that_never_comes_is_named(deploy: Deploy) -> None:
    files = {
        "web": service("web", daemon="command: sleep 60\ndependencies: [db, 'db:local']"),
        "db": service("db"),
    }
    quick = QUICK.replace("dependency_timeout: 15", "dependency_timeout: 1")
    web = deploy(files, quick=quick).pod("Deployment/web", "web", node="node2").start()
    assert web.wait() == 1
    assert "waited 1 s for db/db, db/db:local" in web.text()
    assert "/ccp/ccp/status/global/db/db/ready, /ccp/ccp/status/node2/db/db/ready" in web.text()


def test_etcd_may_restart_in_between(tmp_path: Path, deploy: Deploy, etcd: EtcdServer) -> None:
    cluster = deploy(_shop(tmp_path))
    db = cluster.pod("Deployment/db", "db").start()
    until(db.probe, "db is ready")
    sync = cluster.pod("Job/app-app-sync", "app-sync")
    etcd.stop()
    sync.start()
    until(lambda: "etcd does not answer" in sync.text(), "the Job notices")
    assert not db.probe()
    etcd.start()
    until(db.probe, "db is ready again")
    assert sync.wait() == 0
    assert db.process is not None
    assert db.process.poll() is None


@pytest.mark.rows("C-095")
def test_a_pre_command_that_fails_ends_the_container(tmp_path: Path, deploy: Deploy) -> None:
    container = "pre:\n- command: exit 3\n"
    cluster = deploy({"web": service("web", container=container, daemon=f"command: touch {tmp_path}/never")})
    web = cluster.pod("Deployment/web", "web").start()
    assert web.wait() == 3
    assert "'exit 3' ended with status 3" in web.text()
    assert not (tmp_path / "never").exists()


def test_a_job_that_fails_ends_with_its_status(deploy: Deploy, etcd: EtcdServer) -> None:
    container = "pre:\n- {name: boot, type: single, command: exit 5}\n"
    job = deploy({"web": service("web", container=container)}).pod("Job/web-boot", "boot").start()
    assert job.wait() == 5
    assert not etcd.has("/ccp/ccp/status/global/web/boot/ready")


def test_signals_reach_the_whole_daemon(tmp_path: Path, deploy: Deploy) -> None:
    script = f"trap 'touch {tmp_path}/hup' HUP; trap 'touch {tmp_path}/term; exit 0' TERM; while :; do sleep 0.1; done"
    web = deploy({"web": service("web", daemon=f'command: "{script}"')}).pod("Deployment/web", "web").start()
    until(web.probe, "web is ready")
    web.signal(signal.SIGHUP)
    until((tmp_path / "hup").exists, "the daemon got HUP")
    web.signal(signal.SIGTERM)
    assert web.wait() == 0
    assert (tmp_path / "term").exists()


def test_a_container_that_waits_can_be_stopped(deploy: Deploy) -> None:
    files = {"web": service("web", daemon="command: sleep 60\ndependencies: [db]"), "db": service("db")}
    web = deploy(files).pod("Deployment/web", "web").start()
    until(lambda: "waiting for db/db" in web.text(), "it waits")
    web.signal(signal.SIGTERM)
    assert web.wait() == 128 + signal.SIGTERM


@pytest.mark.rows("C-079", "C-084", "C-085", "C-086")
def test_files_are_written_with_their_permissions_and_owner(tmp_path: Path, deploy: Deploy) -> None:
    user = getpass.getuser()
    target = tmp_path / "made" / "web.conf"
    files = {
        "web": service(
            "web",
            container=f"pre:\n- {{command: id -un > {tmp_path}/who, user: {user}}}\n",
            daemon="command: sleep 60\nfiles: [web.conf]",
            tail=f'files:\n  web.conf: {{path: {target}, content: web.j2, perm: "0640", user: {user}}}\n',
        ),
        "service/files/web.j2": "port = {{ web.port }}\nat = {{ address('web', web.port) }} on {{ node_name }}\n",
    }
    configs = "web: {port: {cont: 8080}}\n"
    web = deploy(files, configs=configs).pod("Deployment/web", "web").start()
    until(web.probe, "web is ready")
    expected = "port = {'cont': 8080}\nat = web.ccp.svc.cluster.local:8080 on node1"
    assert target.read_text() == expected
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert target.owner() == user
    assert (tmp_path / "who").read_text().strip() == user


def test_a_template_that_fails_names_file_and_line(tmp_path: Path, deploy: Deploy) -> None:
    files = {
        "web": service(
            "web",
            daemon="files: [web.conf]",
            tail=f"files:\n  web.conf: {{path: {tmp_path}/web.conf, content: web.j2}}\n",
        ),
        "service/files/web.j2": "first\n{{ wep.port }}\n",
    }
    web = deploy(files, configs="web: {port: 1}\n").pod("Deployment/web", "web").start()
    assert web.wait() == 1
    assert "web.conf: line 2: UndefinedError" in web.text()
    assert not (tmp_path / "web.conf").exists()


def test_an_unknown_user_is_named(deploy: Deploy) -> None:
    web = deploy({"web": service("web", daemon="command: sleep 60\nuser: nobody-here")})
    pod = web.pod("Deployment/web", "web").start()
    assert pod.wait() == 1
    assert "there is no user 'nobody-here'" in pod.text()
