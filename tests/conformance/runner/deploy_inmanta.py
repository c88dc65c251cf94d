"""Inmanta exports and deployments: cases of tests/conformance/deploy-inmanta, one folder each, in the form of its README."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tests.conformance.runner.case import Case
from tests.conformance.runner.loading import CaseFileError, read_yaml

__all__ = ["LANGUAGE", "Adapter", "DeployCase", "StepOutcome", "load"]

LANGUAGE = "deploy-inmanta"
_CASE_FILE = "case.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployCase(Case):
    @property
    def folder(self) -> Path:
        return self.file.parent

    @property
    def steps(self) -> Sequence[Mapping[str, Any]]:
        steps: Sequence[Mapping[str, Any]] = self.raw["steps"]
        return steps


@dataclass(slots=True, kw_only=True)
class StepOutcome:
    """How one step ended, in the words of `expect`."""

    error: str | None = None
    resources: dict[str, dict[str, Any]] = field(default_factory=dict)
    undefined: list[str] = field(default_factory=list)
    resource_sets: dict[str, str] = field(default_factory=dict)
    files_uploaded: dict[str, str] = field(default_factory=dict)
    changes: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    status: dict[str, str] = field(default_factory=dict)
    handler_state: dict[str, str] = field(default_factory=dict)
    change: dict[str, str] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    log: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    facts: list[list[str]] = field(default_factory=list)
    world: dict[str, dict[str, str]] = field(default_factory=dict)


class Adapter(Protocol):
    """`tests/conformance/adapters/deploy_inmanta.py` has a function `run` of this form: a text says why a case was not run."""

    def __call__(self, case: DeployCase, world: Path) -> list[StepOutcome] | str: ...


def load(folder: Path) -> list[Case]:
    """The cases below a folder, or the one that it is."""
    files = (
        [folder / _CASE_FILE] if (folder / _CASE_FILE).is_file() else sorted(folder.glob(f"*/{_CASE_FILE}"))
    )
    return [_read(file) for file in files]


def _read(file: Path) -> Case:
    raw = read_yaml(file)
    if not isinstance(raw, dict) or "steps" not in raw:
        raise CaseFileError(f"{file}: a case has steps")
    return DeployCase(
        language=LANGUAGE,
        id=file.parent.name,
        file=file,
        why=raw.get("about", ""),
        raw=raw,
        rows=tuple(raw["rows"]),
    )
