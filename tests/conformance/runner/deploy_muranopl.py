"""MuranoPL deployments: cases of tests/conformance/deploy-muranopl, one folder each, and what an adapter gives back.

A case is of one kind: `deploy` runs a program against a simulated cloud, `test` runs test fixtures, `ui` fills in a form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tests.conformance.runner.case import Case
from tests.conformance.runner.folders import FolderCase, load_folders

__all__ = ["Adapter", "DeployCase", "StepOutcome", "load"]

LANGUAGE = "deploy-muranopl"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployCase(FolderCase):
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOutcome:
    """How one run ended, in the form of `expect`: entries of effects and reports have the key `thread` where branches made them."""

    effects: Sequence[Mapping[str, Any]] = ()
    reports: Sequence[Mapping[str, Any]] = ()
    model: Mapping[str, Any] | None = None
    result: Any = None
    error: Mapping[str, Any] | None = None


class Adapter(Protocol):
    """`tests/conformance/adapters/deploy_muranopl.py` has a function `run` of this form; the outcome has the form that the kind of
    the case compares."""

    def __call__(self, case: DeployCase) -> Any: ...


def load(folder: Path) -> list[Case]:
    return load_folders(folder, ("name", "kind"), _case)


def _case(file: Path, raw: dict[str, Any]) -> Case:
    return DeployCase(
        language=LANGUAGE,
        id=raw["name"],
        file=file,
        rows=tuple(raw.get("rows") or ()),
        why=str(raw.get("about", "")),
        raw=raw,
        kind=raw["kind"],
    )
