"""Runs a CCP case on sabir."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from sabir.languages.ccp.check.phases import Checked, check_deployment
from sabir.languages.ccp.evaluate.files import render_files
from sabir.languages.ccp.evaluate.render import render_objects
from sabir.languages.ccp.syntax.component import Component
from sabir.languages.ccp.syntax.deployment import read_deployment
from sabir.languages.ccp.syntax.violation import Violation
from sabir.source.packages import MemoryPackage
from sabir.text import Source
from tests.conformance.runner.ccp import CcpCase, CcpFile, CcpFinding, CcpOutcome

__all__ = ["run"]


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


def _files(case: CcpCase, checked: Checked, outcome: CcpOutcome) -> CcpOutcome:
    assert checked.resolved is not None
    unit = checked.resolved.units.all[case.unit or ""]
    files, violations = render_files(checked.deployment, unit, case.node)
    written = {one.path: CcpFile(content=one.content, perm=one.perm, user=one.user) for one in files}
    return replace(outcome, errors=tuple(map(_finding, violations)), files=written)


def _finding(violation: Violation) -> CcpFinding:
    location = violation.place.location
    file = location.file if location.file.startswith("<") else location.file.partition("/")[2]
    return CcpFinding(
        kind=violation.kind.value,
        path=violation.path,
        file=file,
        line=location.line,
        units=violation.units,
        message=violation.message,
    )
