"""Common base of nodes, capabilities and relationships, and the artifacts of nodes.

An attribute has up to three values: the live one (recorded or observed), the one that the template assigns,
and the default of the type. The first of these that exists is used.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from sabir.expressions.query.live import AssignedValue, LiveResource
from sabir.expressions.query.resource import Artifact
from sabir.expressions.query.session import QuerySession
from sabir.expressions.query.values import MISSING
from sabir.graph.values import UNKNOWN, Unknown
from sabir.languages.tosca.evaluate.observations import build_unknown_attribute, read_text
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.nodes import ArtifactDefinition, PropertyDefinition, SourceValue
from sabir.languages.tosca.syntax.scopes import TypeKind

if TYPE_CHECKING:
    from sabir.languages.tosca.evaluate.ensemble import Ensemble


REFLECTED: Final = frozenset({"tosca_id", "tosca_name", "state"})
"""TOSCA attributes that repeat facts about the instance itself."""

_PENDING: Final = object()


class EntityInstance(LiveResource):
    """An instance with assigned, default and live values."""

    __slots__ = ("_planned", "ensemble", "flat")

    def __init__(self, ensemble: Ensemble, flat: FlatType | None) -> None:
        super().__init__()
        self.ensemble = ensemble
        self.flat = flat
        self._planned: dict[str, Any] = {}
        if ensemble.session.dependents is not None:
            self._ready, self._planned = ensemble.session.make_cache(), ensemble.session.make_cache()

    @property
    def session(self) -> QuerySession:
        return self.ensemble.session

    @property
    def types(self) -> Sequence[str]:
        return self.flat.names if self.flat is not None else (self.type,)

    def definition(self, key: str) -> PropertyDefinition | None:
        flat = self.flat
        return None if flat is None else flat.properties.get(key) or flat.attributes.get(key)

    def find_template_value(self, key: str) -> SourceValue | None:
        """Return what the template assigns to a property or attribute."""
        raise NotImplementedError

    def has_property(self, key: str) -> bool:
        definition = self.definition(key)
        return (
            self.find_template_value(key) is not None if definition is None else not definition.is_attribute
        )

    def live(self, key: str) -> Any:
        """Return the live value of an attribute, or MISSING."""
        del key
        return MISSING

    def find_assignment(self, key: str) -> AssignedValue | None:
        live = self.live(key)
        if live is not MISSING:
            definition = self.definition(key)
            if isinstance(live, str) and definition is not None and definition.schema is not None:
                live = read_text(live, definition.schema, self.ensemble.model.types)
            return AssignedValue(live, sensitive=definition is not None and definition.sensitive)
        return self.find_declared_value(key)

    def find_declared_value(self, key: str) -> AssignedValue | None:
        """Return the assigned value, else the default of the type, ignoring live values."""
        definition = self.definition(key)
        assigned = self.find_template_value(key)
        if assigned is not None:
            return self.ensemble.assignment(assigned, definition)
        if definition is None:
            return None
        default = self.ensemble.default(definition)
        if default is None and definition.is_attribute:
            # A declared attribute without a value matches with null; an optional property does not match.
            return self.find_reflected_value(key) or AssignedValue(self.build_unknown(key))
        return default

    @property
    def key(self) -> str | None:
        """The key of the instance in the graph and in the state; None if it is in neither."""
        return None

    def build_unknown(self, key: str) -> Unknown:
        """Return the placeholder of an attribute that has no value yet."""
        return UNKNOWN if self.key is None else build_unknown_attribute(self.key, key)

    def find_reflected_value(self, key: str) -> AssignedValue | None:
        """Return the value of a TOSCA attribute that describes the instance itself."""
        match key:
            case "tosca_name":
                return AssignedValue(self.template_name)
            case "tosca_id":
                return AssignedValue(self.id)
            case "state" if self.state is not None:
                return AssignedValue(self.state.name)
            case _:
                return None

    def get_planned(self, key: str) -> Any:
        """Return the declared value of an attribute that also has a live value.

        A read of the value while it is computed is a cycle and is reported as such.
        """
        if self.live(key) is MISSING:
            return self.get(key)
        value = self._planned.get(key, MISSING)
        if value is MISSING:
            described = self.find_declared_value(key)
            if described is None:
                return MISSING
            value = self._plan(key, described)
        return self.circle(repr(key), None) if value is _PENDING else value

    def _plan(self, key: str, described: AssignedValue) -> Any:
        dependents = self.session.dependents
        self._planned[key] = _PENDING
        try:
            if dependents is None:
                value = described.value(self)
            else:
                with dependents.track_computation(self._planned, key):  # type: ignore[arg-type]  # then it is `Kept`
                    value = described.value(self)
        except BaseException:
            del self._planned[key]
            raise
        self._planned[key] = value
        return value


_IMAGE: Final = "tosca.artifacts.Deployment.Image"


class FileArtifact(Artifact):
    """An artifact of a template or type: the file or the image that it names."""

    __slots__ = ("_definition", "_ensemble")

    def __init__(self, definition: ArtifactDefinition, ensemble: Ensemble) -> None:
        self._definition = definition
        self._ensemble = ensemble

    @property
    def name(self) -> str:
        return self._definition.name

    def get(self, key: str) -> Any:
        return self._definition.keys.get(key, MISSING)

    @property
    def location(self) -> str | None:
        definition = self._definition
        if definition.file is None:
            return None
        if self._is_image:
            registry = self._registry()
            return f"{registry}/{definition.file}" if registry else definition.file
        if urlsplit(definition.file).scheme in ("http", "https", "ftp", "git", "ssh"):
            return definition.file
        if definition.repository is not None:
            return self._in_repository(definition.repository, definition.file)
        base = definition.origin.directory
        return definition.file if base is None else os.path.normpath(base / definition.file)

    @property
    def _is_image(self) -> bool:
        type_ = self._definition.type
        return type_ is not None and self._ensemble.model.types.is_a(TypeKind.ARTIFACT, type_, _IMAGE)

    def _registry(self) -> str | None:
        """Return the registry of an image: the address of its repository without the scheme."""
        if self._definition.repository is None:
            return None
        repository = self._ensemble.model.topology.repositories.get(self._definition.repository)
        return None if repository is None else repository.url.rpartition("://")[2].rstrip("/")

    def _in_repository(self, repository: str, file: str) -> str | None:
        local = self._ensemble.session.project.repositories.get(repository)
        if local is not None:
            return os.path.normpath(local / file)
        declared = self._ensemble.model.topology.repositories.get(repository)
        return None if declared is None else f"{declared.url.rstrip('/')}/{file}"
