"""Files and secrets that commands name, and the contents that files name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sabir.diagnostics.near import did_you_mean
from sabir.languages.ccp.syntax.component import Component
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.nodes import Definition, Reference, Secret
from sabir.languages.ccp.syntax.violation import Kind, Violation

__all__ = ["check_references", "check_secret_objects"]

_OWN_SECRETS = frozenset({"global-secrets", "registry-key"})


def check_references(deployment: Deployment) -> Iterator[Violation]:
    for definition in deployment.definitions:
        component = deployment.component(definition.component)
        for container in definition.service.containers:
            for command in container.commands:
                yield from _unknown(command.files, definition.files, Kind.UNKNOWN_FILE, "file")
                yield from _unknown(command.secrets, definition.secrets, Kind.UNKNOWN_SECRET, "secret")
        yield from _missing_content(component, definition)


def _unknown(
    references: tuple[Reference, ...], known: Mapping[str, object], kind: Kind, what: str
) -> Iterator[Violation]:
    for reference in references:
        if reference.name not in known:
            yield Violation(
                kind=kind,
                path=reference.path,
                message=f"{reference.path}: {what} {reference.name!r} is not defined under {what}s",
                place=reference.place,
                hint=did_you_mean(reference.name, known),
            )


def _missing_content(component: Component, definition: Definition) -> Iterator[Violation]:
    used = {
        reference.name
        for container in definition.service.containers
        for command in container.commands
        for reference in command.files
    }
    for file in definition.files.values():
        found = component.content(file.content)
        if found is None:
            folder = f"{component.root}service/files/"
            known = [name[len(folder) :] for name in component.package.list() if name.startswith(folder)]
            message = f"{file.path}.content: there is no {file.content!r} under service/files"
        elif found.defect is not None and file.name in used:
            known = []
            message = f"{file.path}.content: {file.content!r} is no UTF-8 text"
        else:
            continue
        yield Violation(
            kind=Kind.MISSING_CONTENT,
            path=f"{file.path}.content",
            message=message,
            place=file.content_place,
            hint=did_you_mean(file.content, known),
        )


def check_secret_objects(deployment: Deployment) -> Iterator[Violation]:
    """Two definitions may name one Secret when they say the same of it."""
    seen: dict[str, Secret] = {}
    for definition in deployment.definitions:
        for secret in definition.secrets.values():
            path = f"{secret.path}.secret.secretName"
            if secret.secret_name in _OWN_SECRETS:
                message = f"{path}: the framework makes a Secret {secret.secret_name!r} of its own"
                yield Violation(kind=Kind.CONFLICT, path=path, message=message, place=secret.place)
                continue
            first = seen.setdefault(secret.secret_name, secret)
            if (first.type, first.data) != (secret.type, secret.data):
                message = f"{path}: Secret {secret.secret_name!r} is defined twice with another type or data"
                yield Violation(
                    kind=Kind.CONFLICT,
                    path=path,
                    message=message,
                    place=secret.place,
                    related=((first.place, "first defined here"),),
                )
