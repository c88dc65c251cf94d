"""The content of `sabir.yaml` as records."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from sabir.resources.resource import Lifecycle
from sabir.resources.secrets import SecretSource
from sabir.resources.target import Target
from sabir.source.yaml.nodes import YamlMapping, YamlNode
from sabir.text import Place, Source, Span


class Part(Struct, frozen=True, eq=False, kw_only=True):
    """One project in one language. `inputs`, `model` and `config` may contain expressions."""

    name: str
    span: Span
    path: str
    path_span: Span
    described_here: bool = False
    """The part has no files: its resources are written in `sabir.yaml`, so only an evaluation can check them."""
    language: str | None = None
    language_span: Span | None = None
    inputs: YamlMapping | None = None
    model: YamlNode | None = None
    config: YamlNode | None = None
    search_path: tuple[str, ...] = ()


class Environment(Struct, frozen=True, eq=False, kw_only=True):
    """A whole `sabir.yaml`; keys that are missing in the file have the defaults shown here."""

    source: Source
    name: str
    parts: tuple[Part, ...]
    outputs: YamlMapping | None = None
    rules: tuple[tuple[str, Span], ...] = ()
    """Policy files, relative to `sabir.yaml`."""
    targets: tuple[Target, ...] = ()
    lifecycles: Mapping[str, Lifecycle] = {}
    """By resource address."""
    externals: Mapping[str, tuple[str, Span]] = {}
    """Paths of other environments, by the name that expressions use."""
    secrets: tuple[SecretSource, ...] = ()
    moved: Mapping[str, str] = {}
    """New resource addresses by old ones."""

    def place(self, span: Span) -> Place:
        return Place(self.source, span)

    def part(self, name: str) -> Part | None:
        return next((part for part in self.parts if part.name == name), None)
