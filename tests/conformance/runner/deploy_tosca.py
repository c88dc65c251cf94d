"""TOSCA deployments: cases of tests/conformance/deploy-tosca, one folder each (README of that folder)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tests.conformance.runner.case import Case
from tests.conformance.runner.loading import CaseFileError, read_yaml

__all__ = ["Adapter", "DeployCase", "StepOutcome", "load"]

LANGUAGE = "deploy-tosca"
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
    """How one step ended; `log` are the lines that its scripts wrote, `said` everything the command printed."""

    exit: int
    said: str
    seconds: float
    log: Sequence[str] = ()
    outputs: Mapping[str, Any] = field(default_factory=dict)
    attributes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    states: Mapping[str, str] = field(default_factory=dict)


class Adapter(Protocol):
    """`run` of `tests/conformance/adapters/deploy_tosca.py`: the steps of the case in a copy of its folder, one after the other."""

    def __call__(self, case: DeployCase, folder: Path) -> list[StepOutcome]: ...


def load(folder: Path) -> list[Case]:
    """The cases below a folder, or the one that it is."""
    files = (
        [folder / _CASE_FILE] if (folder / _CASE_FILE).is_file() else sorted(folder.glob(f"*/{_CASE_FILE}"))
    )
    return [_read(file) for file in files]


def _read(file: Path) -> Case:
    raw = read_yaml(file)
    if not isinstance(raw, dict) or "name" not in raw or "steps" not in raw:
        raise CaseFileError(f"{file}: a case with a name and steps wanted")
    return DeployCase(language=LANGUAGE, id=raw["name"], file=file, why=str(raw.get("about", "")), raw=raw)
