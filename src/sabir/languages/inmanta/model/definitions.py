"""The definitions of a project, and the resolution of written names."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, TypeVar

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean, suggest
from sabir.languages.inmanta.model.entities import EntityType, ImplementationDef
from sabir.languages.inmanta.model.types import PRIMITIVES, ConstrainedType, ValueType
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.languages.inmanta.syntax.lexer import KEYWORDS
from sabir.languages.inmanta.syntax.project import InmantaProject, Namespace

UNKNOWN_NAME: Final = inmanta_rule(
    "INM:E003",
    "a name means nothing",
    "A variable, type, entity, attribute, implementation or function that does not exist, or whose namespace is not "
    "imported in this file. Types and functions are looked up before anything runs; variables when they are read.",
)

_Found = TypeVar("_Found")


class Definitions(Struct, eq=False):
    """The definitions of a project by full name."""

    project: InmantaProject
    entities: dict[str, EntityType] = {}
    typedefs: dict[str, ConstrainedType] = {}
    implementations: dict[str, ImplementationDef] = {}
    findings: list[Finding] = []
    lost: set[str] = set()
    """Names of properties and implementations whose own definition is wrong: that they are missed is a consequence."""
    inferred: dict[tuple[str, int], EntityType] = {}
    """Entities of constructors that are told by the relation they are set to: namespace and offset of the constructor."""
    members: dict[str, tuple[int, dict[str, frozenset[str]]]] = {}
    """By kind: how many were declared when it was asked for, and the short names of each namespace."""

    def full_names(self, name: str, namespace: Namespace) -> list[str]:
        """Return the full names a written type, implementation or function may have, nearest first.

        A file sees its own namespace and the enclosing ones: `a::b::c` also sees `a::b` and `a`.
        """
        head, _, last = name.rpartition("::")
        if head:
            home = namespace.imports.get(head)
            return [] if home is None else [f"{home}::{last}"]
        parts = namespace.name.split("::")
        return ["::".join([*parts[:size], last]) for size in range(len(parts), 0, -1)]

    def entity(self, name: str, namespace: Namespace) -> EntityType | None:
        return _find_first(self.entities, self.full_names(name, namespace))

    def find_constructed(self, node: nodes.Construct, namespace: Namespace) -> EntityType | None:
        return self.entity(node.entity, namespace) or self.inferred.get((namespace.name, node.start))

    def value_type(self, name: str, namespace: Namespace) -> ValueType | None:
        if name in PRIMITIVES:
            return PRIMITIVES[name]
        return _find_first(self.typedefs, self.full_names(name, namespace))

    def implementation(self, name: str, namespace: Namespace) -> ImplementationDef | None:
        return _find_first(self.implementations, self.full_names(name, namespace))

    def import_hint(self, head: str, namespace: Namespace) -> str:
        """Return a hint for a namespace that a file does not import."""
        keyword = next((part for part in head.split("::") if part in KEYWORDS), None)
        if keyword is not None:
            return f"{keyword!r} is a keyword, and no module can be called so"
        advice = f"add 'import {head}' to this file"
        if head in self.project.namespaces:
            return advice
        return did_you_mean(head, namespace.imports) or advice

    def describe_unknown(
        self, kind: str, name: str, namespace: Namespace, declared: Collection[str]
    ) -> tuple[str, str | None]:
        """Return message and hint for an undefined name."""
        head, _, last = name.rpartition("::")
        if head and head not in namespace.imports:
            return f"{kind} {name!r}: the namespace {head!r} is not imported here", self.import_hint(
                head, namespace
            )
        home = namespace.imports[head] if head else namespace.name
        if not head:
            elsewhere = {
                f"{alias}::{last}"
                for alias, space in namespace.imports.items()
                if f"{space}::{last}" in declared and space != home
            }
            if elsewhere:
                return f"there is no {kind} {name!r} here", did_you_mean_one_of(elsewhere)
        siblings = self._members(kind, declared).get(home, frozenset())
        if head:
            meant = suggest(last, siblings)
            hint = None if meant is None else f"did you mean {f'{head}::{meant}'!r}?"
            return f"there is no {kind} {name!r} in {home!r}", hint
        return f"there is no {kind} {name!r}", did_you_mean(
            name, siblings, PRIMITIVES if kind == "type" else ()
        )

    def _members(self, kind: str, declared: Collection[str]) -> dict[str, frozenset[str]]:
        """Return the short names of each namespace, recomputed after new declarations."""
        size, members = self.members.get(kind, (-1, {}))
        if size != len(declared):
            names: dict[str, list[str]] = {}
            for full in declared:
                home, _, last = full.rpartition("::")
                names.setdefault(home, []).append(last)
            members = {home: frozenset(lasts) for home, lasts in names.items()}
            self.members[kind] = len(declared), members
        return members


def did_you_mean_one_of(names: Iterable[str]) -> str:
    """Return a hint that lists the full names of a short name."""
    *others, last = (repr(name) for name in sorted(names))
    return f"did you mean {', '.join(others)} or {last}?" if others else f"did you mean {last}?"


def _find_first(definitions: dict[str, _Found], names: list[str]) -> _Found | None:
    for name in names:
        if name in definitions:
            return definitions[name]
    return None
