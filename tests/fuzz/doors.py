"""Every case file and example, damaged, through every command, as people call it.

Each input is a project and one command for it: no traceback, no status 70, no check that fails itself (E000), no address of an
object, an end within seconds and within memory. Inputs go through one warm process after another, a few hundred each; what ends or
hangs such a process is a failure of the input it was at. `--seed N --count 1` makes the input of a failure again.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import Struct, json

from tests.fuzz import opening
from tests.fuzz.material import Material, Opening
from tests.fuzz.projects import Project

__all__ = ["input_of", "run"]

_PATIENCE: Final = 60
"""Seconds after which an input that waits for something is ended."""
_INPUTS_OF_A_PROCESS: Final = 400


class _Progress(Struct):
    """What a warm process tells the one that started it, after each input."""

    next_seed: int
    failures: list[str]
    doors: dict[str, int]


@lru_cache(maxsize=1)
def _material() -> Material:
    opening.prepare()
    return Material()


def input_of(seed: int) -> tuple[Project, Opening]:
    """The project and how it is opened; the same for the same seed."""
    return _material().input(random.Random(f"doors {seed}"))


def run(count: int, seed: int) -> list[str]:
    failures: list[str] = []
    doors: Counter[str] = Counter()
    at, end = seed, seed + count
    started = time.monotonic()
    _material()
    while at < end:
        progress = _in_a_process(at, min(end, at + _INPUTS_OF_A_PROCESS))
        at = progress.next_seed
        failures += progress.failures
        doors.update(progress.doors)
        for failure in progress.failures:
            print(failure, flush=True)
        if count > _INPUTS_OF_A_PROCESS:
            clock = time.monotonic() - started
            print(f"… {at - seed} inputs, {len(failures)} failures, {clock:.0f} s on the clock", flush=True)
    for door, times in sorted(doors.items()):
        print(f"{door}: {times}")
    return failures


def _in_a_process(first: int, end: int) -> _Progress:
    """As many inputs as a process survives."""
    folder = Path(tempfile.mkdtemp(prefix="sabir-doors-"))
    try:
        process = os.fork()
        if process == 0:
            _work(folder, first, end)
        _, status = os.waitpid(process, 0)
        file = folder / "progress"
        progress = (
            json.decode(file.read_bytes(), type=_Progress) if file.exists() else _Progress(first, [], {})
        )
        if status:
            fault = f"ended the process: {os.waitstatus_to_exitcode(status)}"
            progress.failures.append(_told(progress.next_seed, fault))
            progress.next_seed += 1
        return progress
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _work(folder: Path, first: int, end: int) -> None:
    status = 1
    try:
        opening.surround(folder)
        progress = _Progress(first, [], {})
        for seed in range(first, end):
            progress.next_seed = seed
            _note(progress, folder)
            _one_input(seed, folder / "input", progress)
        progress.next_seed = end
        _note(progress, folder)
        status = 0
    except BaseException:  # noqa: BLE001  # a fault of the fuzzer itself: the process that waits has to see it
        traceback.print_exc()
    finally:
        os._exit(status)


def _note(progress: _Progress, folder: Path) -> None:
    (folder / "progress.new").write_bytes(json.encode(progress))
    (folder / "progress.new").rename(folder / "progress")


def _one_input(seed: int, folder: Path, progress: _Progress) -> None:
    project, words = input_of(seed)
    _write(project.files, folder / "project")
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = int(used.ru_utime + used.ru_stime)
    resource.setrlimit(resource.RLIMIT_CPU, (spent + _PATIENCE, resource.RLIM_INFINITY))
    signal.alarm(_PATIENCE)
    problem = opening.problem_at(words, folder)
    signal.alarm(0)
    shutil.rmtree(folder, ignore_errors=True)
    progress.doors[words[0]] = progress.doors.get(words[0], 0) + 1
    if problem:
        progress.failures.append(_told(seed, problem))


def _told(seed: int, problem: str) -> str:
    project, words = input_of(seed)
    again = f"python -m tests.fuzz doors --count 1 --seed {seed}"
    return f"=== {again}\nsabir {' '.join(words)}\n{problem}\n{project.files!r:.3000}\n"


def _write(files: Mapping[str, str], folder: Path) -> None:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
