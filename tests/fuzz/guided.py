"""`python -m tests.fuzz.guided TARGET [RUNS]`: inputs that atheris makes by looking at which lines they reach.

For an environment that has atheris beside sabir; `make fuzz` makes one and runs all targets. Each kind of failure is printed once,
with the bytes of its input, and the run goes on. Without a target: all of them, one process each.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

__all__ = ["main"]

_RUNS: Final = 20_000
_SECONDS: Final = 10.0
"""Most time of one input; instrumented code is a few times slower than usual."""


class _Run:
    """Counts inputs and kinds of failures; ends the process after the last input, because the fuzzer never comes back."""

    def __init__(self, name: str, check: Any, runs: int) -> None:
        self._name = name
        self._check = check
        self._runs = runs
        self._inputs = 0
        self._failures: set[str] = set()
        self._started = time.monotonic()

    def __call__(self, data: bytes) -> None:
        self._inputs += 1
        started = time.process_time()
        try:
            problem = self._check(data)
        except Exception as error:  # noqa: BLE001  # finding them is what a fuzzer is for
            problem = _told(error)
        spent = time.process_time() - started
        if problem is None and spent > _SECONDS:
            problem = f"took {spent:.1f} s"
        if problem is not None:
            self._fail(problem, data)
        if self._inputs >= self._runs:
            self._end()

    def _fail(self, problem: str, data: bytes) -> None:
        places = re.findall(r'File "[^"]+", line \d+', problem)
        kind = places[-1] if places else problem[:40]
        if kind not in self._failures:
            self._failures.add(kind)
            print(f"=== {self._name}: {data!r}\n{problem}", flush=True)

    def _end(self) -> None:
        seconds = time.monotonic() - self._started
        print(
            f"{self._name}: {self._inputs} inputs, {len(self._failures)} failures, {seconds:.0f} s on the clock",
            flush=True,
        )
        os._exit(1 if self._failures else 0)


def _told(error: Exception) -> str:
    import traceback

    return "".join(traceback.format_exception(error))[-3000:]


def _fuzz(name: str, runs: int) -> None:
    atheris = importlib.import_module("atheris")  # only in the environment that `make fuzz` makes

    with atheris.instrument_imports(include=["sabir"]):
        from tests.fuzz.guided_targets import TARGETS

    target = TARGETS[name]
    folder = Path(tempfile.mkdtemp(prefix=f"sabir-fuzz-{name}-"))
    for number, seed in enumerate(target.seeds()):
        (folder / str(number)).write_bytes(seed)
    options = [
        f"-max_len={target.longest}",
        "-timeout=60",
        "-rss_limit_mb=3000",
        "-verbosity=0",
        "-close_fd_mask=0",
    ]
    atheris.Setup([sys.argv[0], *options, str(folder)], _Run(name, target.check, runs))
    atheris.Fuzz()


def _names() -> list[str]:
    from tests.fuzz.guided_targets import TARGETS

    return list(TARGETS)


def main(words: list[str]) -> int:
    runs = int(words[1]) if len(words) > 1 else _RUNS
    if words and words[0] != "all":
        _fuzz(words[0], runs)
    program = [sys.executable, "-m", "tests.fuzz.guided"]
    ended = [subprocess.run([*program, name, str(runs)], check=False).returncode for name in _names()]
    return 1 if any(ended) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
