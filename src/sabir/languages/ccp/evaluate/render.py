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
from sabir.languages.ccp.evaluate.objects.networking import ingresses, services
from sabir.languages.ccp.evaluate.objects.reads import MadeFrom, ObjectReads
from sabir.languages.ccp.evaluate.objects.settings import Settings
from sabir.languages.ccp.evaluate.objects.workloads import workloads
from sabir.languages.ccp.model.resolved import ResolvedDeployment
from sabir.languages.ccp.syntax.nodes import Definition
from sabir.languages.ccp.syntax.recording.nodes import unwatched

__all__ = ["KubernetesObject", "object_stream", "render_objects"]


class KubernetesObject(Struct, frozen=True, eq=False):
    """An object and the service it was made from (None: the deployment as a whole)."""

    data: Mapping[str, Any]
    definition: Definition | None = None
    made_from: MadeFrom = MadeFrom()
    """What it was made from, when that was recorded."""

    @property
    def kind(self) -> str:
        return str(self.data["kind"])

    @property
    def name(self) -> str:
        return str(self.data["metadata"]["name"])


def render_objects(
    resolved: ResolvedDeployment,
    *,
    namespace: str | None = None,
    images: Mapping[str, str] | None = None,
    recording: bool = False,
) -> list[KubernetesObject]:
    """Every object once, those that others need first; `recording`: with what they were made from."""
    if recording:
        reads = ObjectReads(resolved)
        return [*_distinct(_objects(Settings(resolved=reads.watched(), reads=reads)))]
    return list(object_stream(resolved, namespace=namespace, images=images))


def object_stream(
    resolved: ResolvedDeployment, *, namespace: str | None = None, images: Mapping[str, str] | None = None
) -> Iterator[KubernetesObject]:
    """The same, one after the other: those of a large deployment need not be there at once."""
    settings = Settings(resolved=resolved, other_namespace=namespace, image_overrides=images or {})
    return _distinct(_objects(settings))


def _objects(settings: Settings) -> Iterator[KubernetesObject]:
    yield from _made(settings, None, deployment_objects(settings))
    for definition in settings.deployment.definitions:
        service = definition.service.name
        if not settings.deploys(service):
            continue
        for objects in (
            service_objects(settings, definition, settings.units.of_service(service)),
            access_objects(settings, definition),
            service_secrets(settings, definition),
            jobs(settings, definition),
            workloads(settings, definition),
            services(settings, definition),
            ingresses(settings, definition),
        ):
            yield from _made(settings, definition, objects)


def _made(
    settings: Settings, definition: Definition | None, objects: Iterator[dict[str, Any]]
) -> Iterator[KubernetesObject]:
    if settings.reads is None:
        for data in objects:
            yield KubernetesObject(data, definition)
        return
    described = None if definition is None else unwatched(definition)
    for data, made_from in settings.reads.each(objects):
        yield KubernetesObject(data, described, made_from)


def _distinct(objects: Iterator[KubernetesObject]) -> Iterator[KubernetesObject]:
    """A Secret that two definitions name is made once."""
    seen: set[tuple[str, str]] = set()
    for object_ in objects:
        key = (object_.kind, object_.name)
        if key not in seen:
            seen.add(key)
            yield object_
