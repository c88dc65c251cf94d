"""The files of a job: its output, its log, its inputs, and the lock that shows that it runs."""

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
        """Return the input files of the process; only those that the request needs."""
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
        """Tell whether the process runs: it holds the lock."""
        try:
            with self.lock.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except FileNotFoundError:
            pass
        return False
