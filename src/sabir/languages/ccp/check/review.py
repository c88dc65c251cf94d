"""Review advice: nothing reported here stops a deployment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.ccp.model.procedures import topology_keys
from sabir.languages.ccp.model.topology import ServiceTopology
from sabir.languages.ccp.model.units import Units
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.nodes import Container, Definition, File, Volume
from sabir.languages.ccp.syntax.rules import Fault, build_fault, ccp_rule

LIVENESS_TIMEOUT: Final = ccp_rule(
    code="CCP:W010",
    title="liveness probe without a timeout",
    why="The default is one second; a busy container that answers later is killed, which makes the others busier.",
)

SENSITIVE_HOST_PATH: Final = ccp_rule(
    code="CCP:W011",
    title="sensitive directory of the host can be written",
    why="Whoever controls the container controls the node.",
)

PRIVILEGED: Final = ccp_rule(
    code="CCP:W012",
    title="privileged container",
    why="It has every right on its node. A reviewer should know why.",
)

NO_READINESS: Final = ccp_rule(
    code="CCP:W013",
    title="container without a readiness check",
    why="Those who wait for it start as soon as its daemon runs, whether it answers or not.",
)

LATEST_TAG: Final = ccp_rule(
    code="CCP:W014",
    title="images with the tag latest",
    why="Two pods of one service may run different programs, and nobody can say which. Set `images.tag`.",
)

HOST_NAMESPACE: Final = ccp_rule(
    code="CCP:W015",
    title="pod shares a namespace of its host",
    why="`hostPID` and `hostIPC` let the pod see and disturb every process of its node.",
)

NOT_DEPLOYED: Final = ccp_rule(
    code="CCP:W020",
    title="waits for a service outside the topology",
    why=(
        "The service is defined, but no role that a node has contains it; unless it is there already, the wait ends in "
        "an error."
    ),
)

UNMATCHED_TOPOLOGY: Final = ccp_rule(
    code="CCP:W021",
    title="part of the topology matches nothing",
    why="A role that no node has, a pattern that no node matches, or a service that is not defined.",
)

UNUSED_FILE: Final = ccp_rule(
    code="CCP:W031",
    title="file that no command lists",
    why="It is shipped with the service and written nowhere.",
)

FILE_CLASH: Final = ccp_rule(
    code="CCP:W032",
    title="two files are written to one path",
    why="The one written last wins; which that is depends on their names.",
)

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


def review_deployment(
    deployment: Deployment, units: Units, topology: ServiceTopology | None
) -> Iterator[Fault]:
    for definition in deployment.definitions:
        for container in definition.service.containers:
            yield from _check_probes(container)
            yield from _check_privileges(container)
        yield from _host_namespaces(definition)
        yield from _check_files(definition)
    yield from _check_latest_tags(deployment)
    if topology is not None:
        yield from _check_topology(deployment, units, topology)


def _check_probes(container: Container) -> Iterator[Fault]:
    liveness = container.liveness
    if liveness is not None and liveness.timeout is None:
        yield build_fault(
            LIVENESS_TIMEOUT,
            liveness.path,
            liveness.place,
            f"{liveness.path} has no timeout: after 1 s the container {container.name!r} counts as dead",
            hint="use {type: exec, command: …, timeout: SECONDS}",
        )
    if container.readiness is None:
        yield build_fault(
            NO_READINESS,
            f"{container.path}.probes.readiness",
            container.name_place,
            f"container {container.name!r} has no readiness check: it counts as ready once its daemon started",
        )


def _check_privileges(container: Container) -> Iterator[Fault]:
    if container.privileged and container.privileged_place is not None:
        yield build_fault(
            PRIVILEGED,
            f"{container.path}.privileged",
            container.privileged_place,
            f"container {container.name!r} is privileged: it has every right on its node",
        )
    for volume in container.volumes:
        if volume.host_path is not None and not volume.read_only and is_sensitive(volume.host_path):
            yield _report_sensitive_path(container, volume)


def is_sensitive(path: str) -> bool:
    """Return whether a host directory, or one that contains it, gives control over the host."""
    normal = "/" + "/".join(part for part in path.split("/") if part not in ("", "."))
    return any(
        normal == folder or (folder != "/" and normal.startswith(folder + "/")) for folder in _SENSITIVE
    )


def _report_sensitive_path(container: Container, volume: Volume) -> Fault:
    return build_fault(
        SENSITIVE_HOST_PATH,
        f"{volume.path}.path",
        volume.place,
        f"container {container.name!r} can write to {volume.host_path} of its node",
        hint="mount it with readOnly: true, or a directory of its own",
    )


def _host_namespaces(definition: Definition) -> Iterator[Fault]:
    service = definition.service
    for key, is_shared, effect in (
        ("hostPID", service.host_pid, "sees and can signal every process of its node"),
        ("hostIPC", service.host_ipc, "shares memory with every process of its node"),
    ):
        if is_shared:
            yield build_fault(
                HOST_NAMESPACE,
                f"service.{key}",
                service.name_place,
                f"service.{key}: service {service.name!r} {effect}",
            )


def _check_files(definition: Definition) -> Iterator[Fault]:
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
                    yield build_fault(FILE_CLASH, reference.path, reference.place, message)
    for name, file in definition.files.items():
        if name not in used:
            message = f"file {name!r} is written nowhere: no command lists it"
            yield build_fault(UNUSED_FILE, file.path, file.place, message)


def _check_latest_tags(deployment: Deployment) -> Iterator[Fault]:
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
        yield build_fault(
            LATEST_TAG,
            f"{affected[0].path}.image",
            affected[0].image_place,
            f"{count} the tag 'latest' ({affected[0].image!r} first): two pods may run different programs",
            hint="set images.tag in the configuration",
        )


def _check_topology(deployment: Deployment, units: Units, topology: ServiceTopology) -> Iterator[Fault]:
    configuration = deployment.configuration
    placeable = {*units.definitions, *topology_keys(deployment.procedures)}
    for role, services in configuration.section("roles").items():
        for index, service in enumerate(services):
            if service not in placeable:
                message = f"roles.{role}: there is no service {service!r}"
                place = configuration.place("roles", role, index)
                hint = did_you_mean(service, units.definitions)
                yield build_fault(UNMATCHED_TOPOLOGY, f"roles.{role}[{index}]", place, message, hint=hint)
    for role in topology.unused_roles:
        place = configuration.key_place("roles", role)
        message = f"roles.{role}: no node has this role, so its services are not deployed by it"
        yield build_fault(UNMATCHED_TOPOLOGY, f"roles.{role}", place, message)
    for pattern in topology.unmatched:
        place = configuration.key_place("nodes", pattern)
        message = f"nodes.{pattern}: matches no node of the cluster"
        yield build_fault(UNMATCHED_TOPOLOGY, f"nodes.{pattern}", place, message)
    if any(hosts is None for hosts in topology.services.values()):
        message = "nodes: the nodes of the cluster are not known, so pods are not tied to them"
        hint = "list them under kubernetes.cluster_nodes, or ask the cluster: sabir call PATH cluster.nodes"
        place = configuration.place("nodes")
        yield build_fault(UNMATCHED_TOPOLOGY, "nodes", place, message, hint=hint)
    for unit in units.all.values():
        missing = {units.all[need].service for need in units.needs[unit.id]} - topology.services.keys()
        if topology.has(unit.service) and missing:
            names = ", ".join(sorted(missing))
            yield build_fault(
                NOT_DEPLOYED,
                unit.command.path if unit.command else unit.container.path,
                (unit.command or unit.container).name_place,
                f"{unit.id} waits for {names}, which the topology does not deploy",
                hint="give it a role, or it must be there already",
            )
