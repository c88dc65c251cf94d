"""Artifacts of a node and where they are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from sabir.expressions.query.resource import Artifact
from sabir.expressions.query.values import MISSING
from sabir.languages.tosca.syntax.nodes import ArtifactDefinition
from sabir.languages.tosca.syntax.scopes import Kind

if TYPE_CHECKING:
    from sabir.languages.tosca.evaluate.ensemble import Ensemble

__all__ = ["FileArtifact"]

_IMAGE: Final = "tosca.artifacts.Deployment.Image"


class FileArtifact(Artifact):
    """An artifact of a template or type: its file, or the image it names."""

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
        return type_ is not None and self._ensemble.model.types.is_a(Kind.ARTIFACT, type_, _IMAGE)

    def _registry(self) -> str | None:
        """The registry of an image: the address of its repository without the scheme."""
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
