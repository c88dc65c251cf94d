"""Slips that people make: one error each, at the place, with the near name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sabir.checks.options import CheckOptions
from sabir.diagnostics.finding import Finding, Severity
from sabir.operations.check import check_paths

TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Api:
    derived_from: tosca.nodes.SoftwareComponent
    properties:
      port: {type: integer, default: 8000}
      url: {type: string}
topology_template:
  inputs:
    host: {type: string, default: 10.0.0.9}
  node_templates:
    vm:
      type: tosca.nodes.Compute
    api:
      type: Api
      properties:
        url: {concat: ["http://", {get_input: host}, ":", {get_property: [SELF, port]}]}
      requirements:
        - host: vm
  outputs:
    url: {value: {get_property: [api, url]}}
"""


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "near"),
    [
        ("topology_template:", "topology_templte:", "TOSCA:E036", 8, "topology_template"),
        ("  node_templates:", "  node_template:", "TOSCA:E036", 11, "node_templates"),
        ("[SELF, port]", "[SELF, prot]", "EXPR:E008", 17, "port"),
        ("[SELF, port]", "[SELF, url]", "EXPR:E019", 17, ""),
        ("{concat:", "{concta:", "EXPR:E004", 17, "concat"),
        ("get_input: host", "get_input: hots", "TOSCA:E021", 17, "host"),
        ("[api, url]", "[api, ulr]", "EXPR:E008", 21, "url"),
        ("[api, url]", "[aip, url]", "TOSCA:E022", 21, "api"),
        ("        url: {concat", "        ulr: {concat", "TOSCA:E010", 17, "url"),
        ("derived_from: tosca.nodes.Soft", "derived_from: tosca.nodes.Sofft", "TOSCA:E006", 4, "Software"),
    ],
)
def test_slip(
    old: str, new: str, code: str, line: int, near: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert TEMPLATE.count(old) >= 1
    path = tmp_path_factory.mktemp("slip") / "service-template.yaml"
    path.write_text(TEMPLATE.replace(old, new, 1), encoding="utf-8")
    findings: list[Finding] = [
        finding for _, finding in check_paths([path], CheckOptions()).report.findings()
    ]
    errors = [finding for finding in findings if finding.code.split(":")[-1].startswith("E")]
    assert code in [error.code for error in errors if error.location.line == line]
    assert len(errors) <= 2
    assert any(near in f"{error.message} {error.hint}" for error in errors)


def test_the_template_itself_is_right(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("slip") / "service-template.yaml"
    path.write_text(TEMPLATE, encoding="utf-8")
    assert [*check_paths([path], CheckOptions()).report.findings()] == []


SLIPS = Path(__file__).parent / "slips"
ROWS = [
    line.split(" | ")
    for line in (SLIPS / "slips.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{row[3]}-{row[4]}-{row[2]}" for row in ROWS])
def test_one_slip_is_one_error(row: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    template, old, new, code, line, near = row
    folder = tmp_path_factory.mktemp("slip")
    shutil.copytree(SLIPS / "scripts", folder / "scripts")
    text = (SLIPS / f"{template}.yaml").read_text(encoding="utf-8")
    changed = text.replace(json.loads(old), json.loads(new), 1)
    assert changed != text
    path = folder / "service-template.yaml"
    path.write_text(changed, encoding="utf-8")
    findings = [finding for _, finding in check_paths([path], CheckOptions()).report.findings()]
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    assert [(error.code, error.location.line) for error in errors] == [(code, int(line))]
    assert near in f"{errors[0].message} {errors[0].hint}"


@pytest.mark.parametrize("template", ["simple", "second"])
def test_without_a_slip_there_is_none(template: str) -> None:
    assert [*check_paths([SLIPS / f"{template}.yaml"], CheckOptions()).report.findings()] == []
