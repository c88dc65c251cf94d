"""YAML 1.1 as PyYAML reads it, with the place of every key, scalar and container."""

from sabir.source.yaml.compose import YamlLimits, YamlStream, compose
from sabir.source.yaml.nodes import (
    Style,
    YamlEntry,
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    plain_data,
)

__all__ = [
    "Style",
    "YamlEntry",
    "YamlLimits",
    "YamlMapping",
    "YamlNode",
    "YamlScalar",
    "YamlSequence",
    "YamlStream",
    "compose",
    "plain_data",
]
