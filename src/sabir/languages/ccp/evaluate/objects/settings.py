"""What all objects of a deployment share: namespace, images, pull secret, configuration volume."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, TypeVar

from msgspec import Struct

from sabir.languages.ccp.evaluate.objects.content import Contents
from sabir.languages.ccp.evaluate.objects.origins import ObjectReads
from sabir.languages.ccp.model.deployment import ResolvedDeployment
from sabir.languages.ccp.model.topology import ServiceTopology
from sabir.languages.ccp.model.units import Units
from sabir.languages.ccp.syntax.component import collect_macros
from sabir.languages.ccp.syntax.configuration import Configuration
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.images import image_name
from sabir.languages.ccp.syntax.nodes import Definition

REGISTRY_SECRET: Final = "registry-key"


_Part = TypeVar("_Part")


class ObjectSettings(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    resolved: ResolvedDeployment
    other_namespace: str | None = None
    """Instead of the one of the configuration."""
    image_overrides: Mapping[str, str] = {}
    """Whole image names by the name a definition uses."""
    reads: ObjectReads | None = None
    """What notes what objects are made from, when it is asked for; `resolved` is watched then."""

    @property
    def namespace(self) -> str:
        return self.other_namespace or self.configuration.namespace

    @property
    def deployment(self) -> Deployment:
        return self.resolved.deployment

    @property
    def units(self) -> Units:
        return self.resolved.units

    @property
    def topology(self) -> ServiceTopology | None:
        return self.resolved.topology

    @property
    def configuration(self) -> Configuration:
        return self.deployment.configuration

    @cached_property
    def contents(self) -> Contents:
        return Contents(self.resolved if self.reads is None else self.reads.resolved, self.reads)

    def image(self, name: str) -> str:
        """Return the full image name, with registry, namespace and tag."""
        if name in self.image_overrides:
            return self.image_overrides[name]
        return image_name(self.configuration, name)

    @property
    def python_image(self) -> str | None:
        """The image that provides an interpreter to containers without one, if configured."""
        options = self.configuration.section("configs").get("runner")
        name = options.get("image") if isinstance(options, dict) else None
        if not isinstance(name, str) or not name:
            return None
        return name if "/" in name else self.image(name)

    def pull_policy(self) -> dict[str, str]:
        """When images are pulled, if configured."""
        policy = self.configuration.section("kubernetes").get("image_pull_policy")
        return {} if policy is None else {"imagePullPolicy": str(policy)}

    @property
    def has_credentials(self) -> bool:
        return bool(self.configuration.section("registry").get("username"))

    @cached_property
    def exports(self) -> dict[str, str]:
        """The shared macros of all components by file name."""
        return {name: source.text for name, source in collect_macros(self.deployment.components).items()}

    def export_texts(self) -> dict[str, str]:
        if self.reads is not None:
            self.reads.note_exports()
        return dict(self.exports)

    def text(self, definition: Definition, name: str) -> str:
        """Return the template of a file of a definition."""
        content = self.deployment.content(definition, name)
        if self.reads is not None:
            self.reads.note_text(definition, name)
        return content.source.text if content is not None else ""

    def pull_secrets(self) -> dict[str, Any]:
        return {"imagePullSecrets": [{"name": REGISTRY_SECRET}]} if self.has_credentials else {}

    def hosts(self, service: str) -> tuple[str, ...] | None:
        return self.topology.services.get(service) if self.topology is not None else None

    def deploys(self, service: str) -> bool:
        return self.resolved.deploys(service)

    def metadata(self, name: str, extra: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
        return self.part("metadata", lambda: {"name": name, "namespace": self.namespace, **extra()})

    def part(self, name: str, make: Callable[[], _Part]) -> _Part:
        """Return a part of an object that has other sources than the rest of it."""
        return make() if self.reads is None else self.reads.part(name, make)


def default_metadata(definition: Definition) -> dict[str, Any]:
    """Return the metadata of an object without its own labels or annotations."""
    return {"labels": service_labels(definition)}


def service_labels(definition: Definition) -> dict[str, str]:
    return {"app": definition.service.name, "ccp": "true", "ccp-component": definition.component}
