"""The driver of Kubernetes clusters."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from sabir.extras import require_extra
from sabir.graph.values import Value, reveal_value
from sabir.resources.driver import DriverContext, Kind
from sabir.resources.fields import Field, FieldType
from sabir.resources.outcome import FieldChange, ResourceReading, list_reported_changes
from sabir.resources.resource import Resource
from sabir.resources.target import Target

if TYPE_CHECKING:
    from sabir.deployments.drivers.kubernetes.connection import ClusterConnection


_SECONDS: Final = 300.0
_REQUEST_SECONDS: Final = 30.0
_WORKLOADS: Final = frozenset({"DaemonSet", "Deployment", "StatefulSet"})
"""Kinds whose pods are made anew when their template changes."""


def _is_workload(fields: Mapping[str, Value]) -> bool:
    manifest = reveal_value(fields.get("manifest"))
    return isinstance(manifest, Mapping) and manifest.get("kind") in _WORKLOADS


class KubernetesDriver:
    """Any object of any kind: applied by the server, waited for, taken away with what it owns."""

    name: Final = "kubernetes"
    kinds: Mapping[str, Kind] = {
        "kubernetes": Kind(
            about="an object of a Kubernetes cluster",
            fields={
                "manifest": Field(
                    about="the object: apiVersion, kind, metadata and the rest",
                    type=FieldType.MAP,
                    required=True,
                ),
                "wait": Field(
                    about="wait until it is ready: pods run, a Job has ended; default true",
                    type=FieldType.FLAG,
                ),
                "force": Field(about="take over fields that others own", type=FieldType.FLAG),
                "replace": Field(
                    about="delete it and make it anew where it cannot be changed in place",
                    type=FieldType.FLAG,
                ),
            },
            # The server merges what is applied; a second apply of the same object changes nothing.
            idempotent=True,
            operations={"restart": "make the pods of a workload anew"},
            callable_on=_is_workload,
        ),
        "kubernetes-run": Kind(
            about="objects that are applied and waited for each time, Jobs among them made anew",
            fields={
                "objects": Field(about="the objects, in their order", type=FieldType.LIST, required=True)
            },
            # A Job that carries the id of the operation is waited for, not made again.
            idempotent=True,
            runs=True,
        ),
        "kubernetes-nodes": Kind(
            about="the nodes of the cluster: their names come back as `nodes`",
            fields={},
            idempotent=True,
            runs=True,
        ),
    }

    def settings(self) -> Mapping[str, Field]:
        return {
            "kubeconfig": Field(about="the file; else KUBECONFIG, the account of this pod, ~/.kube/config"),
            "context": Field(about="a context of that file; else its current one"),
            "namespace": Field(about="of objects that name none; else that of the context"),
            "field_manager": Field(about="whom the cluster names as owner of fields; default sabir"),
            "force": Field(about="take over fields that others own", type=FieldType.FLAG),
            "wait_seconds": Field(about="how long to wait for an object; default 300", type=FieldType.NUMBER),
            "timeout_seconds": Field(about="how long a request may take; default 30", type=FieldType.NUMBER),
        }

    def diff(self, resource: Resource, reading: ResourceReading) -> Sequence[FieldChange]:
        """The server foresees it when the object is read."""
        return list_reported_changes(resource, reading, whole="manifest")

    @asynccontextmanager
    async def connect(self, target: Target, context: DriverContext) -> AsyncGenerator[ClusterConnection]:
        with require_extra("kubernetes,deploy", f"target {target.name!r}"):
            from sabir.deployments.drivers.kubernetes.access import cluster_config, open_client
            from sabir.deployments.drivers.kubernetes.api import KubernetesApi
            from sabir.deployments.drivers.kubernetes.connection import ClusterSettings
            from sabir.deployments.drivers.kubernetes.ownership import Ownership
            from sabir.deployments.drivers.kubernetes.runs import ClusterRunConnection

            config = cluster_config(target, context)

        def setting(name: str, default: Any) -> Any:
            value = reveal_value(target.settings.get(name))
            return default if value is None else value

        seconds = float(setting("timeout_seconds", _REQUEST_SECONDS))
        async with open_client(config, timeout=seconds) as client:
            api = KubernetesApi(
                client, namespace=str(setting("namespace", config.namespace)), seconds=seconds
            )
            settings = ClusterSettings(
                ownership=Ownership(
                    environment=context.environment,
                    field_manager=str(setting("field_manager", "sabir")),
                    recorded=context.recorded,
                ),
                force=bool(setting("force", False)),
                wait_seconds=float(setting("wait_seconds", _SECONDS)),
            )
            yield ClusterRunConnection(api, settings, await api.check_access())


DRIVER: Final = KubernetesDriver()
