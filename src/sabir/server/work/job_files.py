"""The files that a job writes to, is given, and is known to live by."""

from __future__ import annotations

import fcntl
from pathlib import Path

from msgspec import Struct

from sabir.server.work.commands import JobInputFiles, JobRequest


class JobFiles(Struct, frozen=True):
    """The files of one job."""

    folder: Path
    id: str

    @property
    def output(self) -> Path:
        return self.folder / f"{self.id}.out"

    @property
    def log(self) -> Path:
        return self.folder / f"{self.id}.log"

    @property
    def lock(self) -> Path:
        return self.folder / f"{self.id}.lock"

    def input_files(self, request: JobRequest) -> JobInputFiles:
        """What its process is given beside its words; only what was asked for."""
        return JobInputFiles(
            plan=None if request.plan is None else self.folder / f"{self.id}.plan",
            inputs=self.inputs if request.inputs else None,
            arguments=self.arguments if request.arguments else None,
        )

    @property
    def inputs(self) -> Path:
        return self.folder / f"{self.id}.inputs"

    @property
    def arguments(self) -> Path:
        return self.folder / f"{self.id}.arguments"

    @property
    def is_held(self) -> bool:
        """Whether the process lives."""
        try:
            with self.lock.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except FileNotFoundError:
            pass
        return False
