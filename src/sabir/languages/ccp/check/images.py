"""Dockerfiles: what they are made from, in which order they can be built, and images that nobody builds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.ccp.check.names import named_twice
from sabir.languages.ccp.model.cycles import find_cycles
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.examples import ccp_rule
from sabir.languages.ccp.syntax.fault import Fault, build_fault
from sabir.languages.ccp.syntax.images import ImageFile, read_images

__all__ = ["check_images"]


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
            yield named_twice("", image.place, f"image {image.name!r}", first.place)
        yield from image.faults
    for image in images:
        yield from _parent(image, named)
    yield from _cycles(named)
    if named:
        yield from _near(deployment, named)


def _parent(image: ImageFile, named: Mapping[str, ImageFile]) -> Iterator[Fault]:
    if image.text is not None and image.base is None:
        yield build_fault(NO_FROM, "", image.place, f"the Dockerfile of {image.name!r} has no FROM")
    hint = None if image.parent is None or image.parent in named else did_you_mean(image.parent, named)
    if hint is not None:  # others may be built elsewhere
        message = f"image {image.name!r} is made from {image.parent!r}, which no Dockerfile describes"
        yield build_fault(NEAR_IMAGE, "", image.place, message, hint=hint)


def _cycles(named: Mapping[str, ImageFile]) -> Iterator[Fault]:
    needs = {name: (image.parent,) if image.parent in named else () for name, image in named.items()}
    for cycle in find_cycles(needs):  # type: ignore[arg-type]  # a parent that is named is no None
        message = f"images are made from each other: {', '.join(cycle)}"
        yield build_fault(IMAGE_CYCLE, "", named[cycle[0]].place, message, units=cycle)


def _near(deployment: Deployment, named: Mapping[str, ImageFile]) -> Iterator[Fault]:
    for definition in deployment.definitions:
        for container in definition.service.containers:
            hint = None if container.image in named else did_you_mean(container.image, named)
            if hint is not None:
                message = f"no Dockerfile describes the image {container.image!r}"
                yield build_fault(
                    NEAR_IMAGE, f"{container.path}.image", container.image_place, message, hint=hint
                )
