"""Whether a package is TOSCA, by the beginnings of its files; kept apart so that asking costs little."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sabir.source.packages import LoadedPackage


META: Final = "TOSCA-Metadata/TOSCA.meta"
META_NAMES: Final = (META, "TOSCA.meta")
"""TOSCA 2.0 takes it at the root, too."""
_MOST_FILES: Final = 400
# A start that asks every language for a package needs it, and no other.
# A file without its version, or with a misspelled one.
_SECTIONS: Final = (
    rb"(?m)^(?:tosca_definit\w*|topology_template|service_template|node_templates|(?:node|relationship|capability|interface|"
    rb"artifact|group|policy)_types)[ \t]*:"
)
_TOPOLOGY: Final = rb"(?m)^(?:tosca_definit\w*|topology_template[ \t]*:)"
_MARK: Final = rb"(?m)^(?:\xef\xbb\xbf)?[ \t]*(?:-[ \t]+)?[\"']?(?:tosca_definitions_version[\"']?[ \t]*:|apiVersion[\"']?[ \t]*:[ \t]*[\"']?unfurl/)"


def is_tosca_package(package: LoadedPackage) -> bool:
    return any(map(package.exists, META_NAMES)) or next(list_candidate_files(package), None) is not None


def list_candidate_files(package: LoadedPackage) -> Iterator[str]:
    """The YAML files that say they are TOSCA or an ensemble, those near the root first.

    Where none does: those at the root that lack only their version.
    """
    names = [name for name in package.list() if name.endswith((".yaml", ".yml", ".tosca"))]
    if not names and package.single_file:
        names = package.list()
    unmarked: list[str] = []
    has_marked = False
    for name in sorted(names, key=lambda name: (name.count("/"), name))[:_MOST_FILES]:
        file = package.get_file(name)
        if file is None:
            continue
        raw = file.raw()
        if _is_marked(raw) or (package.single_file and _has_section(raw)):
            has_marked = True
            yield name
        elif "/" not in name and _looks_like_tosca(raw):
            unmarked.append(name)
    if not has_marked:
        yield from unmarked


def _looks_like_tosca(raw: bytes) -> bool:
    """Whether a file in a folder is clearly TOSCA without its version: other tools have sections of the same names."""
    if re.search(_TOPOLOGY, raw) is not None:
        return True
    return (b"tosca." in raw or b"derived_from" in raw) and _has_section(raw)


def _has_section(raw: bytes) -> bool:
    return re.search(_SECTIONS, raw) is not None


def _is_marked(raw: bytes) -> bool:
    # Most files of other languages hold neither word, and need no pattern.
    has_word = b"tosca_definitions_version" in raw or b"unfurl/" in raw
    return has_word and re.search(_MARK, raw) is not None
