"""TOSCA templates: a good one, damaged. Checking and evaluating give findings, never a traceback, within seconds."""

from __future__ import annotations

import random

from sabir.checks import Application
from sabir.languages.language import EvaluationRequest
from sabir.languages.tosca import LANGUAGE
from sabir.source.packages import MemoryPackage
from tests.fuzz.judging import complaint

__all__ = ["check", "run"]

TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [other.yaml]
data_types:
  Size: {properties: {w: {type: integer, default: 1, constraints: [{in_range: [1, 9]}]}}}
capability_types:
  Store: {derived_from: tosca.capabilities.Endpoint, properties: {engine: {type: string, default: pg}}}
node_types:
  App:
    derived_from: tosca.nodes.Root
    properties: {size: {type: Size}, tags: {type: list, entry_schema: {type: string}, required: false}}
    capabilities: {store: {type: Store}}
    requirements: [{host: {capability: tosca.capabilities.Compute, node: tosca.nodes.Compute, relationship: tosca.relationships.HostedOn}}]
topology_template:
  inputs: {zone: {type: string, default: north}}
  node_templates:
    vm: {type: tosca.nodes.Compute, capabilities: {host: {properties: {num_cpus: 2, mem_size: 4 GB}}}}
    app:
      type: App
      properties: {size: {w: 3}, tags: [a, {concat: [b, {get_input: zone}]}]}
      requirements: [{host: vm}, {dependency: vm}]
      artifacts: {image: {file: x, type: tosca.artifacts.File}}
  groups: {g: {type: tosca.groups.Root, members: [app]}}
  policies: [{p: {type: tosca.policies.Scaling, targets: [app]}}]
  workflows: {w: {steps: {s: {target: app, on_success: [s]}}}}
  substitution_mappings: {node_type: App, capabilities: {store: [app, store]}}
  outputs: {o: {value: {get_property: [app, size, w]}}, e: {value: {eval: '::app::tags'}}}
"""
_NOISE = (
    *(
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "- ",
        "null",
        "1",
        "''",
        "&a ",
        "*a",
        "!!str ",
        "eval",
        "get_property",
        "type",
        "app",
    ),
    *(
        "derived_from: App",
        "copy: app",
        "$get_input",
        "<<",
        "\n",
        "  ",
        "é",
        "requirements",
        "node_filter: {}",
        "tosca_2_0",
    ),
)
_SECONDS = 2.0


def check(text: str) -> str | None:
    problem = complaint(lambda: _run(text), seconds=_SECONDS)
    return f"{text}\n{problem}" if problem else None


def _run(text: str) -> None:
    package = MemoryPackage(
        {"template.yaml": text, "other.yaml": TEMPLATE.replace("imports: [other.yaml]\n", "")}
    )
    list(Application().run(package, LANGUAGE.validators()))
    LANGUAGE.evaluate(package, EvaluationRequest(full_provenance=True))


def run(count: int, seed: int) -> list[str]:
    source = random.Random(seed)
    failures: list[str] = []
    for _ in range(count):
        text = TEMPLATE
        for _ in range(source.randint(1, 6)):
            at = source.randint(0, len(text))
            text = text[:at] + source.choice(_NOISE) + text[at + source.randint(0, 12) :]
        problem = check(text)
        if problem:
            failures.append(problem)
    return failures
