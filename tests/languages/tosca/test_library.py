"""The types that sabir brings: files in TOSCA, read type by type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sabir.languages.tosca import library
from sabir.languages.tosca.library import PROFILES, find_shipped, list_shipped_names
from sabir.languages.tosca.syntax.schemas import PRIMITIVES
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.source.yaml import compose, plain_data
from sabir.text import Source


def _whole(profile: str) -> Any:
    path = Path(library.__file__).with_name(f"{profile}.yaml")
    stream = compose(Source(path.name, path.read_text(encoding="utf-8")))
    assert not stream.findings
    (document,) = stream.documents
    assert document is not None
    return plain_data(document)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_file_read_by_types_says_what_it_says_as_a_whole(profile: str) -> None:
    whole = _whole(profile)
    assert set(whole) <= {kind.value for kind in TypeKind}
    for section, types in whole.items():
        kind = TypeKind(section)
        assert list(list_shipped_names(profile, kind)) == list(types)
        for name, written in types.items():
            definition = find_shipped(profile, kind, name)
            assert definition is not None
            assert definition.derived_from == written.get("derived_from")
            assert list(definition.properties) == list(written.get("properties", ()))
            assert list(definition.capabilities) == list(written.get("capabilities", ()))


@pytest.mark.parametrize("profile", PROFILES)
def test_every_parent_is_shipped_too(profile: str) -> None:
    for section, types in _whole(profile).items():
        kind = TypeKind(section)
        for written in types.values():
            parent = written.get("derived_from")
            assert (
                parent is None
                or (kind is TypeKind.DATA and parent in PRIMITIVES)
                or any(find_shipped(other, kind, parent) for other in (profile, "simple"))
            ), parent


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("tosca.nodes.Compute", "tosca.nodes.Compute"),
        ("Compute", "tosca.nodes.Compute"),
        ("tosca:Compute", "tosca.nodes.Compute"),
        ("Abstract.Compute", "tosca.nodes.Abstract.Compute"),
        ("Network", "tosca.nodes.network.Network"),
        ("Compuet", None),
    ],
)
def test_shorthand_and_prefixed_names(name: str, full: str | None) -> None:
    definition = find_shipped("simple", TypeKind.NODE, name)
    assert (None if definition is None else definition.name) == full


def test_an_unknown_profile_holds_nothing() -> None:
    assert find_shipped("other", TypeKind.NODE, "tosca.nodes.Root") is None
    assert list_shipped_names("other", TypeKind.NODE) == ()
