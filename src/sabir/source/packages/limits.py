"""Limits on the cost of reading an untrusted package, and the rules for invalid packages."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from sabir.diagnostics.rules import Rule
from sabir.errors import InputError

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
    package_nodes: int = 3_000_000
    """The same, of all files of a package together."""
    archive_nodes: int = 5_000
    """The same, for each kilobyte of an archive as it is packed, and for no fewer than twenty: text packs well, but what costs
    50 ms or 2 MB for each of them was made to."""
    file: int = 64 * _MEGABYTE
    """One file that is read at all."""
    archive: int = 1024 * _MEGABYTE
    """Everything in an archive, unpacked."""
    ratio: int = 100
    """Unpacked size by packed size of one member, where it is worth looking at: from `ratio_from` on."""
    ratio_from: int = _MEGABYTE


class NodeBudget:
    """What the files of one package may still cost, of nodes that are read."""

    __slots__ = ("left", "whole")

    def __init__(self, whole: int) -> None:
        self.whole = whole
        self.left = whole

    @staticmethod
    def of(limits: PackageLimits, packed: int | None = None) -> NodeBudget:
        """`packed`: the size of the archive that the package is."""
        if packed is None:
            return NodeBudget(limits.package_nodes)
        return NodeBudget(min(limits.package_nodes, limits.archive_nodes * max(packed // 1024, 20)))

    def spend(self, nodes: int) -> None:
        self.left = max(0, self.left - nodes)


DEFAULT_LIMITS: Final = PackageLimits()
STRICT_LIMITS: Final = PackageLimits(
    entries=5_000, text=2 * _MEGABYTE, nodes=100_000, package_nodes=200_000, archive=64 * _MEGABYTE
)


NOT_UTF8: Final = Rule(
    code="E003",
    title="file is not UTF-8 text",
    why="Descriptions are UTF-8 wherever they are read, so another encoding would change names and texts on the way. "
    "Save the file as UTF-8; `iconv -f latin1 -t utf-8` does it in a shell.",
    examples="sabir.source",
)

LEADS_OUT: Final = Rule(
    code="E008",
    title="archive member or link leads out of the package",
    why="Unpacking a member whose name is absolute or climbs out with `..`, or following a symlink, would read or write "
    "files that are none of the package's business. Such a member is never read. Pack the archive from inside the "
    "folder, with relative names, and with files instead of links.",
    examples="sabir.source",
)

TOO_MUCH: Final = Rule(
    code="E009",
    title="archive holds a member twice or breaks the size limits",
    why="Of two members with one name, different tools read different ones; an archive of a few kilobytes that unpacks to "
    "gigabytes is made to exhaust memory. Pack the archive anew from the files.",
    examples="sabir.source",
)

UNREADABLE: Final = Rule(
    code="E901",
    title="part of the package cannot be read",
    why="A file that may not be opened, an encrypted or damaged member of an archive, a pipe or a device: its content is "
    "unknown, so nothing is said about it. Allow reading it, pack the archive anew, or take it out.",
    examples="sabir.source",
)


class PackageReadError(InputError):
    """A file of a package cannot be read, by which rule and why; `PackageFile.defect` shows it."""

    def __init__(self, rule: Rule, message: str) -> None:
        super().__init__(message)
        self.rule = rule
