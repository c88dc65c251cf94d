"""What may be written next in a TOSCA file: the keys of the grammar, and the functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from sabir.languages.tosca.syntax.grammar import Collection, Entity, grammar
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.source.symbols import Candidate, SymbolKind
from sabir.source.yaml.cursor import TypedPlace, typed_place

__all__ = ["candidates", "wanted_keys"]

_SIMPLE: Final = {"topology_template": "service_template"}
"""Keys of the Simple Profile, with what stands in their place in 2.0."""
_FUNCTIONS: Final = (
    *(
        "get_input",
        "get_property",
        "get_attribute",
        "get_operation_output",
        "get_artifact",
        "get_nodes_of_type",
    ),
    *("concat", "token", "join", "eval", "get_env", "get_secret", "to_env"),
)
_TYPE_VALUE_KEYS: Final = frozenset({"type", "derived_from", "relationship", "capability"})


def candidates(package: LoadedPackage, file: PackageFile, offset: int) -> Sequence[Candidate]:  # noqa: ARG001  an explorer's
    place = typed_place(file.source, offset)
    if place.is_key:
        return _listed(_keys(place.path), SymbolKind.KEYWORD)
    return _listed(_FUNCTIONS, SymbolKind.FUNCTION) if place.before.lstrip().startswith("{") else ()


def _keys(path: tuple[str, ...]) -> Iterable[str]:
    """The keys that the grammar has below a path; a name of the author's own stands where a map of names is."""
    entity: Entity = grammar()["file"]
    is_name = False
    for key in path:
        if is_name:
            is_name = False
            continue
        field = entity.fields.get(_SIMPLE.get(key, key))
        if field is None or field.entity is None:
            return ()
        entity = grammar()[field.entity]
        is_name = field.collection in (Collection.NAMED, Collection.LISTED)
    return () if is_name else (*entity.fields, *(() if path else _SIMPLE))


def wanted_keys(file: PackageFile, offset: int) -> Sequence[str]:
    place = typed_place(file.source, offset)
    typed = place.before.replace(" ", "")
    if place.key in _TYPE_VALUE_KEYS:
        return ("type ",)
    if typed.endswith("{get_input:") or place.key == "get_input":
        return ("input ",)
    if _names_node(place, typed):
        return ("node ",)
    return ("member ",) if "get_property" in typed or "get_attribute" in typed else ()


def _names_node(place: TypedPlace, typed: str) -> bool:
    in_requirements = place.path[-1:] == ("requirements",) and place.key is not None
    return in_requirements or place.key in ("node", "target") or typed.endswith(("[", "::"))


def _listed(names: Iterable[str], kind: SymbolKind) -> Sequence[Candidate]:
    return [Candidate(text=name, kind=kind) for name in sorted(names)]
