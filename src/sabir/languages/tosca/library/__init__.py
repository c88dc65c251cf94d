"""The types that sabir brings: TOSCA's normative ones, those of the NFV profile, and the few of Unfurl that ensembles name.

They are plain data, written here from the OASIS and ETSI documents; a type becomes a definition when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final

from sabir.languages.tosca.syntax.definitions import read_type
from sabir.languages.tosca.syntax.nodes import Kind, Origin, TypeDefinition
from sabir.languages.tosca.syntax.reader import Reader
from sabir.source.yaml.nodes import YamlEntry, YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import EMPTY_SPAN, Source

__all__ = ["PROFILES", "find_shipped", "shipped_names"]

PROFILES: Final = ("simple", "nfv", "unfurl")

Section = Mapping[str, Mapping[str, Any]]


@cache
def _data(profile: str) -> Mapping[str, Section]:
    if profile not in PROFILES:
        return {}
    found: Mapping[str, Section] = import_module(f"{__name__}.{profile}").TYPES
    return found


@cache
def _short_names(profile: str, section: str) -> Mapping[str, str]:
    """`Compute` and `tosca:Compute` for `tosca.nodes.Compute`: the shorthand and prefixed names of the document."""
    found: dict[str, str] = {}
    last: dict[str, str] = {}
    for name in _data(profile).get(section, {}):
        if name.startswith("tosca."):
            short = name.split(".", 2)[2] if name.count(".") > 1 else name
            found.setdefault(short, name)
            last.setdefault(short.rpartition(".")[2], name)
    # The last word alone comes second: `Compute` is tosca.nodes.Compute, not tosca.nodes.Abstract.Compute.
    aliases = last | found
    return aliases | {f"tosca:{alias}": name for alias, name in aliases.items()}


@cache
def find_shipped(profile: str, kind: Kind, name: str) -> TypeDefinition | None:
    """The definition of a shipped type by its full, shorthand or prefixed name."""
    section = _data(profile).get(kind.value, {})
    if name not in section:
        name = _short_names(profile, kind.value).get(name, name)
    written = section.get(name)
    if written is None:
        return None
    reader = Reader(Origin(Source(f"<{profile} types>", ""), None, shipped=True), [])
    return read_type(reader, kind, name, EMPTY_SPAN, _node(written))


def shipped_names(profile: str, kind: Kind) -> Sequence[str]:
    return tuple(_data(profile).get(kind.value, ()))


def _node(data: Any) -> YamlNode:
    if isinstance(data, Mapping):
        return YamlMapping(
            EMPTY_SPAN, tuple(YamlEntry(_node(key), _node(value)) for key, value in data.items())
        )
    if isinstance(data, list | tuple):
        return YamlSequence(EMPTY_SPAN, tuple(_node(item) for item in data))
    return YamlScalar.at(EMPTY_SPAN, str(data), data)
