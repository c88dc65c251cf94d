"""What a description of resources says."""

from __future__ import annotations

from msgspec import Struct

from sabir.source.yaml.nodes import YamlNode
from sabir.text import Source, Span

__all__ = ["DescribedOperation", "DescribedResource", "Description", "Name"]


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


class DescribedOperation(Struct, frozen=True, kw_only=True, eq=False):
    """Something that can be called: resources that are run then."""

    name: Name
    of: Name | None = None
    """The resource it belongs to; None: the description as a whole."""
    about: str | None = None
    arguments: tuple[tuple[Name, YamlNode], ...] = ()
    """With their defaults; nothing for one that must be given."""
    events: tuple[Name, ...] = ()
    run: tuple[DescribedResource, ...] = ()


class Description(Struct, frozen=True, kw_only=True, eq=False):
    source: Source
    resources: tuple[DescribedResource, ...] = ()
    operations: tuple[DescribedOperation, ...] = ()
