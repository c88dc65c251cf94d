"""Runs a CCP case on sabir."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import yaml

from sabir.languages.ccp.check.phases import CheckedDeployment, check_deployment
from sabir.languages.ccp.evaluate.render import render_objects
from sabir.languages.ccp.model.templates import ContainerTemplates
from sabir.languages.ccp.syntax.component import Component
from sabir.languages.ccp.syntax.deployment import read_deployment
from sabir.languages.ccp.syntax.rules import Fault, template_fault
from sabir.source.packages import MemoryPackage
from sabir.text import Source
from tests.conformance.runner.ccp import CcpCase, CcpFile, CcpFinding, CcpOutcome
from tests.languages.ccp.pods import etc_folder, shown_files

__all__ = ["KINDS", "run"]

KINDS: Final = {
    "CCP:E001": "yaml-syntax",
    "CCP:E002": "template-syntax",
    "CCP:E003": "undefined-variable",
    "CCP:E004": "template-failed",
    "CCP:E005": "template-unsafe",
    "CCP:E006": "template-limit",
    "CCP:E007": "bad-include",
    "CCP:E010": "missing-key",
    "CCP:E011": "unknown-key",
    "CCP:E012": "wrong-type",
    "CCP:E013": "empty",
    "CCP:E014": "bad-enum",
    "CCP:E015": "bad-format",
    "CCP:E016": "out-of-range",
    "CCP:E017": "conflict",
    "CCP:E018": "duplicate-name",
    "CCP:E020": "bad-version",
    "CCP:E021": "version-newer",
    "CCP:E022": "version-major",
    "CCP:E030": "unknown-file",
    "CCP:E031": "unknown-secret",
    "CCP:E032": "missing-content",
    "CCP:E033": "file-fails",
    "CCP:E034": "no-replacement",
    "CCP:E040": "unknown-dependency",
    "CCP:E041": "dependency-cycle",
    "CCP:E050": "unknown-service",
    "CCP:E051": "too-many-replicas",
    "CCP:E052": "unknown-step-service",
    "CCP:E060": "image-cycle",
    "CCP:E061": "no-from",
    "CCP:W001": "newer-feature",
    "CCP:W002": "duplicate-key",
    "CCP:W010": "liveness-timeout",
    "CCP:W011": "sensitive-host-path",
    "CCP:W012": "privileged",
    "CCP:W013": "no-readiness",
    "CCP:W014": "latest-tag",
    "CCP:W015": "host-namespace",
    "CCP:W020": "not-deployed",
    "CCP:W021": "unmatched-topology",
    "CCP:W022": "unknown-section",
    "CCP:W023": "not-heeded",
    "CCP:W024": "replaces-nothing",
    "CCP:W030": "file-template",
    "CCP:W031": "unused-file",
    "CCP:W032": "file-clash",
    "CCP:W033": "too-large",
    "CCP:W034": "unknown-address",
    "CCP:W035": "procedure-fails",
    "CCP:W036": "near-image",
}
"""The words of the rendering contract for what each code reports."""


def run(case: CcpCase, folder: Path) -> CcpOutcome:
    del folder
    components = tuple(
        Component(
            name=name,
            package=MemoryPackage({f"{name}/{path}": text for path, text in tree.items()}),
            root=f"{name}/",
        )
        for name, tree in case.components.items()
    )
    config: dict[str, Any] = dict(case.config)
    config["kubernetes"] = {**config.get("kubernetes", {}), "cluster_nodes": list(case.cluster_nodes)}
    source = Source("<config>", yaml.safe_dump(config, sort_keys=False))
    deployment = read_deployment(components, config=source, dsl_version=case.framework_dsl_version)
    checked = check_deployment(deployment)
    outcome = CcpOutcome(
        errors=tuple(map(_finding, checked.errors)), warnings=tuple(map(_finding, checked.warnings))
    )
    if checked.resolved is None:
        return outcome
    if case.op == "deps":
        return replace(outcome, deps=checked.resolved.units.services_needed())
    if case.op == "files":
        return _files(case, checked, outcome)
    return replace(outcome, objects=tuple(one.data for one in render_objects(checked.resolved)))


def _files(case: CcpCase, checked: CheckedDeployment, outcome: CcpOutcome) -> CcpOutcome:
    """What the shipped runner writes, in a process that is given what the container would be given."""
    assert checked.resolved is not None
    unit = checked.resolved.units.all[case.unit or ""]
    objects = {f"{one.kind}/{one.name}": one.data for one in render_objects(checked.resolved)}
    with TemporaryDirectory() as name:
        folder = Path(name)
        etc = etc_folder(objects, unit.id, folder / "etc")
        environment = {"CCP_NODE_NAME": case.node}
        (answer,) = shown_files(sys.executable, objects, [(etc, unit.name)], environment, folder)
    if answer["status"] != 0:
        templates = ContainerTemplates(checked.resolved)
        variables = templates.variables(unit, case.node)
        findings = [finding for file in templates.files(unit, variables) for finding in file.findings]
        faults = tuple(_finding(template_fault(finding)) for finding in findings)
        return replace(outcome, errors=faults)
    written = {
        file["path"]: CcpFile(content=file["content"], perm=file["perm"], user=file["user"])
        for file in answer["files"]
    }
    return replace(outcome, files=written)


def _finding(fault: Fault) -> CcpFinding:
    location = fault.place.location
    file = location.file if location.file.startswith("<") else location.file.partition("/")[2]
    return CcpFinding(
        kind=KINDS[fault.code],
        path=fault.path,
        file=file,
        line=location.line,
        units=fault.units,
        message=fault.message,
    )
