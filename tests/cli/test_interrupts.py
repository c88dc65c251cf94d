"""Ctrl-C at any moment: a line, status 130, and never a traceback. TERM and KILL: nothing half-written."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# Python itself begins before us; what counts is everything after our first line.
PROGRAM = """
import sys
from sabir.cli import entry
load = entry.import_module
def begin(name):
    print("begun", flush=True)
    return load(name)
entry.import_module = begin
sys.exit(entry.sabir())
"""


def begun(*words: str, **variables: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    return process


@pytest.mark.parametrize("module", ["click", "msgspec"])
def test_while_a_module_is_imported(module: str, tmp_path: Path) -> None:
    (tmp_path / f"{module}.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(30)\n"
    )
    process = begun("check", "examples/inmanta/web", PYTHONPATH=str(tmp_path))
    _, said = process.communicate(timeout=20)
    assert said == "sabir: stopped\n"
    assert process.returncode == 130


def test_where_python_would_forget_it(tmp_path: Path) -> None:
    """An interrupt in the moment in which something is thrown away."""
    (tmp_path / "msgspec.py").write_text(
        "import os, signal, time\n"
        "class Thing:\n    def __del__(self):\n        os.kill(os.getpid(), signal.SIGINT)\n        time.sleep(1)\n"
        "Thing()\ntime.sleep(30)\n"
    )
    process = begun("check", "examples/inmanta/web", PYTHONPATH=str(tmp_path))
    _, said = process.communicate(timeout=20)
    assert said == "sabir: stopped\n"
    assert process.returncode == 130


@pytest.mark.slow
def test_at_any_moment() -> None:
    chance = random.Random(5)
    ended: list[int] = []
    for _ in range(20):
        process = begun("check", "examples/inmanta/web", "--quiet")
        time.sleep(chance.random() * 0.4)  # the moment is what is tried, not waited for
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
        assert "Traceback" not in said
        assert "KeyboardInterrupt" not in said
        ended.append(process.returncode)
    assert set(ended) <= {0, 130, -signal.SIGINT}
    assert 130 in ended


# A writer that is ended between two pieces of what it writes, or between two files.
WRITER = """
import os, signal, sys
from pathlib import Path
from sabir.cli.boundary import run_guarded
from sabir.operations.files import write_atomically, write_folder

def end():
    os.kill(os.getpid(), getattr(signal, sys.argv[2]))

def pieces():
    yield b"half"
    end()
    yield b"whole"

class Files(dict):
    def items(self):
        for number, item in enumerate(super().items()):
            if number == 3:
                end()
            yield item

def write():
    if sys.argv[1] == "file":
        write_atomically(Path("out"), pieces())
    else:
        write_folder(Path("out"), Files({f"{number}.yaml": b"new" for number in range(6)}))
    return 0

sys.exit(run_guarded(write))
"""


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("what", ["file", "folder"])
@pytest.mark.parametrize("before", [{}, {"old": "old"}])
@pytest.mark.parametrize("end", ["SIGTERM", "SIGINT", "SIGKILL"])
def test_a_writer_that_is_ended_leaves_nothing_half_written(
    what: str, before: dict[str, str], end: str, tmp_path: Path
) -> None:
    if before and what == "file":
        (tmp_path / "out").write_text("old")
    elif before:
        (tmp_path / "out").mkdir()
        (tmp_path / "out/2.yaml").write_text("old")
    there = contents(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", WRITER, what, end], cwd=tmp_path, capture_output=True, text=True, timeout=30
    )
    if end == "SIGKILL":
        # Nobody can tidy up after this: what was begun stays under a hidden name, never under the one that was asked for.
        assert done.returncode == -signal.SIGKILL
        now = {name: text for name, text in contents(tmp_path).items() if not any_hidden(name)}
        assert now == there
    else:
        assert done.returncode == 130, done.stderr
        assert done.stderr == "sabir: stopped\n"
        assert contents(tmp_path) == there
        assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".")]


def any_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in Path(name).parts)


@pytest.mark.slow
def test_a_command_that_is_ended_writes_all_or_nothing(tmp_path: Path) -> None:
    chance = random.Random(7)
    whole: set[bytes] = set()
    for number in range(15):
        out = tmp_path / str(number) / "graph.html"
        out.parent.mkdir()
        process = begun("compile", "examples/inmanta/web", "--format", "html", "-o", str(out), "--quiet")
        time.sleep(chance.random() * 0.5)  # the moment is what is tried, not waited for
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        assert [path.name for path in out.parent.iterdir()] in ([], ["graph.html"])
        whole.update(path.read_bytes() for path in out.parent.iterdir())
    assert len(whole) <= 1
