"""A resource as the object that is sent: marks taken off, labels of sabir put on, a hash where the content decides.

Who owns which fields of an object, when another tool made it.

An apply only takes fields away that its own manager owns. What an earlier tool has set and nobody wants any more would stay for
ever, so the fields of that tool are given to our manager before its first apply.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.drivers.kubernetes.compare import OPERATION, sensitive_paths
from sabir.errors import DeployError
from sabir.graph.values import reveal_all, reveal_value
from sabir.resources.resource import Resource

CONTENT: Final = "sabir/content"
"""The annotation with the hash of what a Job was made from."""
CREATED: Final = "sabir/created"
"""The annotation of a namespace that sabir created, with the id of the operation."""
ENVIRONMENT: Final = "sabir/environment"
"""The label that tells objects of one environment from others."""


class DesiredObject(Struct, frozen=True, kw_only=True):
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

    def with_creation(self, operation_id: str | None) -> DesiredObject:
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


def build_desired_object(resource: Resource, environment: str, *, force: bool) -> DesiredObject:
    """The object that a resource asks for; `DeployError` when it is none."""
    manifest = reveal_all(resource.desired.get("manifest"))
    for key in ("apiVersion", "kind"):
        if not isinstance(manifest, Mapping) or not isinstance(manifest.get(key), str):
            raise DeployError(f"{resource.address}: its manifest needs {key!r}")
    metadata = manifest.get("metadata")
    if not isinstance(metadata, Mapping) or not isinstance(metadata.get("name"), str):
        raise DeployError(f"{resource.address}: its manifest needs metadata with a name")
    manifest = {**manifest, "metadata": _add_labels(metadata, environment)}
    if manifest["kind"] == "Job":
        manifest = _add_content_hash(manifest)
    return DesiredObject(
        manifest=manifest,
        sensitive=sensitive_paths(reveal_value(resource.desired.get("manifest"))),
        wait=reveal_value(resource.desired.get("wait")) is not False,
        force=force or reveal_value(resource.desired.get("force")) is True,
        replace=reveal_value(resource.desired.get("replace")) is True,
    )


def _add_labels(metadata: Mapping[str, Any], environment: str) -> dict[str, Any]:
    """With the labels of sabir. That of the environment is reserved: it decides whose the object is."""
    labels = {"app.kubernetes.io/managed-by": "sabir", **(metadata.get("labels") or {})}
    return {**metadata, "labels": {**labels, ENVIRONMENT: environment_label(environment)}}


def environment_label(environment: str) -> str:
    """The name of an environment as a label may have it."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", environment)[:63].strip("-_.") or "environment"


def _add_content_hash(manifest: dict[str, Any]) -> dict[str, Any]:
    """A Job cannot be changed, only made anew: the hash tells whether it was made from the same content."""
    metadata = manifest["metadata"]
    if CONTENT in (metadata.get("annotations") or {}):
        return manifest
    content = json.dumps(manifest.get("spec"), sort_keys=True, default=str).encode()
    annotations = {**(metadata.get("annotations") or {}), CONTENT: hashlib.sha256(content).hexdigest()[:16]}
    return {**manifest, "metadata": {**metadata, "annotations": annotations}}


_CONTROLLERS: Final = ("kube-", "kubelet", "cloud-controller", "sabir-restart")
"""How the names of those begin that fill in what is never described: status, addresses, numbers of replicas."""


def claim_managed_fields(managed: Sequence[Mapping[str, Any]], manager: str) -> list[dict[str, Any]] | None:
    """The `managedFields` with those of other tools under our manager; None when it has applied already, or there are none."""
    theirs = [entry for entry in managed if _is_of_tool(entry)]
    if not theirs or any(entry.get("manager") == manager for entry in managed):
        return None
    version = theirs[-1].get("apiVersion")
    ours = {
        "manager": manager,
        "operation": "Apply",
        "apiVersion": version,
        "fieldsType": "FieldsV1",
        "fieldsV1": reduce(_merge_fields, (entry.get("fieldsV1") or {} for entry in theirs)),
    }
    return [*(dict(entry) for entry in managed if not _is_of_tool(entry)), ours]


def convert_created(managed: Sequence[Mapping[str, Any]], manager: str) -> list[dict[str, Any]] | None:
    """The `managedFields` with what our manager has created as if it had applied it; None when there is nothing to convert."""
    ours = [entry for entry in managed if entry.get("manager") == manager and "subresource" not in entry]
    if not any(entry.get("operation") == "Update" for entry in ours):
        return None
    applied = {
        **ours[-1],
        "operation": "Apply",
        "fieldsV1": reduce(_merge_fields, (entry.get("fieldsV1") or {} for entry in ours)),
    }
    return [*(dict(entry) for entry in managed if entry not in ours), applied]


def _is_of_tool(entry: Mapping[str, Any]) -> bool:
    fields = entry.get("fieldsV1") or {}
    return (
        not str(entry.get("manager", "")).startswith(_CONTROLLERS)
        and "subresource" not in entry
        and fields.keys() != {"f:status"}
    )


def _merge_fields(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Any]:
    """Two sets of fields, which are trees of names, as one."""
    shared = {name: _merge_fields(left[name], right[name]) for name in left.keys() & right.keys()}
    return {**left, **right, **shared}
