"""How a rule of the language is written down, and the small templates of its examples."""

from __future__ import annotations

from functools import partial
from typing import Final

from sabir.diagnostics.rules import Rule

__all__ = ["APP", "HEAD", "ROOT", "SECOND", "example", "example_nodes", "tosca_rule"]

tosca_rule: Final = partial(Rule, language="tosca")

HEAD: Final = "tosca_definitions_version: tosca_simple_yaml_1_3\n"
SECOND: Final = "tosca_definitions_version: tosca_2_0\n"
ROOT: Final = "    one: {type: tosca.nodes.Root}\n"
"""A node template."""
APP: Final = (
    "node_types:\n  App:\n    derived_from: tosca.nodes.Root\n    properties:\n      size: {type: integer}\n"
)
"""A node type with a required property."""


def example(body: str) -> dict[str, str]:
    return {"template.yaml": HEAD + body}


def example_nodes(body: str, *, types: str = "") -> dict[str, str]:
    """A template with these node templates (indented by four)."""
    return example(f"{types}topology_template:\n  node_templates:\n{body}")
