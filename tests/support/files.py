"""Files for tests: a tree of texts on the disk, a change to one line of it, and which files are open."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

__all__ = ["change_line", "open_files", "write_files"]


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    """Texts by their paths below the folder, to the letter; the folder again."""
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    return folder


def change_line(file: Path, line: int, old: str, new: str) -> None:
    """Replace a part of a line, which must be there; lines count from 1."""
    lines = file.read_text().splitlines(keepends=True)
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new)
    file.write_text("".join(lines))


def open_files(folder: Path) -> list[Path]:
    """Return the files below the folder that this process holds open, deleted ones among them."""
    targets = [entry.readlink() for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink()]
    return [target for target in targets if target.is_relative_to(folder)]
