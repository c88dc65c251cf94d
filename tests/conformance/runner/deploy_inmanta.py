"""Inmanta exports and deployments: cases of tests/conformance/deploy-inmanta, one folder each, in the form of its README."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tests.conformance.runner.case import Case
from tests.conformance.runner.folders import FolderCase, load_folders

__all__ = ["LANGUAGE", "Adapter", "DeployCase", "StepOutcome", "load"]

LANGUAGE = "deploy-inmanta"


DeployCase = FolderCase


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
    return load_folders(folder, ("steps",), _case)


def _case(file: Path, raw: dict[str, Any]) -> Case:
    return DeployCase(
        language=LANGUAGE,
        id=file.parent.name,
        file=file,
        why=raw.get("about", ""),
        raw=raw,
        rows=tuple(raw["rows"]),
    )
