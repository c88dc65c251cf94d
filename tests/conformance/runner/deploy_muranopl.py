"""MuranoPL deployments: cases of tests/conformance/deploy-muranopl, one folder each, and what an adapter gives back.

A case is of one kind: `deploy` runs a program against a simulated cloud, `test` runs test fixtures, `ui` fills in a form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tests.conformance.runner.case import Case
from tests.conformance.runner.loading import CaseFileError, read_yaml

__all__ = ["Adapter", "DeployCase", "StepOutcome", "load"]

LANGUAGE = "deploy-muranopl"
_CASE_FILE = "case.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployCase(Case):
    kind: str

    @property
    def folder(self) -> Path:
        return self.file.parent

    @property
    def steps(self) -> Sequence[Mapping[str, Any]]:
        """The runs of the case, one after the other."""
        steps: Sequence[Mapping[str, Any]] = self.raw.get("steps") or (self.raw,)
        return steps


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
    """The cases below a folder, or the one that it is."""
    files = (
        [folder / _CASE_FILE] if (folder / _CASE_FILE).is_file() else sorted(folder.glob(f"*/{_CASE_FILE}"))
    )
    return [_read(file) for file in files]


def _read(file: Path) -> Case:
    raw = read_yaml(file)
    if not isinstance(raw, dict) or "name" not in raw or "kind" not in raw:
        raise CaseFileError(f"{file}: a case with a name and a kind wanted")
    return DeployCase(
        language=LANGUAGE,
        id=raw["name"],
        file=file,
        rows=tuple(raw.get("rows") or ()),
        why=str(raw.get("about", "")),
        raw=raw,
        kind=raw["kind"],
    )
