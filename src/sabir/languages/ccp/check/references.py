"""Checks references: files and secrets that commands name, contents that files name, and images.

Dockerfiles are checked for their base images, for cycles among them, and for images that nothing
builds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.ccp.check.names import build_duplicate_fault
from sabir.languages.ccp.model.units import find_cycles
from sabir.languages.ccp.syntax.component import Component
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.images import ImageFile, read_images
from sabir.languages.ccp.syntax.nodes import Definition, Reference, Secret
from sabir.languages.ccp.syntax.reader import CONFLICT
from sabir.languages.ccp.syntax.rules import Fault, build_fault, ccp_rule

UNKNOWN_FILE: Final = ccp_rule(
    code="CCP:E030",
    title="command names a file that is not defined",
    why="`files` of a command lists keys of the `files` section of the same definition.",
)

UNKNOWN_SECRET: Final = ccp_rule(
    code="CCP:E031",
    title="command names a secret that is not defined",
    why="`secrets` of a command lists keys of the `secrets` section of the same definition.",
)

MISSING_CONTENT: Final = ccp_rule(
    code="CCP:E032",
    title="content of a file is not there",
    why="`content` is the name of a template under `service/files` of the same component.",
)

_OWN_SECRETS = frozenset({"global-secrets", "registry-key"})


def check_references(deployment: Deployment) -> Iterator[Fault]:
    for definition in deployment.definitions:
        yield from references_of(deployment.component(definition.component), definition)


def references_of(component: Component, definition: Definition) -> Iterator[Fault]:
    for container in definition.service.containers:
        for command in container.commands:
            yield from _report_undefined(command.files, definition.files, UNKNOWN_FILE, "file")
            yield from _report_undefined(command.secrets, definition.secrets, UNKNOWN_SECRET, "secret")
    yield from _missing_content(component, definition)


def _report_undefined(
    references: tuple[Reference, ...], definitions: Mapping[str, object], rule: Rule, word: str
) -> Iterator[Fault]:
    for reference in references:
        if reference.name not in definitions:
            yield build_fault(
                rule,
                reference.path,
                reference.place,
                f"{reference.path}: {word} {reference.name!r} is not defined under {word}s",
                hint=did_you_mean(reference.name, definitions),
            )


def _missing_content(component: Component, definition: Definition) -> Iterator[Fault]:
    used = {
        reference.name
        for container in definition.service.containers
        for command in container.commands
        for reference in command.files
    }
    for file in definition.files.values():
        content = component.content(file.content)
        if content is None:
            folder = f"{component.root}service/files/"
            names = [name[len(folder) :] for name in component.package.list() if name.startswith(folder)]
            message = f"{file.path}.content: there is no {file.content!r} under service/files"
        elif content.defect is not None and file.name in used:
            names = []
            message = f"{file.path}.content: {file.content!r} is no UTF-8 text"
        else:
            continue
        yield build_fault(
            MISSING_CONTENT,
            f"{file.path}.content",
            file.content_place,
            message,
            hint=did_you_mean(file.content, names),
        )


def check_secret_objects(deployment: Deployment) -> Iterator[Fault]:
    """Report definitions that name one Secret with different contents."""
    seen: dict[str, Secret] = {}
    for definition in deployment.definitions:
        for secret in definition.secrets.values():
            path = f"{secret.path}.secret.secretName"
            if secret.secret_name in _OWN_SECRETS:
                message = f"{path}: the framework makes a Secret {secret.secret_name!r} of its own"
                yield build_fault(CONFLICT, path, secret.place, message)
                continue
            first = seen.setdefault(secret.secret_name, secret)
            if (first.type, first.data) != (secret.type, secret.data):
                message = f"{path}: Secret {secret.secret_name!r} is defined twice with another type or data"
                yield build_fault(
                    CONFLICT, path, secret.place, message, related=((first.place, "first defined here"),)
                )


IMAGE_CYCLE: Final = ccp_rule(
    code="CCP:E060",
    title="images are made from each other",
    why="None of them can be built first.",
)

NO_FROM: Final = ccp_rule(
    code="CCP:E061",
    title="Dockerfile without FROM",
    why="Every Dockerfile begins with the image it is made from.",
)

NEAR_IMAGE: Final = ccp_rule(
    code="CCP:W036",
    title="image that resembles one that is built here",
    why="No Dockerfile describes it, and its name is close to one that is described: mostly a slip of the pen.",
)


def check_images(deployment: Deployment) -> Iterator[Fault]:
    images = [*read_images(deployment.packages, deployment.configuration)]
    named: dict[str, ImageFile] = {}
    for image in images:
        first = named.setdefault(image.name, image)
        if first is not image:
            yield build_duplicate_fault("", image.place, f"image {image.name!r}", first.place)
        yield from image.faults
    for image in images:
        yield from _check_parent_image(image, named)
    yield from _check_image_cycles(named)
    if named:
        yield from _check_image_names(deployment, named)


def _check_parent_image(image: ImageFile, named: Mapping[str, ImageFile]) -> Iterator[Fault]:
    if image.text is not None and image.base is None:
        yield build_fault(NO_FROM, "", image.place, f"the Dockerfile of {image.name!r} has no FROM")
    hint = None if image.parent is None or image.parent in named else did_you_mean(image.parent, named)
    if hint is not None:  # others may be built elsewhere
        message = f"image {image.name!r} is made from {image.parent!r}, which no Dockerfile describes"
        yield build_fault(NEAR_IMAGE, "", image.place, message, hint=hint)


def _check_image_cycles(named: Mapping[str, ImageFile]) -> Iterator[Fault]:
    needs = {name: (image.parent,) if image.parent in named else () for name, image in named.items()}
    for cycle in find_cycles(needs):  # type: ignore[arg-type]  # a parent that is named is no None
        message = f"images are made from each other: {', '.join(cycle)}"
        yield build_fault(IMAGE_CYCLE, "", named[cycle[0]].place, message, units=cycle)


def _check_image_names(deployment: Deployment, named: Mapping[str, ImageFile]) -> Iterator[Fault]:
    for definition in deployment.definitions:
        for container in definition.service.containers:
            hint = None if container.image in named else did_you_mean(container.image, named)
            if hint is not None:
                message = f"no Dockerfile describes the image {container.image!r}"
                yield build_fault(
                    NEAR_IMAGE, f"{container.path}.image", container.image_place, message, hint=hint
                )
