"""What deployments gave back is a value, never an expression."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.languages.language import EvaluationRequest
from sabir.languages.tosca import LANGUAGE
from sabir.source.packages import MemoryPackage

TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Api: {derived_from: tosca.nodes.Root, attributes: {told: {type: string}, data: {type: map}}}
topology_template:
  node_templates: {api: {type: Api}}
  outputs:
    told: {value: {get_attribute: [api, told]}}
    data: {value: {get_attribute: [api, data]}}
"""


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("told", "plain"),
        ("told", "{{ 6 * 7 }}"),
        ("told", "{% raw %}"),
        ("data", {"eval": ".name"}),
        ("data", {"get_env": "HOME"}),
        ("data", {"a": ["{{ 1 }}"]}),
    ],
)
def test_it_is_not_evaluated(attribute: str, value: Any) -> None:
    request = EvaluationRequest(observed={f"api|{attribute}": value})
    evaluation = LANGUAGE.evaluate(MemoryPackage({"t.yaml": TEMPLATE}), request)
    assert not evaluation.findings
    assert evaluation.graph.outputs[attribute] == value
