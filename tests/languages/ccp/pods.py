"""The folders and variables that a container would be given, for the runner to be run on them outside of a cluster."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sabir.languages.ccp.evaluate.objects.content import ARCHIVE

__all__ = ["etc_folder", "mounted", "shown_files"]

_SHOW = """
import contextlib, io, json, os, sys
sys.path.insert(0, sys.argv[1])
from ccp_runner.program import main
for folder, name in json.loads(sys.argv[2]):
    os.environ["CCP_ETC"] = folder
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        status = main(["files", name, "--show"])
    print(json.dumps({"status": status, "files": json.loads(shown.getvalue() or "[]")}))
"""


def etc_folder(objects: Mapping[str, Any], unit: str, folder: Path) -> Path:
    """/etc/ccp of a container or single command, as its pod mounts it."""
    service, _, container = unit.partition("/")
    for workload in objects.values():
        template = workload.get("spec", {}).get("template", {}).get("spec", {})
        names = [one["name"] for one in template.get("containers", ())]
        if workload["metadata"].get("labels", {}).get("app") == service and container in names:
            return mounted(workload, objects, folder)
    raise AssertionError(f"no pod has the container {unit}")


def mounted(workload: Mapping[str, Any], objects: Mapping[str, Any], folder: Path) -> Path:
    """The folder with what the pods of a workload or Job mount as /etc/ccp."""
    for volume in workload["spec"]["template"]["spec"]["volumes"]:
        for source in volume.get("projected", {}).get("sources", ()):
            _project(objects, source, folder)
    return folder


def _project(objects: Mapping[str, Any], source: Mapping[str, Any], folder: Path) -> None:
    ((kind, reference),) = source.items()
    held = objects[f"{'ConfigMap' if kind == 'configMap' else 'Secret'}/{reference['name']}"]["data"]
    for item in reference["items"]:
        text = held[item["key"]]
        target = folder / item["path"]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if kind == "configMap" else base64.b64decode(text))


def shown_files(
    python: Path | str,
    objects: Mapping[str, Any],
    containers: Sequence[tuple[Path, str]],
    environment: Mapping[str, str],
    folder: Path,
) -> list[dict[str, Any]]:
    """What the runner of these objects writes in each container, in one process: `status` and `files`."""
    archive = folder / ARCHIVE
    archive.write_bytes(base64.b64decode(objects["ConfigMap/ccp-runner"]["binaryData"][ARCHIVE]))
    asked = json.dumps([(str(etc), name) for etc, name in containers])
    answer = subprocess.run(
        [python, "-I", "-c", _SHOW, archive, asked],
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    return [json.loads(line) for line in answer.stdout.splitlines()]
