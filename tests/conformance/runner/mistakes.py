"""Slips that people make: a correct project, one edit, and what has to be said about it (README of that folder)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from tests.conformance.runner.case import Case
from tests.conformance.runner.loading import CaseFileError, malformed, read_yaml
from tests.conformance.runner.shape import (
    ANYTHING,
    INTEGER,
    TEXT,
    Shape,
    each,
    one_of,
    optional,
    required,
)

__all__ = ["Adapter", "MistakeCase", "MistakeOutcome", "Said", "edited_project", "load"]

_EDIT = Shape({"old": required(TEXT), "new": required(TEXT), "file": optional(TEXT)})
_CASE = Shape(
    {
        "id": required(INTEGER),
        "language": required(one_of("muranopl", "inmanta", "ccp", "tosca")),
        "title": required(TEXT),
        "file": optional(TEXT),
        "old": optional(TEXT),
        "new": optional(TEXT),
        "edits": optional(each(_EDIT)),
        "command": required(one_of("check", "run")),
        "line": required(ANYTHING),
        "near": optional(TEXT),
        "severity": optional(one_of("error", "warning")),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakeCase(Case):
    projects: Path
    written_in: str
    edits: tuple[tuple[str, str, str], ...]
    """File, old and new text; none: the correct project itself."""
    command: str
    file: Path
    """The list of slips."""
    slip: str | None
    """The file that has the slip, from the project's folder."""
    lines: tuple[int, ...] | None
    near: str | None
    severity: str

    @property
    def model(self) -> Path:
        return Path(f"{self.written_in}.model.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One finding, as a user sees it; `file` is a path on disk, `text` everything it says."""

    code: str
    severity: str
    file: Path | None
    line: int | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakeOutcome:
    exit: int
    findings: tuple[Said, ...]


class Adapter(Protocol):
    """Runs the command of the case on the project folder, whose model (if any) lies beside it."""

    def __call__(self, case: MistakeCase, project: Path) -> MistakeOutcome: ...


def load(folder: Path) -> list[Case]:
    """The correct projects first, then every slip."""
    file = folder / "mistakes.yaml"
    slips = read_yaml(file)
    if not isinstance(slips, list):
        raise CaseFileError(f"{file}: a list of slips wanted")
    correct = [
        _correct(folder, project) for project in sorted((folder / "projects").iterdir()) if project.is_dir()
    ]
    return [*correct, *(_case(folder, file, raw) for raw in slips)]


def _case(folder: Path, file: Path, raw: Any) -> Case:
    problems = _CASE(raw, "")
    if problems:
        return malformed("mistakes", file, raw, problems)
    edits = raw.get("edits") or [{"old": raw["old"], "new": raw["new"]}]
    lines = raw["line"]
    return MistakeCase(
        language="mistakes",
        id=f"{raw['language']}-{raw['id']}",
        why=raw["title"],
        raw=raw,
        projects=folder / "projects",
        written_in=raw["language"],
        edits=tuple((edit.get("file", raw.get("file")), edit["old"], edit["new"]) for edit in edits),
        command=raw["command"],
        file=file,
        slip=raw.get("file") or edits[0]["file"],
        lines=None if lines is None else tuple(lines) if isinstance(lines, list) else (lines,),
        near=raw.get("near"),
        severity=raw.get("severity", "error"),
    )


def _correct(folder: Path, project: Path) -> Case:
    return MistakeCase(
        language="mistakes",
        id=f"{project.name}-correct",
        raw={},
        projects=folder / "projects",
        written_in=project.name,
        edits=(),
        command="run" if (folder / "projects" / f"{project.name}.model.yaml").exists() else "compile",
        file=project,
        slip=None,
        lines=None,
        near=None,
        severity="error",
    )


@contextmanager
def edited_project(case: MistakeCase) -> Iterator[Path]:
    """A copy of the project with the slip made."""
    with TemporaryDirectory() as name:
        copy = Path(name).resolve() / "projects"
        shutil.copytree(case.projects, copy)
        project = copy / case.written_in
        for file, old, new in case.edits:
            path = project / file
            text = path.read_text(encoding="utf-8")
            if old not in text:
                raise CaseFileError(f"{case.name}: {old!r} does not stand in {file}")
            path.write_text(text.replace(old, new, 1), encoding="utf-8")
        yield project
