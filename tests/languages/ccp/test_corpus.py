"""Definitions of public repositories, which are no part of this project: their folder is named by SABIR_TEST_CORPORA."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import pytest

from sabir.diagnostics.finding import Severity
from sabir.graph.values import Value, reveal_all
from sabir.languages.ccp import LANGUAGE
from sabir.languages.ccp.check.file_templates import check_file_templates
from sabir.languages.ccp.check.phases import CheckedDeployment, check_deployment
from sabir.languages.ccp.evaluate.render import render_objects
from sabir.languages.ccp.model.deployment import load_deployment
from sabir.languages.ccp.model.templates import ContainerTemplates
from sabir.languages.language import EvaluationRequest
from sabir.source.packages import load_package
from tests.languages.ccp.pods import etc_folder, mounted, shown_files
from tests.languages.ccp.runner.cluster import container_python

FOLDER = Path(os.environ.get("SABIR_TEST_CORPORA", "")) / "fuel-ccp"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get("SABIR_TEST_CORPORA") or not (FOLDER / "files.json").exists(),
        reason="SABIR_TEST_CORPORA names no folder with fuel-ccp/files.json",
    ),
]

POD = {
    "CCP_NODE_NAME": "node1",
    "CCP_POD_NAME": "pod1",
    "CCP_POD_IP": "192.0.2.2",
    "MEMORY_LIMIT": "1000000",
    "CPU_LIMIT": "1",
}


@pytest.fixture(scope="module")
def checked() -> CheckedDeployment:
    # An interface of the machine that runs the tests must not be taken for one of the pod.
    inputs = {"private_interface": "none0", "public_interface": "none1"}
    return check_deployment(load_deployment(load_package(FOLDER), EvaluationRequest(inputs=inputs)))


def _written() -> dict[str, dict[str, str]]:
    written: dict[str, dict[str, str]] = json.loads((FOLDER / "files.json").read_text(encoding="utf-8"))
    return written


def test_the_runner_writes_the_bytes_that_were_written_before(
    checked: CheckedDeployment, tmp_path: Path
) -> None:
    assert checked.resolved is not None
    objects: dict[str, Any] = {f"{one.kind}/{one.name}": one.data for one in render_objects(checked.resolved)}
    wanted = _written()
    containers = [(etc_folder(objects, unit, tmp_path / unit), unit.partition("/")[2]) for unit in wanted]
    python = container_python(tmp_path / "image")
    answers = shown_files(python, objects, containers, POD, tmp_path)
    different = [
        f"{unit}: {name}"
        for (unit, files), answer in zip(wanted.items(), answers, strict=True)
        for name, content in files.items()
        if content.strip("\n")
        != {file["name"]: file["content"] for file in answer["files"]}.get(name, "<none>").strip("\n")
    ]
    assert different == []
    assert [set(files) for files in wanted.values()] == [
        {file["name"] for file in answer["files"]} for answer in answers
    ]


def test_the_runner_writes_the_files_of_actions_and_upgrades(tmp_path: Path) -> None:
    """Of three of them files read a setting that no component defines."""
    inputs = {"private_interface": "none0", "public_interface": "none1", "service.database": "database"}
    wanted = LANGUAGE.evaluate(load_package(FOLDER), EvaluationRequest(inputs=inputs)).wanted()
    deployed = _by_name(resource.desired["manifest"] for resource in wanted.resources)
    containers: list[tuple[Path, str]] = []
    for procedure in wanted.operations:
        if not str(procedure.address).startswith("component/"):
            continue
        for step in procedure.resources(dict.fromkeys(procedure.arguments, "nova")):
            objects = _by_name(cast("list[Value]", step.desired["objects"]))
            for name in (name for name in objects if name.startswith("Job/")):
                (container,) = objects[name]["spec"]["template"]["spec"]["containers"]
                folder = mounted(objects[name], {**deployed, **objects}, tmp_path / name)
                containers.append((folder, container["name"]))
    answers = shown_files(container_python(tmp_path / "image"), deployed, containers, POD, tmp_path)
    assert [answer["status"] for answer in answers] == [0] * 41
    assert sum(len(answer["files"]) for answer in answers) == 42


def _by_name(manifests: Iterable[Value]) -> dict[str, Any]:
    plain: list[Any] = [reveal_all(manifest) for manifest in manifests]
    return {f"{one['kind']}/{one['metadata']['name']}": one for one in plain}


def test_check_renders_what_the_runner_renders(checked: CheckedDeployment) -> None:
    """But for what only the pod knows."""
    assert checked.resolved is not None
    templates = ContainerTemplates(checked.resolved)
    known = {"node_name": "node1", "pod_name": "pod1", "memory_limit": "1000000", "cpu_limit": "1"}
    for name, files in _written().items():
        unit = checked.resolved.units.all[name]
        variables = {**templates.variables(unit, "node1"), **known}
        texts = {file.name: file.text for file in templates.files(unit, variables)}
        for file, content in files.items():
            text = texts[file]
            assert text is not None
            assert text.replace("192.0.2.1", "192.0.2.2").strip("\n") == content.strip("\n")


def test_nothing_is_wrong_with_them(checked: CheckedDeployment) -> None:
    assert checked.resolved is not None
    findings = [*checked.findings, *check_file_templates(checked.resolved)]
    assert [one for one in findings if one.severity is Severity.ERROR] == []
