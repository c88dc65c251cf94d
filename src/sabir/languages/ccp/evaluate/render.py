"""All objects of a checked deployment in the order they are applied, and their files.

A file is made when it is requested, so that the texts of a large deployment are never in memory at
once.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView
from typing import Any

from msgspec import Struct

from sabir.languages.ccp.evaluate.objects.configuration import (
    deployment_objects,
    service_objects,
    service_secrets,
)
from sabir.languages.ccp.evaluate.objects.networking import access_objects, build_ingresses, build_services
from sabir.languages.ccp.evaluate.objects.origins import MadeFrom, ObjectReads
from sabir.languages.ccp.evaluate.objects.settings import ObjectSettings
from sabir.languages.ccp.evaluate.objects.workloads import build_jobs, build_workloads
from sabir.languages.ccp.model.deployment import ResolvedDeployment
from sabir.languages.ccp.syntax.nodes import Definition
from sabir.languages.ccp.syntax.recording.nodes import unwrap_node
from sabir.source.yaml.write import yaml_document


class KubernetesObject(Struct, frozen=True, eq=False):
    """An object and the service it was made from (None for the deployment as a whole)."""

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
    """Return every object once, prerequisites first; `recording` adds what they were made from."""
    if recording:
        reads = ObjectReads(resolved)
        return [
            *_drop_duplicates(_build_objects(ObjectSettings(resolved=reads.watch_deployment(), reads=reads)))
        ]
    return list(object_stream(resolved, namespace=namespace, images=images))


def object_stream(
    resolved: ResolvedDeployment, *, namespace: str | None = None, images: Mapping[str, str] | None = None
) -> Iterator[KubernetesObject]:
    """Yield the objects one after the other, so that a large deployment is never in memory at once."""
    settings = ObjectSettings(resolved=resolved, other_namespace=namespace, image_overrides=images or {})
    return _drop_duplicates(_build_objects(settings))


def _build_objects(settings: ObjectSettings) -> Iterator[KubernetesObject]:
    yield from _wrap_objects(settings, None, deployment_objects(settings))
    for definition in settings.deployment.definitions:
        service = definition.service.name
        if not settings.deploys(service):
            continue
        for objects in (
            service_objects(settings, definition, settings.units.of_service(service)),
            access_objects(settings, definition),
            service_secrets(settings, definition),
            build_jobs(settings, definition),
            build_workloads(settings, definition),
            build_services(settings, definition),
            build_ingresses(settings, definition),
        ):
            yield from _wrap_objects(settings, definition, objects)


def _wrap_objects(
    settings: ObjectSettings, definition: Definition | None, objects: Iterator[dict[str, Any]]
) -> Iterator[KubernetesObject]:
    if settings.reads is None:
        for data in objects:
            yield KubernetesObject(data, definition)
        return
    described = None if definition is None else unwrap_node(definition)
    for data, made_from in settings.reads.each(objects):
        yield KubernetesObject(data, described, made_from)


def _drop_duplicates(objects: Iterator[KubernetesObject]) -> Iterator[KubernetesObject]:
    """Yield a Secret that two definitions name only once."""
    seen: set[tuple[str, str]] = set()
    for object_ in objects:
        key = (object_.kind, object_.name)
        if key not in seen:
            seen.add(key)
            yield object_


_LIST = "kustomization.yaml"


class ObjectFiles(Mapping[str, str]):
    """Files by name, in the order the objects are applied; `listed` adds a list of them for kustomize.

    Iterating over the items makes each object once. Requesting a single file makes those before it
    again.
    """

    def __init__(self, objects: Callable[[], Iterator[KubernetesObject]], *, listed: bool) -> None:
        self._objects = objects
        self._listed = listed

    def stream(self) -> Iterator[tuple[str, str]]:
        names: list[str] = []
        for object_ in self._objects():
            name = _file_name(object_)
            if self._listed:
                names.append(name)
            yield name, yaml_document(object_.data)
        if self._listed:
            listing = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
            yield _LIST, yaml_document({**listing, "resources": names})

    def __iter__(self) -> Iterator[str]:
        yield from (_file_name(object_) for object_ in self._objects())
        if self._listed:
            yield _LIST

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> str:
        for other, text in self.stream():
            if other == name:
                return text
        raise KeyError(name)

    def items(self) -> ItemsView[str, str]:
        return _Items(self)

    def values(self) -> ValuesView[str]:
        return _Values(self)


class _Items(ItemsView[str, str]):
    _mapping: ObjectFiles

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return self._mapping.stream()


class _Values(ValuesView[str]):
    _mapping: ObjectFiles

    def __iter__(self) -> Iterator[str]:
        return (text for _, text in self._mapping.stream())


def _file_name(one: KubernetesObject) -> str:
    return f"{one.kind.lower()}-{one.name}.yaml"
