"""Watch: check paths again when their files change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from sabir.checks.options import CheckOptions
from sabir.operations.check import CheckResult, check_paths
from sabir.source.packages.file_access import NOISE

Snapshot = Mapping[str, tuple[int, int]]


class Watch:
    """The result of checking some paths, kept up to date. Only paths with a changed file are checked
    again.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        options: CheckOptions,
        *,
        interval: float = 0.5,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.paths = paths
        self.options = options
        self.interval = interval
        self.sleep = sleep
        self._seen: dict[Path, Snapshot] = {}
        self._results: dict[Path, CheckResult] = {}

    def results(self) -> Iterator[CheckResult]:
        """Yield the current result, and a new one after every change, until the caller stops iterating."""
        while True:
            if self.refresh():
                yield self.result()
            self.sleep(self.interval)

    def refresh(self) -> tuple[Path, ...]:
        """Check the paths that changed since the last call, and return them."""
        changed: list[Path] = []
        for path in self.paths:
            now = snapshot_files(path)
            if self._seen.get(path) != now:
                self._seen[path] = now
                self._results[path] = check_paths([path], self.options)
                changed.append(path)
        return tuple(changed)

    def result(self) -> CheckResult:
        results = [self._results[path] for path in self.paths]
        first = results[0].report
        report = replace(
            first,
            packages=tuple(package for result in results for package in result.report.packages),
        )
        return CheckResult(
            report=report, refused=tuple(refused for result in results for refused in result.refused)
        )


def snapshot_files(path: Path) -> Snapshot:
    """Return the modification time and size of every file in a path."""
    files: dict[str, tuple[int, int]] = {}
    for folder, names, contents in os.walk(path):
        names[:] = [name for name in names if name not in NOISE]
        for name in contents:
            _add_file(files, os.path.join(folder, name))
    _add_file(files, str(path))
    return files


def _add_file(files: dict[str, tuple[int, int]], path: str) -> None:
    try:
        status = os.stat(path)
    except OSError:
        return
    files[path] = (status.st_mtime_ns, status.st_size)
