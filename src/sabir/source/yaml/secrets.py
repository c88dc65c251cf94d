"""What a YAML text marks as secret, by its form alone: it holds for files that no language can read any further, too.

- `{sensitive: VALUE}`, in expressions and environments;
- a definition with `sensitive: true`, itself or in its `metadata`: its default and value, and what is assigned to its name;
- `secrets` and `secret_configs`, the password of a `registry`, and the data of a Kubernetes Secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of

MARKS: Final = ("sensitive", "secret", "Secret", "password")
"""A text without any of these words marks nothing."""
_ASSIGNED: Final = frozenset({"properties", "attributes", "inputs", "default", "environment"})
"""The keys under which values are given to names."""
_WRITTEN: Final = ("default", "value", "example", "examples")
_EXPRESSIONS: Final = frozenset({"eval", "q", "get_env", "get_input", "get_property", "get_attribute", "ref"})
_FLAGS: Final = frozenset({"true", "yes", "false", "no"})


def secret_nodes(documents: Iterable[YamlNode]) -> Iterator[YamlNode]:
    """The values that documents of one package mark as secret."""
    mappings = [(above, node) for document in documents for above, node in _walk_mappings(document)]
    names = {name for _, mapping in mappings for name in _sensitive_names(mapping)}
    for above, mapping in mappings:
        yield from _find_secrets(above, mapping)
        if names and above in _ASSIGNED:
            for key, value in mapping.items():
                if text_of(key) in names and not _is_sensitive(value):
                    yield value


def scalar_lines(node: YamlNode) -> Iterator[str]:
    """The lines of all scalars of a value. What an expression reads is no secret, only what it gives."""
    for scalar in _find_scalars(node):
        if scalar.value is not None and not isinstance(scalar.value, bool):
            yield from (line.strip() for line in scalar.text.splitlines())


def _find_scalars(node: YamlNode) -> Iterator[YamlScalar]:
    todo, seen = [node], set[int]()
    while todo:
        here = todo.pop()
        if isinstance(here, YamlScalar):
            yield here
        elif id(here) not in seen:  # aliases make a tree a graph
            seen.add(id(here))
            todo += _list_children(here)


def _list_children(node: YamlMapping | YamlSequence) -> Iterable[YamlNode]:
    if isinstance(node, YamlSequence):
        return node.items
    return [value for key, value in node.items() if text_of(key) not in _EXPRESSIONS]


def _walk_mappings(document: YamlNode) -> Iterator[tuple[str | None, YamlMapping]]:
    """Every mapping, with the key under which it stands."""
    todo: list[tuple[str | None, YamlNode]] = [(None, document)]
    seen: set[int] = set()
    while todo:
        above, node = todo.pop()
        if isinstance(node, YamlScalar) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, YamlMapping):
            yield above, node
            todo += [(text_of(key), value) for key, value in node.items()]
        else:
            todo += [(above, item) for item in node]


def _is_sensitive(node: YamlNode) -> bool:
    """Whether it is a definition that says so."""
    if not isinstance(node, YamlMapping):
        return False
    notes = node.get("metadata")
    return any(
        isinstance(flag, YamlScalar) and flag.text.lower() in ("true", "yes")
        for flag in (
            node.get("sensitive"),
            notes.get("sensitive") if isinstance(notes, YamlMapping) else None,
        )
    )


def _sensitive_names(mapping: YamlMapping) -> Iterator[str]:
    for key, value in mapping.items():
        name = text_of(key)
        if name is not None and _is_sensitive(value):
            yield name


def _find_secrets(above: str | None, mapping: YamlMapping) -> Iterator[YamlNode]:
    if _is_sensitive(mapping):
        yield from (value for name in _WRITTEN if (value := mapping.get(name)) is not None)
    elif (value := mapping.get("sensitive")) is not None and (text_of(value) or "").lower() not in _FLAGS:
        yield value
    if above == "secret_configs":
        yield mapping
    elif above == "secrets":
        yield from _secret_data(mapping)
    elif above == "registry" and (password := mapping.get("password")) is not None:
        yield password
    if text_of(mapping.get("kind")) == "Secret":
        yield from (data for key in ("data", "stringData") if (data := mapping.get(key)) is not None)


def _secret_data(secrets: YamlMapping) -> Iterator[YamlNode]:
    """Of secrets that say where they are mounted the data, of others everything."""
    for value in secrets.values():
        if isinstance(value, YamlMapping) and value.get("path") is not None:
            if (data := value.get("data")) is not None:
                yield data
        else:
            yield value
