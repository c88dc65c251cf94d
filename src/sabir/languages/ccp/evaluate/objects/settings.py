"""What all objects of a deployment share: namespace, images, pull secret, configuration volume."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

from sabir.languages.ccp.evaluate.objects.content import Contents
from sabir.languages.ccp.model.resolved import ResolvedDeployment
from sabir.languages.ccp.model.topology import Topology
from sabir.languages.ccp.model.units import Units
from sabir.languages.ccp.syntax.component import shared_macros
from sabir.languages.ccp.syntax.configuration import Configuration
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.images import image_name
from sabir.languages.ccp.syntax.nodes import Definition

__all__ = ["Settings", "labels"]

REGISTRY_SECRET: Final = "registry-key"


class Settings(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    resolved: ResolvedDeployment
    namespace: str
    image_overrides: Mapping[str, str] = {}
    """Whole image names by the name a definition uses."""

    @property
    def deployment(self) -> Deployment:
        return self.resolved.deployment

    @property
    def units(self) -> Units:
        return self.resolved.units

    @property
    def topology(self) -> Topology | None:
        return self.resolved.topology

    @property
    def configuration(self) -> Configuration:
        return self.deployment.configuration

    @cached_property
    def contents(self) -> Contents:
        return Contents(self.resolved)

    def image(self, name: str) -> str:
        """Registry, namespace and tag are added by the framework."""
        if name in self.image_overrides:
            return self.image_overrides[name]
        return image_name(self.configuration, name)

    @property
    def python_image(self) -> str | None:
        """The image that brings an interpreter to containers without one, when the configuration names it."""
        options = self.configuration.configs.get("runner")
        name = options.get("image") if isinstance(options, dict) else None
        if not isinstance(name, str) or not name:
            return None
        return name if "/" in name else self.image(name)

    def pull_policy(self) -> dict[str, str]:
        """When images are pulled, where the configuration says so."""
        policy = self.configuration.section("kubernetes").get("image_pull_policy")
        return {} if policy is None else {"imagePullPolicy": str(policy)}

    @property
    def has_credentials(self) -> bool:
        return bool(self.configuration.section("registry").get("username"))

    @cached_property
    def exports(self) -> dict[str, str]:
        """Shared macros of all components by the names of their files."""
        return {name: source.text for name, source in shared_macros(self.deployment.components).items()}

    def pull_secrets(self) -> dict[str, Any]:
        return {"imagePullSecrets": [{"name": REGISTRY_SECRET}]} if self.has_credentials else {}

    def hosts(self, service: str) -> tuple[str, ...] | None:
        return self.topology.services.get(service) if self.topology is not None else None

    def deploys(self, service: str) -> bool:
        return self.resolved.deploys(service)

    def metadata(self, name: str, extra: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return {"name": name, "namespace": self.namespace, **(extra or {})}


def labels(definition: Definition) -> dict[str, str]:
    return {"app": definition.service.name, "ccp": "true", "ccp-component": definition.component}
