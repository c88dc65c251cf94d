"""TOSCA deployments: cases of tests/conformance/deploy-tosca, one folder each (README of that folder)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tests.conformance.runner.case import Case
from tests.conformance.runner.folders import FolderCase, load_folders

__all__ = ["Adapter", "DeployCase", "StepOutcome", "load"]

LANGUAGE = "deploy-tosca"


DeployCase = FolderCase


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
    return load_folders(folder, ("name", "steps"), _case)


def _case(file: Path, raw: dict[str, Any]) -> Case:
    return DeployCase(language=LANGUAGE, id=raw["name"], file=file, why=str(raw.get("about", "")), raw=raw)
