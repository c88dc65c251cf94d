"""All objects of a checked deployment, in the order they are to be sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from sabir.languages.ccp.evaluate.objects.access import access_objects
from sabir.languages.ccp.evaluate.objects.configuration import (
    deployment_objects,
    service_objects,
    service_secrets,
)
from sabir.languages.ccp.evaluate.objects.jobs import jobs
from sabir.languages.ccp.evaluate.objects.networking import ingress, services
from sabir.languages.ccp.evaluate.objects.settings import Settings
from sabir.languages.ccp.evaluate.objects.workloads import workload
from sabir.languages.ccp.model.resolved import ResolvedDeployment
from sabir.languages.ccp.syntax.nodes import Definition

__all__ = ["KubernetesObject", "object_stream", "render_objects"]


class KubernetesObject(Struct, frozen=True, eq=False):
    """An object and the service it was made from (None: the deployment as a whole)."""

    data: Mapping[str, Any]
    definition: Definition | None = None

    @property
    def kind(self) -> str:
        return str(self.data["kind"])

    @property
    def name(self) -> str:
        return str(self.data["metadata"]["name"])


def render_objects(
    resolved: ResolvedDeployment, *, namespace: str | None = None, images: Mapping[str, str] | None = None
) -> list[KubernetesObject]:
    """Every object once, those that others need first."""
    return list(object_stream(resolved, namespace=namespace, images=images))


def object_stream(
    resolved: ResolvedDeployment, *, namespace: str | None = None, images: Mapping[str, str] | None = None
) -> Iterator[KubernetesObject]:
    """The same, one after the other: those of a large deployment need not be there at once."""
    settings = Settings(
        resolved=resolved,
        namespace=namespace or resolved.deployment.configuration.namespace,
        image_overrides=images or {},
    )
    return _distinct(_objects(settings))


def _objects(settings: Settings) -> Iterator[KubernetesObject]:
    for data in deployment_objects(settings):
        yield KubernetesObject(data)
    for definition in settings.deployment.definitions:
        if not settings.deploys(definition.service.name):
            continue
        for data in service_objects(settings, definition, settings.units.of_service(definition.service.name)):
            yield KubernetesObject(data, definition)
        for data in access_objects(settings, definition):
            yield KubernetesObject(data, definition)
        for data in service_secrets(settings, definition):
            yield KubernetesObject(data, definition)
        for data in jobs(settings, definition):
            yield KubernetesObject(data, definition)
        yield KubernetesObject(workload(settings, definition), definition)
        for data in services(settings, definition):
            yield KubernetesObject(data, definition)
        rules = ingress(settings, definition)
        if rules is not None:
            yield KubernetesObject(rules, definition)


def _distinct(objects: Iterator[KubernetesObject]) -> Iterator[KubernetesObject]:
    """A Secret that two definitions name is made once."""
    seen: set[tuple[str, str]] = set()
    for object_ in objects:
        key = (object_.kind, object_.name)
        if key not in seen:
            seen.add(key)
            yield object_
