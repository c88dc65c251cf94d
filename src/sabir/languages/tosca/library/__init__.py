"""Bundled types: the normative ones of TOSCA, those of the NFV profile, and a few of Unfurl.

They are TOSCA files in this directory. A template uses a dozen of their two hundred types, so a file is split
into types by its indentation, and a type is parsed on first use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from sabir.languages.tosca.syntax.definitions import read_type
from sabir.languages.tosca.syntax.nodes import DocumentOrigin, TypeDefinition
from sabir.languages.tosca.syntax.reader import Reader
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.source.yaml import compose, plain_data
from sabir.source.yaml.nodes import node_of
from sabir.text import EMPTY_SPAN, Source

__all__ = ["PROFILES", "find_shipped", "list_shipped_names"]

PROFILES: Final = ("simple", "nfv", "unfurl")


@cache
def _read_type_texts(profile: str) -> Mapping[str, Mapping[str, str]]:
    """Return the text of each type by section and name.

    Names are indented by two columns, everything inside a type by more.
    """
    if profile not in PROFILES:
        return {}
    types: dict[str, dict[str, list[str]]] = {}
    section: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in Path(__file__).with_name(f"{profile}.yaml").read_text(encoding="utf-8").splitlines():
        if line.startswith("   "):
            lines.append(line)
        elif line.startswith("  "):
            lines = section[line.partition(":")[0].strip()] = [line]
        elif line and not line.startswith("#"):
            section = types[line.rstrip(":")] = {}
    return {
        kind: {name: "\n".join(lines) for name, lines in section.items()} for kind, section in types.items()
    }


@cache
def _short_names(profile: str, section: str) -> Mapping[str, str]:
    """Return the shorthand names of types: `Compute` and `tosca:Compute` for `tosca.nodes.Compute`."""
    full: dict[str, str] = {}
    last: dict[str, str] = {}
    for name in _read_type_texts(profile).get(section, {}):
        if name.startswith("tosca."):
            short = name.split(".", 2)[2] if name.count(".") > 1 else name
            full.setdefault(short, name)
            last.setdefault(short.rpartition(".")[2], name)
    # The last word alone has lower priority: `Compute` is tosca.nodes.Compute, not tosca.nodes.Abstract.Compute.
    aliases = last | full
    return aliases | {f"tosca:{alias}": name for alias, name in aliases.items()}


def find_shipped(profile: str, kind: TypeKind, name: str) -> TypeDefinition | None:
    """Return a bundled type by its full, shorthand or prefixed name, or None."""
    section = _read_type_texts(profile).get(kind.value, {})
    if name not in section:
        name = _short_names(profile, kind.value).get(name, name)
    return _load_definition(profile, kind, name) if name in section else None


@cache
def _load_definition(profile: str, kind: TypeKind, name: str) -> TypeDefinition:
    text = _read_type_texts(profile)[kind.value][name]
    label = f"<{profile} types>"
    document = compose(Source(label, text)).documents[0]
    assert document is not None
    data: Any = plain_data(document)
    reader = Reader(DocumentOrigin(Source(label, ""), None, shipped=True), [])
    # Bundled types have no location in files of the user.
    return read_type(reader, kind, name, EMPTY_SPAN, node_of(data[name], EMPTY_SPAN))


def list_shipped_names(profile: str, kind: TypeKind) -> Sequence[str]:
    """Return the full names of the bundled types of a kind."""
    return tuple(_read_type_texts(profile).get(kind.value, ()))
