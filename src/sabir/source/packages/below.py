"""Whether a path stays where it should."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["is_below"]


def is_below(path: Path, folder: Path) -> bool:
    """Whether a path is a folder or lies in it, links followed. Neither needs to exist."""
    if "\0" in str(path):
        return False
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
