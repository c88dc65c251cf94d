"""Cases that are a folder each: `case.yaml` says what happens, step by step, to the files beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conformance.runner.case import Case
from tests.conformance.runner.loading import CaseFileError, read_yaml

__all__ = ["FolderCase", "load_folders"]

_CASE_FILE = "case.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderCase(Case):
    @property
    def folder(self) -> Path:
        return self.file.parent

    @property
    def steps(self) -> Sequence[Mapping[str, Any]]:
        """The runs of the case, one after the other; a case without steps is one."""
        steps: Sequence[Mapping[str, Any]] = self.raw.get("steps") or (self.raw,)
        return steps


def load_folders(
    folder: Path, required: Sequence[str], case: Callable[[Path, dict[str, Any]], Case]
) -> list[Case]:
    """The cases below a folder, or the one that it is; each has the required keys."""
    files = (
        [folder / _CASE_FILE] if (folder / _CASE_FILE).is_file() else sorted(folder.glob(f"*/{_CASE_FILE}"))
    )
    return [case(file, _read(file, required)) for file in files]


def _read(file: Path, required: Sequence[str]) -> dict[str, Any]:
    raw = read_yaml(file)
    if not isinstance(raw, dict) or any(key not in raw for key in required):
        raise CaseFileError(f"{file}: a case has {' and '.join(required)}")
    return raw
