"""Keys of mappings that nobody reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sabir.diagnostics.near import did_you_mean
from sabir.source.yaml.nodes import YamlMapping, YamlNode, text_of

__all__ = ["unknown_keys"]


def unknown_keys(mapping: YamlMapping, names: Sequence[str]) -> Iterator[tuple[YamlNode, str, str]]:
    """The keys that are none of the names: where each stands, how it is written, and what may be meant."""
    for key in mapping:
        name = text_of(key) or ""
        if name not in names:
            yield key, name, did_you_mean(name, names) or f"known here: {', '.join(names)}"
