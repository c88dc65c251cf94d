"""What a good reviewer would say: nothing here stops a deployment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.languages.ccp.model.topology import Topology
from sabir.languages.ccp.model.units import Units
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.nodes import Container, Definition, File, Volume
from sabir.languages.ccp.syntax.violation import Kind, Violation

__all__ = ["review"]

_SENSITIVE: Final = (
    "/",
    "/boot",
    "/dev",
    "/etc",
    "/proc",
    "/root",
    "/sys",
    "/var/lib/etcd",
    "/var/lib/kubelet",
    "/var/run/docker.sock",
    "/run/docker.sock",
    "/run/containerd",
    "/var/run/crio",
)


def review(deployment: Deployment, units: Units, topology: Topology | None) -> Iterator[Violation]:
    for definition in deployment.definitions:
        for container in definition.service.containers:
            yield from _probes(container)
            yield from _privileges(container)
        yield from _host_namespaces(definition)
        yield from _files(definition)
    yield from _latest(deployment)
    if topology is not None:
        yield from _topology(deployment, units, topology)


def _probes(container: Container) -> Iterator[Violation]:
    liveness = container.liveness
    if liveness is not None and liveness.timeout is None:
        yield Violation(
            kind=Kind.LIVENESS_TIMEOUT,
            path=liveness.path,
            message=f"{liveness.path} has no timeout: after 1 s the container {container.name!r} counts as dead",
            place=liveness.place,
            hint="use {type: exec, command: …, timeout: SECONDS}",
        )
    if container.readiness is None:
        yield Violation(
            kind=Kind.NO_READINESS,
            path=f"{container.path}.probes.readiness",
            message=f"container {container.name!r} has no readiness check: it counts as ready once its daemon started",
            place=container.name_place,
        )


def _privileges(container: Container) -> Iterator[Violation]:
    if container.privileged and container.privileged_place is not None:
        yield Violation(
            kind=Kind.PRIVILEGED,
            path=f"{container.path}.privileged",
            message=f"container {container.name!r} is privileged: it has every right on its node",
            place=container.privileged_place,
        )
    for volume in container.volumes:
        if volume.host_path is not None and not volume.read_only and is_sensitive(volume.host_path):
            yield _sensitive(container, volume)


def is_sensitive(path: str) -> bool:
    """Whether a directory of the host, or one that holds it, gives power over the host."""
    normal = "/" + "/".join(part for part in path.split("/") if part not in ("", "."))
    return any(normal == one or (one != "/" and normal.startswith(one + "/")) for one in _SENSITIVE)


def _sensitive(container: Container, volume: Volume) -> Violation:
    return Violation(
        kind=Kind.SENSITIVE_HOST_PATH,
        path=f"{volume.path}.path",
        message=f"container {container.name!r} can write to {volume.host_path} of its node",
        place=volume.place,
        hint="mount it with readOnly: true, or a directory of its own",
    )


def _host_namespaces(definition: Definition) -> Iterator[Violation]:
    service = definition.service
    for key, given, what in (
        ("hostPID", service.host_pid, "sees and can signal every process of its node"),
        ("hostIPC", service.host_ipc, "shares memory with every process of its node"),
    ):
        if given:
            yield Violation(
                kind=Kind.HOST_NAMESPACE,
                path=f"service.{key}",
                message=f"service.{key}: service {service.name!r} {what}",
                place=service.name_place,
            )


def _files(definition: Definition) -> Iterator[Violation]:
    used: set[str] = set()
    for container in definition.service.containers:
        destinations: dict[str, File] = {}
        for command in container.commands:
            used |= {reference.name for reference in command.files}
        for command in container.local_commands:
            for reference in command.files:
                file = definition.files[reference.name]
                first = destinations.setdefault(file.destination, file)
                if first.name != file.name:
                    message = f"files {first.name!r} and {file.name!r} are both written to {file.destination} in {container.name!r}"
                    yield Violation(
                        kind=Kind.FILE_CLASH, path=reference.path, message=message, place=reference.place
                    )
    for name, file in definition.files.items():
        if name not in used:
            message = f"file {name!r} is written nowhere: no command lists it"
            yield Violation(kind=Kind.UNUSED_FILE, path=file.path, message=message, place=file.place)


def _latest(deployment: Deployment) -> Iterator[Violation]:
    images = deployment.configuration.section("images")
    specs = images.get("image_specs") or {}
    affected = [
        container
        for definition in deployment.definitions
        for container in definition.service.containers
        if str((specs.get(container.image) or {}).get("tag", images.get("tag"))) == "latest"
    ]
    if affected:
        count = "1 image has" if len(affected) == 1 else f"{len(affected)} images have"
        yield Violation(
            kind=Kind.LATEST_TAG,
            path=f"{affected[0].path}.image",
            message=f"{count} the tag 'latest' ({affected[0].image!r} first): two pods may run different programs",
            place=affected[0].image_place,
            hint="set images.tag in the configuration",
        )


def _topology(deployment: Deployment, units: Units, topology: Topology) -> Iterator[Violation]:
    configuration = deployment.configuration
    for role, services in configuration.section("roles").items():
        for index, service in enumerate(services):
            if service not in units.definitions:
                message = f"roles.{role}: there is no service {service!r}"
                place = configuration.place("roles", role, index)
                yield Violation(
                    kind=Kind.UNMATCHED_TOPOLOGY, path=f"roles.{role}[{index}]", message=message, place=place
                )
    for role in topology.unused_roles:
        place = configuration.place("roles", role)
        message = f"roles.{role}: no node has this role, so its services are not deployed by it"
        yield Violation(kind=Kind.UNMATCHED_TOPOLOGY, path=f"roles.{role}", message=message, place=place)
    for pattern in topology.unmatched:
        place = configuration.place("nodes", pattern)
        message = f"nodes.{pattern}: matches no node of the cluster"
        yield Violation(kind=Kind.UNMATCHED_TOPOLOGY, path=f"nodes.{pattern}", message=message, place=place)
    if any(hosts is None for hosts in topology.services.values()):
        message = "nodes: the nodes of the cluster are not known, so pods are not tied to them"
        hint = "list them under kubernetes.cluster_nodes"
        place = configuration.place("nodes")
        yield Violation(kind=Kind.UNMATCHED_TOPOLOGY, path="nodes", message=message, place=place, hint=hint)
    for unit in units.all.values():
        missing = {units.all[one].service for one in units.needs[unit.id]} - topology.services.keys()
        if topology.has(unit.service) and missing:
            names = ", ".join(sorted(missing))
            yield Violation(
                kind=Kind.NOT_DEPLOYED,
                path=unit.command.path if unit.command else unit.container.path,
                message=f"{unit.id} waits for {names}, which the topology does not deploy",
                place=(unit.command or unit.container).name_place,
                hint="give it a role, or it must be there already",
            )
