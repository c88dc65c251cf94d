"""Names of files inside a package: relative, with `/`, never leaving it."""

from __future__ import annotations

from typing import Final

__all__ = ["NOISE", "name_defect", "normal_name"]

NOISE: Final = frozenset(
    {
        ".bzr",
        ".eggs",
        ".git",
        ".hg",
        ".hypothesis",
        ".idea",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "__pycache__",
        "node_modules",
    }
)
"""Folders that tools leave beside a package; nobody means them when naming it."""


def name_defect(name: str) -> str | None:
    """Why a member name must not be followed, or None when it stays inside."""
    if "\0" in name:
        return "holds a NUL character"
    if name.startswith(("/", "\\")):
        return "is absolute"
    if name[1:2] == ":" and name[0].isascii() and name[0].isalpha():
        return "begins with a drive letter"
    if ".." in _parts(name):
        return "climbs out of the package"
    return None


def normal_name(name: str) -> str:
    """The name as `list()` gives it: `\\` is `/`, no `.` and no empty parts."""
    return "/".join(part for part in _parts(name) if part not in ("", "."))


def _parts(name: str) -> list[str]:
    return name.replace("\\", "/").split("/")
