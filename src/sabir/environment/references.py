"""Expressions in `sabir.yaml`: their locations and the parts that they refer to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.environment.nodes import Environment, Part
from sabir.expressions.vocabulary import absolute_path
from sabir.resources.secrets import reference_to, with_references
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, plain_data
from sabir.text import Span

_FORMS: Final = frozenset(
    {"eval", "ref", "q", "get_attribute", "get_property", "concat", "join", "template", "if", "foreach"}
)


class ValueReference(Struct, frozen=True, eq=False):
    """One value of `sabir.yaml` that is an expression."""

    part: str | None
    """The part that receives the value; None for an output."""
    key: str
    """The dotted path of the value in the part: `inputs.subnet`, `config.configs.db.host`."""
    span: Span
    expression: Any
    parts: frozenset[str]
    """The parts it names; all other parts if it names something else, which may be in any of them."""


def is_expression(node: YamlNode) -> bool:
    """Tell whether a node is an expression: a mapping such as `{eval: …}`, or a string with a template."""
    if _secret_name(node) is not None:
        return True
    if isinstance(node, YamlMapping) and len(node.entries):
        first = node.entries[0].key
        return (
            isinstance(first, YamlScalar)
            and first.value in _FORMS
            and (first.value in ("eval", "ref", "q") or len(node.entries) == 1)
        )
    return (
        isinstance(node, YamlScalar)
        and isinstance(node.value, str)
        and "{{" in node.text
        and "eval" in node.text
    )


def _secret_name(node: YamlNode) -> str | None:
    """Return the name in `{secret: NAME}`."""
    if isinstance(node, YamlMapping) and len(node.entries) == 1:
        key, value = node.entries[0].key, node.entries[0].value
        if isinstance(key, YamlScalar) and key.value == "secret" and isinstance(value, YamlScalar):
            return value.value if isinstance(value.value, str) else None
    return None


def find_references(environment: Environment) -> tuple[ValueReference, ...]:
    """Return every expression of the environment, in source order."""
    references: list[ValueReference] = []
    names = frozenset(part.name for part in environment.parts)
    secrets = frozenset(secret.name for secret in environment.secrets)
    for part in environment.parts:
        references.extend(part_references(part, names, secrets))
    if environment.outputs is not None:
        references.extend(_walk_node(None, "outputs", environment.outputs, names))
    return tuple(references)


def part_references(
    part: Part, names: frozenset[str], secrets: frozenset[str] = frozenset()
) -> Iterator[ValueReference]:
    """Yield the expressions in the inputs of a part; `secrets` are the names that the environment
    declares.
    """
    resources = _list_resource_names(part)
    for key, node in (("inputs", part.inputs), ("model", part.model), ("config", part.config)):
        # A part whose resources are written in sabir.yaml resolves `{secret: NAME}` in them itself.
        known = frozenset[str]() if key == "model" and part.described_here else secrets
        for reference in _walk_node(part.name, key, node, names, known) if node is not None else ():
            named = {*_list_root_names(reference.expression)}
            # Resources that are written in sabir.yaml refer to each other by name alone.
            if named & resources and named <= resources | names:
                yield replace(reference, parts=frozenset({part.name, *(named & names)}))
            else:
                yield reference


def _list_resource_names(part: Part) -> frozenset[str]:
    """Return the names of the resources that a part defines in `sabir.yaml`."""
    listed = part.model.get("resources") if isinstance(part.model, YamlMapping) else None
    if not part.described_here or not isinstance(listed, YamlMapping):
        return frozenset()
    return frozenset(key.text for key in listed if isinstance(key, YamlScalar))


def _walk_node(
    part: str | None,
    key: str,
    node: YamlNode,
    names: frozenset[str],
    secrets: frozenset[str] = frozenset(),
) -> Iterator[ValueReference]:
    secret = _secret_name(node)
    if secret is not None:
        if secret in secrets:
            yield ValueReference(part, key, node.span, reference_to(secret), frozenset())
    elif is_expression(node):
        expression = with_references(plain_data(node))
        named = frozenset(_list_root_names(expression))
        parts = named if named <= names else (named & names) | (names - {part})
        yield ValueReference(
            part, key, node.span, expression, frozenset(name for name in parts if name is not None)
        )
    elif isinstance(node, YamlMapping):
        for name, value in node.items():
            label = name.text if isinstance(name, YamlScalar) else "?"
            yield from _walk_node(part, f"{key}.{label}", value, names, secrets)
    elif isinstance(node, YamlSequence):
        for position, item in enumerate(node.items):
            yield from _walk_node(part, f"{key}[{position}]", item, names, secrets)


def _list_root_names(expression: Any) -> Iterator[str | None]:
    """Yield the first segments of the absolute paths in an expression; None for a path that starts without
    a name.
    """
    if isinstance(expression, str):
        yield from (match["name"] for match in absolute_path().finditer(expression))
    elif isinstance(expression, dict):
        for key, value in expression.items():
            yield from _list_root_names(key)
            yield from _list_root_names(value)
    elif isinstance(expression, list):
        for item in expression:
            yield from _list_root_names(item)
