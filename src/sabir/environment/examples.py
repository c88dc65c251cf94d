"""Examples for the rules of environments, and what these have in common."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.rules import Example, Rule

__all__ = ["TOSCA_PART", "environment_rule"]

TOSCA_PART: Final = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs:
    address: {type: string, default: 10.0.0.1}
  node_templates:
    db:
      type: tosca.nodes.Root
  outputs:
    address: {value: {get_input: address}}
"""
_GOOD: Final[Example] = {"sabir.yaml": "parts:\n  db:\n    path: db.yaml\n", "db.yaml": TOSCA_PART}


def environment_rule(
    number: str, title: str, why: str, text: str, *, run: bool = False, more: Example | None = None
) -> Rule:
    return Rule(
        code=f"ENV:{number}",
        title=title,
        why=why,
        bad={"sabir.yaml": text, **(more or {"db.yaml": TOSCA_PART})},
        good=_GOOD,
        language="environment",
        when="evaluate" if run else "check",
    )
