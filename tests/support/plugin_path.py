"""Distributions made up for a test: their entry points are on `sys.path`, as if they had been installed."""

from __future__ import annotations

from pathlib import Path

import pytest

__all__ = ["install", "offer"]


def offer(folder: Path, entry_points: str, *, name: str = "toy") -> None:
    """Put the metadata of a distribution with these entry points into a folder."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)


def install(monkeypatch: pytest.MonkeyPatch, folder: Path, entry_points: str, *, name: str = "toy") -> None:
    """The same, and put the folder on the path of this process for one test."""
    offer(folder, entry_points, name=name)
    # stevedore keeps what it found on the disk, in the user's cache folder; a test has no business there.
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.syspath_prepend(str(folder))
