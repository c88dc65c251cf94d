"""The topology of the main document, with those of imported ones behind it."""

from __future__ import annotations

from collections.abc import Mapping

from sabir.languages.tosca.syntax.behaviour import read_workflows
from sabir.languages.tosca.syntax.nodes import (
    GroupTemplate,
    InputDefinition,
    NodeTemplate,
    OutputDefinition,
    PolicyTemplate,
    RelationshipTemplate,
    SubstitutionMapping,
    Workflow,
)
from sabir.languages.tosca.syntax.reader import UNKNOWN_KEY, Reader
from sabir.languages.tosca.syntax.schemas import read_properties
from sabir.languages.tosca.syntax.templates import (
    read_groups,
    read_node_template,
    read_outputs,
    read_policies,
    read_relationship_template,
    read_substitution,
)
from sabir.source.yaml.nodes import YamlMapping, YamlNode

__all__ = ["TopologyParts"]


class TopologyParts:
    """The topology of the main document, with those of imported ones behind it."""

    def __init__(self) -> None:
        self.inputs: dict[str, InputDefinition] = {}
        self.nodes: dict[str, NodeTemplate] = {}
        self.relationships: dict[str, RelationshipTemplate] = {}
        self.groups: dict[str, GroupTemplate] = {}
        self.policies: list[PolicyTemplate] = []
        self.workflows: dict[str, Workflow] = {}
        self.outputs: dict[str, OutputDefinition] = {}
        self.substitution: SubstitutionMapping | None = None

    def take(self, reader: Reader, fields: Mapping[str, YamlNode], *, is_main: bool) -> None:
        for name, definition in read_properties(reader, fields.get("inputs"), "inputs").items():
            self.inputs.setdefault(name, definition)
        for name, span, value in reader.entries(fields.get("node_templates"), "node_templates"):
            if name == "node_filter" and isinstance(value, YamlMapping) and value.get("type") is None:
                message = "node_filter stands beside the node templates: it filters nothing"
                reader.report(UNKNOWN_KEY, message, span, "put it into a node template")
            elif name not in self.nodes:
                self.nodes[name] = read_node_template(reader, name, span, value)
        for name, span, value in reader.entries(
            fields.get("relationship_templates"), "relationship_templates"
        ):
            self.relationships.setdefault(name, read_relationship_template(reader, name, span, value))
        for name, group in read_groups(reader, fields.get("groups")).items():
            self.groups.setdefault(name, group)
        self.policies += read_policies(reader, fields.get("policies"))
        for name, workflow in read_workflows(reader, fields.get("workflows")).items():
            self.workflows.setdefault(name, workflow)
        for name, output in read_outputs(reader, fields.get("outputs")).items():
            self.outputs.setdefault(name, output)
        if is_main and self.substitution is None:
            self.substitution = read_substitution(reader, fields.get("substitution_mappings"))
