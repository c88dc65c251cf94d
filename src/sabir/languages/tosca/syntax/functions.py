"""Reading the functions of one's own that 2.0 lets files define."""

from __future__ import annotations

from collections.abc import Iterator

from sabir.languages.tosca.syntax.interfaces import read_implementation
from sabir.languages.tosca.syntax.nodes import FunctionDefinition, Schema, Signature
from sabir.languages.tosca.syntax.reader import Reader
from sabir.languages.tosca.syntax.schemas import optional_schema
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlSequence

__all__ = ["read_functions"]


def read_functions(reader: Reader, node: YamlNode | None) -> Iterator[FunctionDefinition]:
    """Those of a section; what has the wrong shape is reported by the grammar."""
    for name, span, value in reader.entries(node, "functions"):
        signatures = value.get("signatures") if isinstance(value, YamlMapping) else None
        items = signatures.items if isinstance(signatures, YamlSequence) else ()
        yield FunctionDefinition(
            name=name,
            span=span,
            origin=reader.origin,
            signatures=tuple(
                _signature(reader, item, f"function {name!r}")
                for item in items
                if isinstance(item, YamlMapping)
            ),
        )


def _signature(reader: Reader, node: YamlMapping, subject: str) -> Signature:
    return Signature(
        arguments=_schemas(reader, node.get("arguments"), subject),
        optional_arguments=_schemas(reader, node.get("optional_arguments"), subject),
        variadic=reader.flag(node.get("variadic"), f"variadic of {subject}", default=False),
        result=optional_schema(reader, node.get("result"), subject),
        implementation=read_implementation(reader, node.get("implementation")),
    )


def _schemas(reader: Reader, node: YamlNode | None, subject: str) -> tuple[Schema, ...]:
    items = node.items if isinstance(node, YamlSequence) else ()
    return tuple(schema for item in items if (schema := optional_schema(reader, item, subject)) is not None)
