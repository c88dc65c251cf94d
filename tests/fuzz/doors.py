"""Every case file and example, damaged, through every command, as people call it.

Each input is a project of its own in a process of its own: no traceback, no status 70, no check that fails itself (E000), no
address of an object, an end within seconds and within memory. `--seed N --count 1` makes the input of a failure again.
"""

from __future__ import annotations

import importlib
import io
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from sabir.cli.boundary import call, guarded
from sabir.cli.main import command
from tests.fuzz.mutations import Mutator
from tests.fuzz.projects import Project, expressions, projects

__all__ = ["SECONDS", "input_of", "run"]

SECONDS: Final = 6.0
"""Most processor time of one command under `--limits strict`, which stops the work itself after 2."""
_MEGABYTES: Final = 600
_PATIENCE: Final = 60
"""Seconds after which an input that waits for something is ended."""
_NEVER: Final = (
    "Traceback (most recent",
    "a fault of sabir",
    "a fault of the check",
    " object at 0x",
    " at 0x7",
)

_PICTURES: Final = ("mermaid", "dot")
_RENDERINGS: Final = {
    "ccp": ("kubernetes", "start-order", "dependencies", "configuration", *_PICTURES),
    "muranopl": ("objectmodel", *_PICTURES),
    "inmanta": ("inmanta-resources", *_PICTURES),
    "tosca": _PICTURES,
    "graph": _PICTURES,
    "mixed": ("kubernetes", "inmanta-resources", "objectmodel", *_PICTURES),
    "environment": ("kubernetes", "inmanta-resources", "objectmodel", *_PICTURES),
}


class _Material:
    """Read once: all projects, and what their pieces are mixed from."""

    def __init__(self) -> None:
        self.projects = [project for project in projects() if project.files]
        kinds: dict[str, list[str]] = {}
        for project in self.projects:
            kinds.setdefault(project.kind, []).extend(project.files.values())
        self.mutator = Mutator(kinds)
        self.questions = expressions()

    def input(self, source: random.Random) -> Project:
        kind = source.choice(("muranopl", "inmanta", "ccp", "tosca", "graph", "mixed", ""))
        project = source.choice([entry for entry in self.projects if kind in ("", entry.kind)])
        files = self.mutator.files(project.files, project.kind, source)
        if project.kind in ("graph", "mixed") or source.random() < 0.9:
            return Project(project.kind, files, project.start, project.method)
        return self._environment(Project(project.kind, files), source.choice(self.projects))

    def _environment(self, first: Project, second: Project) -> Project:
        """Two projects as the parts of one environment."""
        parts = "".join(
            f"  {name}:\n    path: {name}{'/' + part.start if part.start else ''}\n"
            + (f"    model: {name}/model.yaml\n" if "model.yaml" in part.files else "")
            for name, part in (("a", first), ("b", second))
        )
        files = {
            f"{name}/{file}": text
            for name, part in (("a", first), ("b", second))
            for file, text in part.files.items()
        }
        return Project("environment", {**files, "sabir.yaml": f"parts:\n{parts}"})


@lru_cache(maxsize=1)
def _material() -> _Material:
    for name in ("check", "compile", "query", "why", "render", "run"):
        importlib.import_module(f"sabir.cli.commands.{name}")
    return _Material()


def _commands(path: Path, project: Project, source: random.Random) -> list[list[str]]:
    at = str(path / project.start) if project.start else str(path)
    model = ["--model", str(path / "model.yaml")] if "model.yaml" in project.files else []
    form = source.choice(("json", "yaml", "text", "dot", "mermaid", "html"))
    report = source.choice(("text", "concise", "json", "sarif", "github"))
    subject = source.choice(("outputs.o", "x", "root", "root.a", "web", "*", "a.b", "service.web"))
    doors = [
        ["check", at, "--format", report],
        ["compile", at, *model, "--format", form],
        ["query", at, *model, source.choice(_material().questions)],
        ["why", at, *model, subject],
        ["render", at, *model, "--to", source.choice(_RENDERINGS[project.kind])],
    ]
    if project.kind == "muranopl":
        doors.append(["run", at, *model, "--call", f"root.{project.method}"])
    return [[*words, "--limits", "strict"] for words in doors]


def _walk(project: Project, folder: Path, source: random.Random) -> str | None:
    """The first door at which something is wrong; in the process of one input."""
    os.environ.update(SABIR_DEBUG="1", SABIR_CACHE_DIR=str(folder / "cache"), HOME=str(folder), NO_COLOR="1")
    _write(project.files, folder / "project")
    os.chdir(folder)
    for words in _commands(folder / "project", project, source):
        (folder / "door").write_text(" ".join(words), encoding="utf-8", errors="replace")
        problem = _opened(words)
        if problem:
            return problem
    return None


def _opened(words: list[str]) -> str | None:
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="replace", write_through=True)
    sys.stdout = sys.stderr = output
    started = time.process_time()
    status = guarded(lambda: call(command, "sabir", words))
    spent = time.process_time() - started
    said = output.buffer.getvalue().decode("utf-8", "replace")
    if status == 70 or any(word in said for word in _NEVER):
        return f"status {status}\n{said[-2500:]}"
    return f"took {spent:.1f} s" if spent > SECONDS else None


def _write(files: Mapping[str, str], folder: Path) -> None:
    folder.mkdir()
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8", "surrogateescape"))


def input_of(seed: int) -> Project:
    return _material().input(random.Random(f"doors {seed}"))


def _failure(seed: int) -> str | None:
    project, source = input_of(seed), random.Random(f"words {seed}")
    folder = Path(tempfile.mkdtemp(prefix="sabir-doors-"))
    try:
        problem = _in_a_process(project, folder, source)
        if problem is None:
            return None
        door = (folder / "door").read_text(encoding="utf-8") if (folder / "door").exists() else "?"
    finally:
        shutil.rmtree(folder)
    return f"=== python -m tests.fuzz doors --count 1 --seed {seed}\nsabir {door}\n{problem}\n{project.files!r:.3000}\n"


def _in_a_process(project: Project, folder: Path, source: random.Random) -> str | None:
    process = os.fork()
    if process == 0:
        signal.alarm(_PATIENCE)
        resource.setrlimit(resource.RLIMIT_CPU, (_PATIENCE, _PATIENCE))
        try:
            problem = _walk(project, folder, source)
        except BaseException:  # noqa: BLE001  # what gets past the boundary of the command line is a failure, too
            problem = traceback.format_exc()[-2500:]
        if problem:
            (folder / "problem").write_text(problem, encoding="utf-8", errors="replace")
        os._exit(0)
    _, status, usage = os.wait4(process, 0)
    if (folder / "problem").exists():
        return (folder / "problem").read_text(encoding="utf-8")
    if status:
        return f"ended by signal {os.waitstatus_to_exitcode(status)}"
    megabytes = usage.ru_maxrss // 1024
    return f"took {megabytes} MB" if megabytes > _MEGABYTES else None


def run(count: int, seed: int) -> list[str]:
    failures: list[str] = []
    for number in range(count):
        failure = _failure(seed + number)
        if failure:
            failures.append(failure)
            print(failure, flush=True)
    return failures
