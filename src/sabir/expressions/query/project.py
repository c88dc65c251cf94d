"""What surrounds an evaluation: directories and values of the project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

__all__ = ["Job", "Project"]


class Job(Struct, frozen=True, kw_only=True):
    """The run of a deployment that an expression is evaluated in; it gives the folders of tasks their names."""

    id: str
    operation: str | None = None
    workflow: str | None = None


class Project(Struct, frozen=True, kw_only=True, eq=False):
    """Where an ensemble lives and what its project provides. Without a directory nothing on disk can be reached."""

    directory: Path | None = None
    """The directory of the ensemble: `.` of get_dir."""
    root: Path | None = None
    """The project's root; that of the ensemble unless given."""
    home: Path | None = None
    """The home project (UNFURL_HOME)."""
    repositories: Mapping[str, Path] = field(default_factory=dict[str, Path])
    locals: Mapping[str, Any] = field(default_factory=dict[str, Any])
    secrets: Mapping[str, Any] = field(default_factory=dict[str, Any])
    vault_password: str | None = None
    job: Job | None = None

    def __repr__(self) -> str:
        return f"Project({self.directory})"  # the password stays out of logs and tracebacks

    @property
    def top(self) -> Path | None:
        return self.root or self.directory
