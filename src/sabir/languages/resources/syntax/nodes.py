"""What a description of resources says."""

from __future__ import annotations

from msgspec import Struct

from sabir.source.yaml.nodes import YamlNode
from sabir.text import Source, Span

__all__ = ["DescribedResource", "Description", "Name"]


class Name(Struct, frozen=True):
    """A name where it is written."""

    text: str
    span: Span


class DescribedResource(Struct, frozen=True, kw_only=True, eq=False):
    name: Name
    kind: Name
    target: Name | None = None
    fields: tuple[tuple[Name, YamlNode], ...] = ()
    """Values are not looked at yet: they may hold expressions."""
    requires: tuple[Name, ...] = ()
    reacts_to: tuple[Name, ...] = ()
    results: tuple[Name, ...] = ()
    """What its step gives back: attributes that are known once it is deployed."""
    timeout: float | None = None
    retries: int | None = None
    prevent_destroy: bool = False
    ignore_changes: tuple[str, ...] = ()


class Description(Struct, frozen=True, kw_only=True, eq=False):
    source: Source
    resources: tuple[DescribedResource, ...] = ()
