"""Fields that the server does not know: server-side apply refuses an object because of one, so they are left out and told.

The server says what it knows in its OpenAPI document. Definitions are looked up by group, version and kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

__all__ = ["Schemas"]

_REFERENCE: Final = "#/definitions/"
_KEY_DEFAULTS: Final = {"protocol": "TCP"}
"""What the API takes for a key of list items that is not said."""


class Schemas:
    """The definitions of one server."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._definitions: Mapping[str, Any] = document.get("definitions", {})
        self._by_kind = {
            kind: definition for definition in self._definitions.values() for kind in _kinds(definition)
        }

    def without_unknown(self, manifest: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The object as the server can take it, and the paths of what was left out."""
        group, _, version = str(manifest.get("apiVersion", "")).rpartition("/")
        definition = self._by_kind.get((group, version, str(manifest.get("kind"))))
        if definition is None:  # of a kind that is not described: the server alone can judge
            return dict(manifest), ()
        left_out: list[str] = []
        return self._taken(manifest, definition, "", left_out), tuple(left_out)

    def _taken(self, value: Any, schema: Mapping[str, Any], path: str, left_out: list[str]) -> Any:
        schema = self._resolved(schema)
        if isinstance(value, Mapping):
            return self._taken_mapping(value, schema, path, left_out)
        items = schema.get("items")
        if isinstance(value, list) and isinstance(items, Mapping):
            keys = schema.get("x-kubernetes-list-map-keys")
            keys = keys if isinstance(keys, list) else []
            return [
                self._taken(_with_keys(item, keys), items, f"{path}[{index}]", left_out)
                for index, item in enumerate(value)
            ]
        return value

    def _taken_mapping(
        self, value: Mapping[str, Any], schema: Mapping[str, Any], path: str, left_out: list[str]
    ) -> Mapping[str, Any]:
        properties = schema.get("properties")
        others = schema.get("additionalProperties")
        is_open = schema.get("x-kubernetes-preserve-unknown-fields", False)
        if not isinstance(properties, Mapping):
            properties = {}
            is_open = is_open or not isinstance(others, Mapping)
        taken: dict[str, Any] = {}
        for key, item in value.items():
            inner = f"{path}.{key}" if path else key
            schema = properties.get(key, others)
            if isinstance(schema, Mapping):
                taken[key] = self._taken(item, schema, inner, left_out)
            elif is_open:
                taken[key] = item
            else:
                left_out.append(inner)
        return taken

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        definition: Mapping[str, Any] = self._definitions.get(reference.removeprefix(_REFERENCE), {})
        return definition


def _with_keys(item: Any, keys: Sequence[str]) -> Any:
    """An item of a list whose items are told apart by keys. Servers before 1.21 want each of them said."""
    if not isinstance(item, Mapping):
        return item
    return {**{key: default for key, default in _KEY_DEFAULTS.items() if key in keys}, **item}


def _kinds(definition: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for kind in definition.get("x-kubernetes-group-version-kind", ()):
        yield kind["group"], kind["version"], kind["kind"]
