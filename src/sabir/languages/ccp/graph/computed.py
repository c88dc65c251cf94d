"""What a service is beside what its definition says: replicas, whole names of images, hosts, links from outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import structs

from sabir.graph import AttributeRead, How, Origin, Value
from sabir.languages.ccp.graph.origins import Origins
from sabir.languages.ccp.model.resolved import ResolvedDeployment
from sabir.languages.ccp.syntax.images import image_name, image_settings
from sabir.languages.ccp.syntax.nodes import Definition, WorkloadKind

__all__ = ["computed_attributes"]


def computed_attributes(
    resolved: ResolvedDeployment,
    definition: Definition,
    origins: Origins,
    containers: tuple[Origin | AttributeRead, ...],
) -> tuple[dict[str, Value], dict[str, Origin]]:
    """Values, and where they came from; `containers`: what decided which there are."""
    service, configuration = definition.service, resolved.deployment.configuration
    values: dict[str, Value] = {}
    sources: dict[str, tuple[tuple[str, ...], ...]] = {}
    if service.kind is not WorkloadKind.DAEMON_SET:
        values["replicas"] = configuration.section("replicas").get(service.name, 1)
        sources["replicas"] = (("replicas", service.name),)
    names = dict.fromkeys(container.image for container in service.containers)
    values["images"] = [image_name(configuration, name) for name in names]
    sources["images"] = tuple(
        dict.fromkeys(path for name in names for path in image_settings(configuration, name))
    )
    hosts = resolved.topology.services.get(service.name) if resolved.topology is not None else None
    if hosts is not None:
        values["hosts"] = [*hosts]
        nodes = (("nodes", pattern, "roles") for pattern in configuration.section("nodes"))
        sources["hosts"] = (*nodes, ("roles",), ("kubernetes", "cluster_nodes"))
    links: list[Value] = [*_links(definition, configuration.configs)]
    if links:
        values["links"] = links
        sources["links"] = (("configs", "ingress"), ("configs", "k8s_external_ip"))
    computed = {name: _origin(definition, name, paths, origins) for name, paths in sources.items()}
    images = computed["images"]
    computed["images"] = structs.replace(images, sources=(*images.sources, *containers))
    return values, computed


def _origin(
    definition: Definition, name: str, paths: tuple[tuple[str, ...], ...], origins: Origins
) -> Origin:
    service = definition.service
    place = service.name_place
    reads: list[Origin | AttributeRead] = []
    if origins.full:
        reads += [source for path in paths if origins.has(*path) for source in origins.of_config(*path)]
        if name == "images":
            reads += [
                AttributeRead(f"{service.name}/{container.name}", "image") for container in service.containers
            ]
        elif name == "links":
            reads.append(AttributeRead(service.name, "ports"))
        else:
            reads.append(AttributeRead(service.name, "name"))
    return Origin(place, How.RENDERED, tuple(reads), f"{name} of service {service.name}")


def _links(definition: Definition, configs: dict[str, Any]) -> Iterator[str]:
    """Addresses of its ports from outside of the cluster."""
    written = configs.get("ingress")
    ingress: Mapping[str, Any] = written if isinstance(written, dict) else {}
    for port in definition.service.ports:
        if ingress.get("enabled") and port.ingress:
            number = f":{ingress['port']}" if ingress.get("port") else ""
            yield f"https://{port.ingress}.{ingress.get('domain')}{number}"
        elif port.external is not None:
            yield f"http://{configs.get('k8s_external_ip')}:{port.external}"
