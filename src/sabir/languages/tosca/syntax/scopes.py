"""Namespaces: the names of types that one file can say, its own and those of the files it imports.

A file that is imported into a namespace is reached by its prefix, and so are the namespaces inside it: `my:k8s:Pod`. What a
definition names is looked up from the file it stands in, whoever imports that file and by whatever prefix.
"""

from __future__ import annotations

from enum import Enum


class TypeKind(Enum):
    """The kinds of types; the value is the section they stand in."""

    NODE = "node_types"
    RELATIONSHIP = "relationship_types"
    CAPABILITY = "capability_types"
    DATA = "data_types"
    ARTIFACT = "artifact_types"
    INTERFACE = "interface_types"
    GROUP = "group_types"
    POLICY = "policy_types"

    @property
    def word(self) -> str:
        return self.value.removesuffix("_types")


class TypeScope:
    """One file: the types it defines, by the names that the whole topology knows them by, and its imports."""

    __slots__ = ("imports", "names")

    def __init__(self) -> None:
        self.names: dict[TypeKind, dict[str, str]] = {}
        self.imports: list[tuple[str, TypeScope]] = []

    def find(self, kind: TypeKind, name: str) -> str | None:
        """The name that the topology has for a type; None when this file cannot see it."""
        return self._find(kind, name, set())

    def _find(self, kind: TypeKind, name: str, seen: set[tuple[int, str]]) -> str | None:
        if (id(self), name) in seen:
            return None
        seen.add((id(self), name))
        declared = self.names.get(kind, {}).get(name)
        if declared is not None:
            return declared
        for namespace, scope in self.imports:
            if not namespace:
                found = scope._find(kind, name, seen)
            elif name.startswith((f"{namespace}:", f"{namespace}.")):
                found = scope._find(kind, name[len(namespace) + 1 :], seen)
            else:
                continue
            if found is not None:
                return found
        return None

    def leads_to_nothing(self, name: str) -> bool:
        """Whether a prefixed name leads into a file that defines nothing: it stands for types that are elsewhere."""
        scope: TypeScope | None = self
        rest = name
        while ":" in rest and scope is not None:
            prefix, _, rest = rest.partition(":")
            scope = next((inner for namespace, inner in scope.imports if namespace == prefix), None)
        return scope is not None and scope is not self and not scope.names and not scope.imports
