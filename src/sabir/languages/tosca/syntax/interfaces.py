"""Reading interfaces with their operations, and artifacts; types and templates both have them."""

from __future__ import annotations

from typing import Final

from sabir.languages.tosca.syntax.nodes import (
    ArtifactDefinition,
    InterfaceDefinition,
    Kind,
    OperationDefinition,
)
from sabir.languages.tosca.syntax.reader import NOTHING, Reader
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, plain_data
from sabir.text import Span

__all__ = ["read_artifacts", "read_interfaces"]

_INTERFACE_KEYS: Final = frozenset({"type", "inputs", "operations", "notifications"})


_ARTIFACT_KEYS: Final = frozenset(
    {
        "type",
        "file",
        "repository",
        "deploy_path",
        "artifact_version",
        "checksum",
        "checksum_algorithm",
        "properties",
        "mime_type",
        "file_ext",
        "required",
        "interfaces",
        "dependencies",
        "intent",
        "target",
        "permissions",
        "order",
        "contents",
        "executable",
    }
)


def read_interfaces(reader: Reader, node: YamlNode | None, subject: str) -> dict[str, InterfaceDefinition]:
    interfaces: dict[str, InterfaceDefinition] = {}
    for name, span, value in reader.entries(node, subject):
        mapping = reader.mapping(value, f"interface {name!r}")
        fields = {key: item for key, _, item in reader.entries(mapping, name)} if mapping else NOTHING
        # Up to 1.2 operations stand beside `type` and `inputs`; 1.3 puts them under `operations`.
        inner = fields.get("operations")
        operations = inner if inner is not None else None
        pairs = (
            [
                (key, item)
                for key, item in fields.items()
                if key not in _INTERFACE_KEYS and key != "description"
            ]
            if operations is None
            else [(key, item) for key, _, item in reader.entries(operations, f"operations of {name!r}")]
        )
        interfaces[name] = InterfaceDefinition(
            name=name,
            span=span,
            origin=reader.origin,
            type=reader.type_text(Kind.INTERFACE, fields.get("type"), f"type of interface {name!r}"),
            inputs=reader.assignments(fields.get("inputs"), f"inputs of interface {name!r}"),
            operations={key: _operation(reader, key, span, item) for key, item in pairs},
        )
    return interfaces


def _operation(reader: Reader, name: str, span: Span, node: YamlNode) -> OperationDefinition:
    if not isinstance(node, YamlMapping):
        implementation = None if isinstance(node, YamlScalar) and node.value is None else reader.written(node)
        return OperationDefinition(name=name, span=span, origin=reader.origin, implementation=implementation)
    implementation_node = node.get("implementation")
    inputs = node.get("inputs")
    return OperationDefinition(
        name=name,
        span=span,
        origin=reader.origin,
        implementation=None if implementation_node is None else reader.written(implementation_node),
        inputs=reader.assignments(inputs, f"inputs of operation {name!r}"),
    )


def read_artifacts(reader: Reader, node: YamlNode | None, owner: str) -> dict[str, ArtifactDefinition]:
    artifacts: dict[str, ArtifactDefinition] = {}
    for name, span, value in reader.named_list(node, f"artifacts of {owner}"):
        subject = f"artifact {name!r} of {owner}"
        if isinstance(value, YamlScalar):
            artifacts[name] = ArtifactDefinition(
                name=name,
                span=span,
                origin=reader.origin,
                end=value.span.end,
                file=reader.text(value, subject),
            )
            continue
        fields = reader.fields(value, subject, _ARTIFACT_KEYS)
        keys = {
            key: plain_data(item) for key, item in fields.items() if key not in ("properties", "description")
        }
        file = fields.get("file")
        artifacts[name] = ArtifactDefinition(
            name=name,
            span=span,
            origin=reader.origin,
            end=value.span.end,
            type=reader.type_text(Kind.ARTIFACT, fields.get("type"), f"type of {subject}"),
            file=reader.text(file, f"file of {subject}") if isinstance(file, YamlScalar) else None,
            repository=reader.text(fields.get("repository"), f"repository of {subject}"),
            keys=keys,
            properties=reader.assignments(fields.get("properties"), f"properties of {subject}"),
        )
    return artifacts
