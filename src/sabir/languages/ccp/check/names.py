"""Checks names, ports and volumes that must be unique."""

from __future__ import annotations

from collections.abc import Iterator

from sabir.languages.ccp.syntax.deployment import DUPLICATE_NAME, Deployment
from sabir.languages.ccp.syntax.nodes import Container, Definition, Port, Service, Volume
from sabir.languages.ccp.syntax.reader import CONFLICT
from sabir.languages.ccp.syntax.rules import Fault, build_fault
from sabir.text import Place


def check_names(deployment: Deployment) -> Iterator[Fault]:
    services: dict[str, Place] = {}
    jobs: dict[str, Place] = {}
    for definition in deployment.definitions:
        service = definition.service
        known = services.setdefault(service.name, service.name_place)
        if known is not service.name_place:
            yield build_duplicate_fault(
                "service.name", service.name_place, f"service {service.name!r}", known
            )
            continue
        yield from _unit_names(service)
        yield from _job_names(service, jobs)


def build_duplicate_fault(path: str, place: Place, what: str, first: Place) -> Fault:
    return build_fault(
        DUPLICATE_NAME,
        path,
        place,
        f"{what} is defined twice, first in {first.location}",
        related=((first, "first defined here"),),
    )


def _unit_names(service: Service) -> Iterator[Fault]:
    """Report containers and single commands of one name: both are awaited as SERVICE/NAME."""
    seen: dict[str, Place] = {}
    for container in service.containers:
        named = [(f"{container.path}.name", container.name, container.name_place, "container")]
        named += [
            (f"{command.path}.name", command.name or "", command.name_place, "single command")
            for command in container.single_commands
        ]
        for path, name, place, what in named:
            first = seen.setdefault(name, place)
            if first is not place:
                yield build_duplicate_fault(
                    path, place, f"{what} {name!r} of service {service.name!r}", first
                )


def _job_names(service: Service, jobs: dict[str, Place]) -> Iterator[Fault]:
    """Report Jobs of one name: `a` with the command `b-c` and `a-b` with `c` are both the Job `a-b-c`."""
    own: set[str] = set()
    for container in service.containers:
        for command in container.single_commands:
            name = f"{service.name}-{command.name}"
            first = jobs.setdefault(name, command.name_place)
            if first is not command.name_place and name not in own:
                yield build_duplicate_fault(
                    f"{command.path}.name", command.name_place, f"the Job {name!r}", first
                )
            own.add(name)


def check_ports(deployment: Deployment) -> Iterator[Fault]:
    external: dict[int, tuple[Port, Definition]] = {}
    for definition in deployment.definitions:
        internal: dict[int, Port] = {}
        for port in definition.service.ports:
            first = internal.setdefault(port.internal, port)
            if first is not port:
                message = f"{port.path}: internal port {port.internal} is there already; the ports of a Service are named by it"
                yield _build_conflict(port.path, port.place, message, first.place)
            if port.external is None:
                continue
            taken, owner = external.setdefault(port.external, (port, definition))
            if taken is not port and first is port:
                message = (
                    f"{port.path}: node port {port.external} of service {definition.service.name!r} "
                    f"is taken by service {owner.service.name!r}"
                )
                yield _build_conflict(port.path, port.place, message, taken.place)


def _build_conflict(path: str, place: Place, message: str, first: Place) -> Fault:
    return build_fault(CONFLICT, path, place, message, related=((first, "first used here"),))


def check_volumes(deployment: Deployment) -> Iterator[Fault]:
    for definition in deployment.definitions:
        meanings: dict[str, Volume] = {}
        for container in definition.service.containers:
            for volume in container.volumes:
                first = meanings.setdefault(volume.name, volume)
                if first.meaning != volume.meaning:
                    message = (
                        f"volume {volume.name!r} is the {volume.meaning} here, but the {first.meaning} before"
                    )
                    yield _build_conflict(f"{volume.path}.name", volume.place, message, first.place)
            yield from _check_mounts(definition, container)


def _check_mounts(definition: Definition, container: Container) -> Iterator[Fault]:
    """Report paths that are mounted twice, and volumes with the name of a secret's volume."""
    mounts: dict[str, Place] = {}
    for volume in container.volumes:
        first = mounts.setdefault(volume.mount_path.rstrip("/"), volume.place)
        if first is not volume.place:
            message = f"{volume.path}: {volume.mount_path} is mounted already in container {container.name!r}"
            yield _build_conflict(f"{volume.path}.{volume.mount_key}", volume.place, message, first)
    names = {
        volume.name: volume for container in definition.service.containers for volume in container.volumes
    }
    reported: set[str] = set()
    for command in container.commands:
        for reference in command.secrets:
            secret = definition.secrets.get(reference.name)
            if secret is None or reference.name in reported:
                continue
            reported.add(reference.name)
            if reference.name in names:
                message = (
                    f"{reference.path}: secret {reference.name!r} is called like a volume of the service"
                )
                yield _build_conflict(reference.path, reference.place, message, names[reference.name].place)
            elif secret.mount_path.rstrip("/") in mounts:
                message = f"{reference.path}: {secret.mount_path} is mounted already in container {container.name!r}"
                yield _build_conflict(
                    reference.path, reference.place, message, mounts[secret.mount_path.rstrip("/")]
                )
