"""Functions that read what is not there."""

from __future__ import annotations

import pytest

from sabir.languages.tosca.check.validator import ToscaValidator
from sabir.source.packages import MemoryPackage

_HEAD = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.SoftwareComponent
    properties: {size: {type: integer, default: 1}, names: {type: list, entry_schema: {type: string}, default: [a]}}
    attributes: {url: {type: string}}
    interfaces: {Standard: {operations: {create: {implementation: a.sh}}}}
    artifacts: {conf: {type: tosca.artifacts.File, file: a.sh}}
topology_template:
  node_templates:
    server: {type: tosca.nodes.Compute}
    app:
      type: App
      requirements: [{host: server}]
      interfaces: {Standard: {operations: {create: {inputs: {i: {%s}}}}}}
"""


def _codes(call: str, *, host: bool = True) -> list[tuple[str, str | None]]:
    text = _HEAD.replace("%s", call)
    if not host:
        text = text.replace("      requirements: [{host: server}]\n", "      directives: []\n").replace(
            "derived_from: tosca.nodes.SoftwareComponent", "derived_from: tosca.nodes.Root"
        )
    findings = ToscaValidator(MemoryPackage({"t.yaml": text, "a.sh": ""})).run()
    return [(finding.code, finding.hint) for finding in findings]


@pytest.mark.parametrize(
    "call",
    [
        "get_attribute: [SELF, url]",
        "get_attribute: [SELF, names, 0]",
        "get_attribute: [SELF, state]",
        "get_attribute: [server, private_address]",
        "get_attribute: [server, endpoint, ip_address]",
        "get_attribute: [SELF, host, private_address]",
        "get_attribute: [HOST, private_address]",
        "get_artifact: [SELF, conf]",
        "get_operation_output: [SELF, Standard, create, told]",
    ],
)
def test_what_is_there(call: str) -> None:
    assert _codes(call) == []


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        ("get_attribute: [SELF, ulr]", "did you mean 'url'?"),
        ("get_attribute: [SELF, size, 0]", None),
        ("get_attribute: [server, privat_address]", "did you mean 'private_address'?"),
        ("get_attribute: [server, endpoint, ip_adress]", "did you mean 'ip_address'?"),
        ("get_artifact: [SELF, cnof]", "did you mean 'conf'?"),
        ("get_operation_output: [SELF, Standard, craete, told]", "did you mean 'create'?"),
        ("get_operation_output: [SELF, Standart, create, told]", "did you mean 'Standard'?"),
    ],
)
def test_what_is_not_there(call: str, hint: str | None) -> None:
    assert _codes(call) == [("TOSCA:E050", hint)]


def test_there_is_no_host() -> None:
    assert _codes("get_attribute: [HOST, private_address]", host=False) == [("TOSCA:E050", None)]
