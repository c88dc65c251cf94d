"""Bounds of what a package may cost to read, whoever wrote it."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

__all__ = ["DEFAULT_LIMITS", "PackageLimits"]

_MEGABYTE: Final = 1024 * 1024


class PackageLimits(Struct, frozen=True, kw_only=True):
    """Breaking one is a problem of code E009.

    A large file that nobody reads costs nothing, so a package may well hold one; what is bounded is reading it. An archive
    that unpacks to far more than it is was made to do harm: it is refused by its table of contents.
    """

    entries: int = 20_000
    depth: int = 64
    """Folders inside folders."""
    text: int = 8 * _MEGABYTE
    """One file that is read as text."""
    nodes: int = 300_000
    """Keys, scalars and containers of one YAML text, those that aliases repeat counted again (E004): some 3 MB of ordinary
    text, and 1.5 s and 100 MB when it is made to be dear."""
    file: int = 64 * _MEGABYTE
    """One file that is read at all."""
    archive: int = 1024 * _MEGABYTE
    """Everything in an archive, unpacked."""
    ratio: int = 100
    """Unpacked size by packed size of one member, where it is worth looking at: from `ratio_from` on."""
    ratio_from: int = _MEGABYTE


DEFAULT_LIMITS: Final = PackageLimits()
