"""What `sabir.yaml` says."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from sabir.resources.resource import Lifecycle
from sabir.resources.secrets import SecretSource
from sabir.resources.target import Target
from sabir.source.yaml.nodes import YamlMapping, YamlNode
from sabir.text import Place, Source, Span


class Part(Struct, frozen=True, eq=False, kw_only=True):
    """One description in one language. `inputs`, `model` and `config` may hold expressions."""

    name: str
    span: Span
    path: str
    path_span: Span
    described_here: bool = False
    """It has no files of its own: what it says stands in `sabir.yaml`, and only an evaluation knows it."""
    language: str | None = None
    language_span: Span | None = None
    inputs: YamlMapping | None = None
    model: YamlNode | None = None
    config: YamlNode | None = None
    search_path: tuple[str, ...] = ()


class Environment(Struct, frozen=True, eq=False, kw_only=True):
    source: Source
    name: str
    parts: tuple[Part, ...]
    outputs: YamlMapping | None = None
    rules: tuple[tuple[str, Span], ...] = ()
    """Policy files, relative to `sabir.yaml`."""
    targets: tuple[Target, ...] = ()
    lifecycles: Mapping[str, Lifecycle] = {}
    """By the address of a resource."""
    externals: Mapping[str, tuple[str, Span]] = {}
    """Other environments by the names that expressions have for them: their paths."""
    secrets: tuple[SecretSource, ...] = ()
    moved: Mapping[str, str] = {}
    """Old addresses of resources, and new ones."""

    def place(self, span: Span) -> Place:
        return Place(self.source, span)

    def part(self, name: str) -> Part | None:
        return next((part for part in self.parts if part.name == name), None)
