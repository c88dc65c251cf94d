"""Loads a deployment from a package and a request; the resolved deployment is what evaluation uses.

What operations observed or created is a layer of the configuration, below anything that the user
writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from sabir.errors import InputError
from sabir.graph.values import Value, reveal_all
from sabir.languages.ccp.model.config_file import ConfigFile, find_config
from sabir.languages.ccp.model.topology import ServiceTopology
from sabir.languages.ccp.model.units import Units
from sabir.languages.ccp.recognition import is_definition_file
from sabir.languages.ccp.syntax.component import Component, components_of
from sabir.languages.ccp.syntax.deployment import INPUTS, Deployment, read_deployment
from sabir.languages.language import EvaluationRequest
from sabir.session import Session
from sabir.source.packages import LoadedPackage, is_below, load_package
from sabir.text import Source

CLUSTER: Final = "cluster"
CERTIFICATES: Final = "certificates"
_TEXTS: Final = ("ca_cert", "server_cert", "server_key", "dhparam")


def build_observed_layer(observed: Mapping[str, Value]) -> Source | None:
    layer: dict[str, Any] = {}
    nodes = reveal_all(observed.get(f"{CLUSTER}|nodes"))
    if isinstance(nodes, list | tuple):
        layer["kubernetes"] = {"cluster_nodes": [str(node) for node in nodes]}
    texts = {name: reveal_all(observed.get(f"{CERTIFICATES}|{name}")) for name in _TEXTS}
    if all(isinstance(text, str) for text in texts.values()):
        layer["secret_configs"] = {"security": {"tls": texts}}
    return Source("<observed>", json.dumps(layer)) if layer else None


def load_deployment(
    package: LoadedPackage, request: EvaluationRequest | None = None, *, keeps_trees: bool = False
) -> Deployment:
    """Return the deployment of a package and its configuration. `keeps_trees` is for a graph."""
    request = request or EvaluationRequest()
    config = find_config(package, request)
    session = request.session
    limits = session.limits.package
    packages = [package, *(load_package(path, limits) for path in request.search_path)]
    if package.single_file and package.path is not None:
        if is_definition_file(package):
            packages[0] = load_package(package.path.absolute().parent.parent, limits)
        else:
            packages = [*_load_repositories(config, package.path.absolute().parent, session), *packages[1:]]
    elif config is not None and package.path is not None and not components_of(packages):
        packages += _load_repositories(config, package.path, session)
    components = _sort_components(components_of(packages), config)
    if not components:
        raise InputError(f"{package.name} has no definitions: service/NAME.yaml is where they are looked for")
    deployment = read_deployment(
        components,
        observed=build_observed_layer(request.observed),
        config=None if config is None else config.layer,
        beside=None if config is None else config.beside,
        packages=packages,
        inputs=_build_inputs_layer(request.inputs),
        overrides=request.overrides,
        recording=request.full_provenance,
        keeps_trees=keeps_trees,
    )
    names = (
        f"{definition.service.name}/{container.name}"
        for definition in deployment.definitions
        for container in definition.service.containers
    )
    deployment.overrides.reject_unused(names)
    return deployment


def _load_repositories(config: ConfigFile | None, beside: Path, session: Session) -> list[LoadedPackage]:
    """Return the directory of component repositories: `repositories.path`, or that of the configuration."""
    written = None if config is None else config.repositories.get("path")
    folder = beside / str(written) if written else beside
    if not session.trust.outside and not is_below(folder, beside):
        raise InputError(
            f"repositories.path {str(written)!r} leads out of the project and is not followed: "
            "name it with --search-path, or allow it with --trust outside"
        )
    return [load_package(folder, session.limits.package)]


def _sort_components(components: tuple[Component, ...], config: ConfigFile | None) -> tuple[Component, ...]:
    """Return components in the order of `repositories.repos`, in which their defaults are merged."""
    repositories = None if config is None else config.repositories.get("repos")
    names = (
        [repository.get("name") for repository in repositories if isinstance(repository, dict)]
        if isinstance(repositories, list)
        else []
    )
    order = {str(name): position for position, name in enumerate(names)}
    last = len(order)

    def position(component: Component) -> int:
        folder = component.root.rstrip("/").rpartition("/")[2]
        return order.get(folder, order.get(component.name, last))

    return tuple(sorted(components, key=position))


def _build_inputs_layer(inputs: Mapping[str, Value]) -> Source | None:
    """Return inputs as a layer: `--input web.port=8080` is `configs: {web: {port: 8080}}`."""
    if not inputs:
        return None
    configs: dict[str, Any] = {}
    for name, value in inputs.items():
        *parents, last = name.split(".")
        inner = configs
        for parent in parents:
            values = inner.get(parent)
            below = values if isinstance(values, dict) else {}
            inner[parent] = below
            inner = below
        inner[last] = reveal_all(value)
    return Source(INPUTS, json.dumps({"configs": configs}, default=str))


class ResolvedDeployment(Struct, frozen=True, kw_only=True, eq=False):
    """A deployment without errors: from a partial one queries would give wrong answers."""

    deployment: Deployment
    units: Units
    topology: ServiceTopology | None
    """None: everything runs anywhere."""

    def deploys(self, service: str) -> bool:
        return self.topology is None or self.topology.has(service)
