"""Images: Dockerfiles rendered, built in order by a script; repositories fetched by one; names and domains listed."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from sabir.checks.application import Application
from sabir.cli.main import main
from sabir.languages.ccp import LANGUAGE
from sabir.source.packages import MemoryPackage
from tests.languages.ccp.building import service

FILES = {
    "web/service/web.yaml": service("web", head="ports: [{cont: 80, ingress: shop}]"),
    "web/service/files/defaults.yaml": "versions: {web_version: '5.2'}\nsources: {openstack/web: {source_dir: SOURCES}}\n",
    "web/docker/web/Dockerfile.j2": (
        'FROM {{ image_spec("base") }}\nENV V={{ web_version }}\n{{ copy_sources("openstack/web", "/web") }}\n'
        "COPY {{ render('start.sh.j2') }} /\n"
    ),
    "web/docker/web/start.sh.j2": "echo {{ tag }}\n",
    "web/docker/web/extra/data.bin": "as it is\n",
    "base/docker/base/Dockerfile.j2": "FROM {{ base_distro }}:{{ base_tag }}\n",
    "old/docker/old/Dockerfile.j2": "FROM {{ namespace }}/base:{{ tag }}\n",
    "ccp.yaml": (
        "registry: {address: 'localhost:5000'}\nimages: {namespace: shop, tag: '7', base_tag: bookworm}\n"
        "configs: {ingress: {enabled: true, domain: example.org}}\n"
    ),
}

ENGINE = """\
#!/bin/sh
# Stands for docker and podman: writes down what it was asked for, and what it would have been sent.
echo "$1 $3 $(cd "$4" && find . -type f | sort | tr '\\n' ' ')" >> "$LOG"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("SOURCES", str(tmp_path / "sources")))
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "setup.py").write_text("")
    engine = tmp_path / "engine"
    engine.write_text(ENGINE)
    engine.chmod(engine.stat().st_mode | stat.S_IXUSR)
    return tmp_path


def test_images_are_built_in_the_order_of_their_parents(project: Path) -> None:
    assert main(["render", str(project / "shop"), "--to", "dockerfiles", "-o", f"{project}/out/", "-q"]) == 0
    assert (project / "out/web/Dockerfile").read_text() == (
        "FROM localhost:5000/shop/base:7\nENV V=5.2\nCOPY openstack/web /web\nCOPY start.sh /\n"
    )
    assert (project / "out/base/Dockerfile").read_text() == "FROM debian:bookworm\n"
    log = project / "log"
    environment = {**os.environ, "ENGINE": str(project / "engine"), "LOG": str(log)}
    subprocess.run(
        ["sh", str(project / "out/build.sh")], env=environment, check=True, stdout=subprocess.DEVNULL
    )
    lines = log.read_text().splitlines()
    assert lines[0] == "build localhost:5000/shop/base:7 ./Dockerfile "
    assert sorted(lines[1:]) == [
        "build localhost:5000/shop/old:7 ./Dockerfile ",
        "build localhost:5000/shop/web:7 ./Dockerfile ./extra/data.bin ./openstack/web/setup.py ./start.sh ./start.sh.j2 ",
    ]
    log.unlink()
    subprocess.run(["sh", str(project / "out/build.sh"), "web"], env=environment, check=True)
    assert len(log.read_text().splitlines()) == 1


def test_lists(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for to, wanted in (("images", "localhost:5000/shop/web:7\n"), ("domains", "shop.example.org  web:80\n")):
        assert main(["render", str(project / "shop"), "--to", to, "-q"]) == 0
        assert capfd.readouterr().out == wanted


def _git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    answer = subprocess.run(
        ["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return answer.stdout.strip()


def test_repositories_are_fetched_at_their_pins(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    upstream = tmp_path / "upstream"
    upstream.mkdir()
    _git(upstream, "init", "-q")
    (upstream / "a").write_text("1")
    _git(upstream, "add", "a")
    _git(upstream, "commit", "-qm", "one")
    pinned = _git(upstream, "rev-parse", "HEAD")
    (upstream / "a").write_text("2")
    _git(upstream, "commit", "-qam", "two")
    config = tmp_path / "ccp.yaml"
    config.write_text(
        f"repositories:\n  path: repos\n  repos:\n  - {{name: pinned, git_url: '{upstream}', git_ref: {pinned}}}\n"
        f"  - {{name: newest, git_url: '{upstream}'}}\n"
    )
    assert main(["render", str(config), "--to", "fetch", "-q"]) == 0
    script = capfd.readouterr().out
    for _ in range(2):  # a second run leaves alone what is there
        subprocess.run(["sh", "-c", script], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "repos/pinned/a").read_text() == "1"
    assert (tmp_path / "repos/newest/a").read_text() == "2"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("FROM {{ image_spec('bases') }}\n", "W036"),
        ("FROM {{ tga }}\n", "E003"),
        ("RUN true\n", "E061"),
        ("FROM {{ image_spec('web') }}\n", "E060"),
        ("FROM x\n{{ copy_sources('openstack/wep', '/') }}\n", "E004"),
        ("FROM x\nCOPY {{ render('gone') }} /\n", "E004"),
    ],
)
def test_slips_in_dockerfiles(text: str, code: str) -> None:
    package = MemoryPackage({**FILES, "web/docker/web/Dockerfile.j2": text})
    findings = [one for one in Application().run(package, LANGUAGE.validators()) if one.code == f"CCP:{code}"]
    assert [one.place.source.name for one in findings] == ["web/docker/web/Dockerfile.j2"]
