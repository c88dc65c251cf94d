"""A resource as the object that is sent: marks taken off, labels of sabir put on, a hash where the content decides."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.drivers.kubernetes.compare import OPERATION, sensitive_paths
from sabir.errors import DeployError
from sabir.graph.values import reveal, reveal_all
from sabir.resources.resource import Resource

__all__ = ["CONTENT", "CREATED", "ENVIRONMENT", "WantedObject", "environment_label", "wanted_object"]

CONTENT: Final = "sabir/content"
"""The annotation with the hash of what a Job was made from."""
CREATED: Final = "sabir/created"
"""The annotation of a namespace that sabir created, with the id of the operation."""
ENVIRONMENT: Final = "sabir/environment"
"""The label that tells objects of one environment from others."""


class WantedObject(Struct, frozen=True, kw_only=True):
    manifest: Mapping[str, Any]
    sensitive: frozenset[str]
    """Paths whose values are never shown."""
    wait: bool
    force: bool
    replace: bool
    """Delete it and make it anew where the cluster does not let it be changed."""

    @property
    def is_job(self) -> bool:
        return bool(self.manifest["kind"] == "Job")

    @property
    def is_namespace(self) -> bool:
        return (self.manifest["apiVersion"], self.manifest["kind"]) == ("v1", "Namespace")

    @property
    def content(self) -> str | None:
        annotations: Mapping[str, str] = self.manifest["metadata"].get("annotations") or {}
        return annotations.get(CONTENT)

    def with_operation(self, operation_id: str | None) -> Mapping[str, Any]:
        """The object that also carries the id of the operation, when there is one."""
        return _annotated(self.manifest, OPERATION, operation_id)

    def with_creation(self, operation_id: str | None) -> WantedObject:
        """A namespace that also says which operation created it, when that is known; other objects as they are."""
        if not self.is_namespace:
            return self
        return replace(self, manifest=_annotated(self.manifest, CREATED, operation_id))


def _annotated(manifest: Mapping[str, Any], name: str, value: str | None) -> Mapping[str, Any]:
    """With an annotation; without it when there is no value."""
    metadata = manifest["metadata"]
    others = {key: text for key, text in (metadata.get("annotations") or {}).items() if key != name}
    if value is None and name not in (metadata.get("annotations") or {}):
        return manifest
    annotations = others if value is None else {**others, name: value}
    return {**manifest, "metadata": {**metadata, "annotations": annotations}}


def wanted_object(resource: Resource, environment: str, *, force: bool) -> WantedObject:
    """The object that a resource asks for; `DeployError` when it is none."""
    manifest = reveal_all(resource.desired.get("manifest"))
    for key in ("apiVersion", "kind"):
        if not isinstance(manifest, Mapping) or not isinstance(manifest.get(key), str):
            raise DeployError(f"{resource.address}: its manifest needs {key!r}")
    metadata = manifest.get("metadata")
    if not isinstance(metadata, Mapping) or not isinstance(metadata.get("name"), str):
        raise DeployError(f"{resource.address}: its manifest needs metadata with a name")
    manifest = {**manifest, "metadata": _labelled(metadata, environment)}
    if manifest["kind"] == "Job":
        manifest = _hashed(manifest)
    return WantedObject(
        manifest=manifest,
        sensitive=sensitive_paths(reveal(resource.desired.get("manifest"))),
        wait=reveal(resource.desired.get("wait")) is not False,
        force=force or reveal(resource.desired.get("force")) is True,
        replace=reveal(resource.desired.get("replace")) is True,
    )


def _labelled(metadata: Mapping[str, Any], environment: str) -> dict[str, Any]:
    """With the labels of sabir. That of the environment is reserved: it decides whose the object is."""
    labels = {"app.kubernetes.io/managed-by": "sabir", **(metadata.get("labels") or {})}
    return {**metadata, "labels": {**labels, ENVIRONMENT: environment_label(environment)}}


def environment_label(environment: str) -> str:
    """The name of an environment as a label may have it."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", environment)[:63].strip("-_.") or "environment"


def _hashed(manifest: dict[str, Any]) -> dict[str, Any]:
    """A Job cannot be changed, only made anew: the hash tells whether it was made from the same content."""
    metadata = manifest["metadata"]
    if CONTENT in (metadata.get("annotations") or {}):
        return manifest
    content = json.dumps(manifest.get("spec"), sort_keys=True, default=str).encode()
    annotations = {**(metadata.get("annotations") or {}), CONTENT: hashlib.sha256(content).hexdigest()[:16]}
    return {**manifest, "metadata": {**metadata, "annotations": annotations}}
