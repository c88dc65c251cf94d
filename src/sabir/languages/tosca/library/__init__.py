"""The types that sabir brings: TOSCA's normative ones, those of the NFV profile, and the few of Unfurl that ensembles name.

They are TOSCA, in the files beside this module. A template uses a dozen of their two hundred types, so a file is cut into types
by its indentation, and a type is read when it is first asked for.
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
    """Section to the names of its types to what is written for each: names stand two columns in, all else deeper."""
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
    """`Compute` and `tosca:Compute` for `tosca.nodes.Compute`: the shorthand and prefixed names of the document."""
    full: dict[str, str] = {}
    last: dict[str, str] = {}
    for name in _read_type_texts(profile).get(section, {}):
        if name.startswith("tosca."):
            short = name.split(".", 2)[2] if name.count(".") > 1 else name
            full.setdefault(short, name)
            last.setdefault(short.rpartition(".")[2], name)
    # The last word alone comes second: `Compute` is tosca.nodes.Compute, not tosca.nodes.Abstract.Compute.
    aliases = last | full
    return aliases | {f"tosca:{alias}": name for alias, name in aliases.items()}


def find_shipped(profile: str, kind: TypeKind, name: str) -> TypeDefinition | None:
    """The definition of a shipped type by its full, shorthand or prefixed name."""
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
    # What is shipped has no place in the files of a user.
    return read_type(reader, kind, name, EMPTY_SPAN, node_of(data[name], EMPTY_SPAN))


def list_shipped_names(profile: str, kind: TypeKind) -> Sequence[str]:
    return tuple(_read_type_texts(profile).get(kind.value, ()))
