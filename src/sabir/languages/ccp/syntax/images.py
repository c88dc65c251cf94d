"""Dockerfiles of components: `NAME/Dockerfile.j2` describes the image NAME.

They are templates over `images`, `versions` and `url` of the configuration. `image_spec(NAME)` returns
the full name of a base image, `copy_sources(NAME, FOLDER)` copies a configured source, and
`render(FILE)` renders a template in the same directory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.template.findings import RenderError
from sabir.expressions.template.sandbox import Sandbox
from sabir.languages.ccp.syntax.configuration import Configuration
from sabir.languages.ccp.syntax.rules import TEMPLATE_RULES, Fault, template_fault
from sabir.lazy import lazy_pattern
from sabir.source.packages import LoadedPackage
from sabir.text import Place, Source, Span

DOCKERFILE = "Dockerfile.j2"

_from_pattern: Final = lazy_pattern(r"^[ \t]*FROM[ \t]+(?P<image>\S+)", re.MULTILINE | re.IGNORECASE)


class ImageFile(Struct, frozen=True, kw_only=True, eq=False):
    """A rendered Dockerfile. `text` is None if its template fails."""

    name: str
    full_name: str
    source: Source
    package: LoadedPackage
    folder: str
    """In the package."""
    text: str | None
    parent: str | None
    """The image that it asks for by `image_spec`."""
    base: str | None
    """What stands behind FROM."""
    sources: tuple[str, ...]
    rendered: Mapping[str, str]
    """Files beside it that it had rendered."""
    faults: tuple[Fault, ...] = ()

    @property
    def place(self) -> Place:
        match = _from_pattern().search(self.source.text)
        return Place(self.source, Span(*match.span()) if match else Span(0, 0))


def image_name(configuration: Configuration, name: str) -> str:
    """Return the full name of an image, with registry, namespace and tag."""
    images = configuration.section("images")
    specs = images.get("image_specs")
    spec = (None if specs is None else specs.get(name)) or {}
    namespace, tag = (str(spec[key] if key in spec else images[key]) for key in ("namespace", "tag"))
    address = configuration.section("registry").get("address")
    return f"{address}/{namespace}/{name}:{tag}" if address else f"{namespace}/{name}:{tag}"


def image_settings(configuration: Configuration, name: str) -> Iterator[tuple[str, ...]]:
    """Return the paths of the settings that are part of an image name."""
    images = configuration.section("images")
    spec = (images.get("image_specs") or {}).get(name) or {}
    for key in ("namespace", "tag"):
        yield ("images", "image_specs", name, key) if key in spec else ("images", key)
    yield "registry", "address"


def read_images(packages: Iterable[LoadedPackage], configuration: Configuration) -> Iterator[ImageFile]:
    """Return the images in the order of their files."""
    variables = _image_variables(configuration)
    for package in packages:
        for name in package.list():
            folder, _, file = name.rpartition("/")
            if file == DOCKERFILE and folder:
                yield _Reader(package, folder, configuration).read(variables)


def _image_variables(configuration: Configuration) -> dict[str, Any]:
    images = dict(configuration.section("images"))
    address = configuration.section("registry").get("address")
    if address:
        images["namespace"] = f"{address}/{images['namespace']}"
    return {**images, **configuration.section("versions"), "url": configuration.section("url")}


class _Reader:
    """Renders one Dockerfile, and records what it requests."""

    def __init__(self, package: LoadedPackage, folder: str, configuration: Configuration) -> None:
        self._package, self._folder, self._configuration = package, folder, configuration
        self._parent: str | None = None
        self._sources: dict[str, None] = {}
        self._rendered: dict[str, str] = {}
        self._variables: Mapping[str, Any] = {}
        functions: dict[str, Callable[..., Any]] = {
            "image_spec": self._image_spec,
            "copy_sources": self._copy_sources,
            "render": self._render,
        }
        self._sandbox = Sandbox(TEMPLATE_RULES, functions=functions, load=self._load)

    def read(self, variables: Mapping[str, Any]) -> ImageFile:
        source = self._load(DOCKERFILE)
        assert source is not None
        self._variables = variables
        image = self._folder.rpartition("/")[2]
        text, faults = self._text(source, variables)
        base = _from_pattern().search(text or "")
        return ImageFile(
            name=image,
            full_name=image_name(self._configuration, image),
            source=source,
            package=self._package,
            folder=self._folder,
            text=text,
            parent=self._parent,
            base=base["image"] if base else None,
            sources=tuple(self._sources),
            rendered=self._rendered,
            faults=faults,
        )

    def _text(self, source: Source, variables: Mapping[str, Any]) -> tuple[str | None, tuple[Fault, ...]]:
        try:
            return self._sandbox.render(source, variables).source.text, ()
        except RenderError as failed:
            return None, tuple(map(template_fault, failed.findings))

    def _load(self, name: str) -> Source | None:
        file = self._package.get_file(f"{self._folder}/{name}")
        return None if file is None else file.source

    def _image_spec(self, name: str) -> str:
        self._parent = str(name)
        return image_name(self._configuration, str(name))

    def _copy_sources(self, name: str, folder: str) -> str:
        known = self._configuration.section("sources")
        if name not in known:
            hint = did_you_mean(str(name), known)
            raise ValueError(f"the configuration has no source {name!r}{f': {hint}' if hint else ''}")
        self._sources[str(name)] = None
        return f"COPY {name} {folder}"

    def _render(self, name: str) -> str:
        source = self._load(str(name))
        if source is None:
            raise ValueError(f"there is no {name!r} beside the Dockerfile")
        target = name[: -len(".j2")] if name.endswith(".j2") else f"{name}.rendered"
        sandbox = Sandbox(TEMPLATE_RULES, functions=self._sandbox.functions, load=self._load)
        self._rendered[target] = sandbox.render(source, self._variables).source.text
        return target
