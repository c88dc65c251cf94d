"""The guestbook: a database file, a page and a web server, deployed here and over ssh, changed, killed, taken away."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.deployments.sshd import sshd, why_not
from tests.docs.pages import ROOT

pytestmark = pytest.mark.slow


class Guestbook:
    def __init__(self, folder: Path, path: str, *leave: str) -> None:
        self.folder = folder
        self._path = path
        self._leave = leave
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    def words(self, verb: str, *words: str) -> list[str]:
        more = ["--yes", "--allow-delete", "all"] if verb != "status" else []
        inputs = (
            []
            if self._path == "."
            else ["--input", f"below={self.folder}/srv", "--input", f"port={self.port}"]
        )
        return [sys.executable, "-m", "sabir.cli", verb, self._path, *inputs, *self._leave, *words, *more]

    def run(self, verb: str, *words: str) -> str:
        done = subprocess.run(
            self.words(verb, *words), cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def page(self) -> str | None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=5) as answer:
                text: str = answer.read().decode()
                return text
        except urllib.error.URLError:
            return None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "examples/tosca/guestbook", tmp_path / "guestbook"))


@pytest.fixture
def here(folder: Path) -> Guestbook:
    return Guestbook(folder, "guestbook.yaml", "--here", "--trust", "scripts")


@pytest.fixture
def afar(folder: Path, tmp_path: Path) -> Iterator[Guestbook]:
    if why_not() is not None:
        pytest.skip(str(why_not()))
    (tmp_path / "sshd").mkdir()
    with sshd(tmp_path / "sshd") as server:
        guestbook = Guestbook(folder, ".", "--trust", "scripts")
        inputs = {"below": f"{folder}/srv", "port": guestbook.port, "address": "machine.example"}
        environment = {
            "sabir": 1,
            "name": "guestbook",
            "targets": {"machine": {"driver": "ssh", **server.settings("/")}},
            "parts": {"book": {"language": "tosca", "path": "guestbook.yaml", "inputs": inputs}},
        }
        (folder / "sabir.yaml").write_text(yaml.safe_dump(environment))
        yield guestbook


@pytest.mark.parametrize("where", ["here", "afar"])
def test_its_life(where: str, request: pytest.FixtureRequest) -> None:
    guestbook: Guestbook = request.getfixturevalue(where)
    guestbook.run("deploy")
    try:
        assert guestbook.page() == "<h1>Guests</h1>\n<p>Ada</p>\n"
        assert "nothing to do" in guestbook.run("deploy")
    finally:
        guestbook.run("destroy")
    assert guestbook.page() is None
    assert not [*(guestbook.folder / "srv").iterdir()]


def test_it_is_killed_and_goes_on(here: Guestbook) -> None:
    script = here.folder / "scripts/site-configure.sh"
    script.write_text(f"echo configured >> {here.folder}/trace\nsleep 1\n" + script.read_text())
    deploying = subprocess.Popen(
        here.words("deploy"), cwd=here.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    trace = here.folder / "trace"
    deadline = time.monotonic() + 30
    while not trace.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(deploying.pid, signal.SIGKILL)
    deploying.wait()
    here.run("deploy")
    try:
        assert here.page() == "<h1>Guests</h1>\n<p>Ada</p>\n"
        assert trace.read_text() == "configured\n", "what was begun is not begun again"
        here.run("deploy", "--input", "title=Visitors")
        assert here.page() == "<h1>Visitors</h1>\n<p>Ada</p>\n"
    finally:
        here.run("destroy")
    assert not [*(here.folder / "srv").iterdir()]
