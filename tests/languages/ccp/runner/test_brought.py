"""Images without Python: the interpreter is brought along, and the runner works in a root that has nothing but a shell."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from importlib import resources
from pathlib import Path

import pytest

from sabir.languages.ccp.evaluate.objects.content import ARCHIVE
from tests.languages.ccp.building import objects, service
from tests.languages.ccp.pods import etc_folder
from tests.languages.ccp.runner.cluster import container_python

CONFIG = "configs: {runner: {image: ccp-python}, web: {port: 80}}\n"
FILES = {
    "web": service(
        "web",
        daemon="files: [web.conf]",
        tail="files:\n  web.conf: {path: /etc/web.conf, content: web.j2}\n",
    ),
    "service/files/web.j2": "port = {{ web.port }} {{ '1' | gethostbyname if false else '' }}\n",
}


def test_pods_bring_it() -> None:
    pod = objects(FILES, CONFIG)["Deployment/web"]["spec"]["template"]["spec"]
    (bring,) = pod["initContainers"]
    assert bring["image"] == "ccp/ccp-python:latest"
    assert {"name": "ccp-python", "emptyDir": {}} in pod["volumes"]
    container = pod["containers"][0]
    assert container["command"][0] == "/opt/ccp/python/bin/python3"
    assert container["readinessProbe"]["exec"]["command"][0] == "/opt/ccp/python/bin/python3"
    assert {"name": "ccp-python", "mountPath": "/opt/ccp/python", "readOnly": True} in container[
        "volumeMounts"
    ]
    assert (
        "initContainers"
        not in objects(FILES, "configs: {web: {port: 80}}\n")["Deployment/web"]["spec"]["template"]["spec"]
    )


def _root(folder: Path) -> Path:
    """A root with a shell, its libraries, and nothing else."""
    shell = Path(shutil.which("dash") or "/bin/sh").resolve()
    listed = subprocess.run(["ldd", shell], capture_output=True, text=True, check=True).stdout
    libraries = [word for word in listed.split() if word.startswith("/")]
    for name, target in ((str(shell), "/bin/sh"), *((name, name) for name in libraries)):
        path = folder / target.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(name, path)
    return folder


@pytest.mark.slow
@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("ldd") is None, reason="only root can change its root folder"
)
def test_the_runner_works_where_there_is_no_python(tmp_path: Path) -> None:
    root = _root(tmp_path / "root")
    script = resources.files("sabir.languages.ccp.library").joinpath("python_image/gather.py").read_text()
    (tmp_path / "gather.py").write_text(script)
    python = container_python(tmp_path / "image")
    subprocess.run([python, tmp_path / "gather.py", root / "opt/ccp/python"], check=True)
    made = objects(FILES, CONFIG)
    (root / "runner.pyz").write_bytes(base64.b64decode(made["ConfigMap/ccp-runner"]["binaryData"][ARCHIVE]))
    etc_folder(made, "web/web", root / "etc/ccp")
    answer = subprocess.run(
        [
            shutil.which("chroot") or "/usr/sbin/chroot",
            root,
            "/opt/ccp/python/bin/python3",
            "/runner.pyz",
            "files",
            "web",
            "--show",
        ],
        env={
            "CCP_NODE_NAME": "n",
            "CCP_POD_NAME": "p",
            "CCP_POD_IP": "192.0.2.2",
            "PYTHONHOME": "/of/the/image",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    assert [file["content"].strip() for file in json.loads(answer.stdout)] == ["port = 80"]
