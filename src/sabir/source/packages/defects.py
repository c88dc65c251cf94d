"""What may be wrong with a package as a container of files."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.rules import Rule

__all__ = ["LEADS_OUT", "NOT_UTF8", "TOO_MUCH", "UNREADABLE", "ReadProblem"]

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


class ReadProblem(Exception):
    """A file of a package cannot be read, by which rule and why; `PackageFile.defect` shows it."""

    def __init__(self, rule: Rule, message: str) -> None:
        super().__init__(message)
        self.rule = rule
