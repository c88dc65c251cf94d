"""What `sabir.yaml` says."""

from __future__ import annotations

from msgspec import Struct

from sabir.source.yaml.nodes import YamlMapping, YamlNode
from sabir.text import Place, Source, Span

__all__ = ["Environment", "Part"]


class Part(Struct, frozen=True, eq=False, kw_only=True):
    """One description in one language. `inputs`, `model` and `config` may hold expressions."""

    name: str
    span: Span
    path: str
    path_span: Span
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

    def place(self, span: Span) -> Place:
        return Place(self.source, span)

    def part(self, name: str) -> Part | None:
        return next((part for part in self.parts if part.name == name), None)
