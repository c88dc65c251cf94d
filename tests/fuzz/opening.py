"""One command in a warm process, and what is wrong with how it ends."""

from __future__ import annotations

import importlib
import io
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Final

from sabir.cli.boundary import invoke_command, run_guarded
from sabir.cli.main import COMMANDS, command
from sabir.cli.mpl_check import check as mpl_check

__all__ = ["MEGABYTES", "SECONDS", "prepare", "problem_at", "surround"]

SECONDS: Final = 6.0
"""Most processor time of one command under `--limits strict`, which stops the work itself after 2."""
MEGABYTES: Final = 400
"""Most memory of one command beyond what the process has before it; the work itself is stopped at 200."""
_NEVER: Final = (
    "Traceback (most recent",
    "a fault of sabir",
    "a fault of the check",
    " object at 0x",
    " at 0x7",
)


def prepare() -> None:
    """Import what the commands import, once for all processes."""
    for name in COMMANDS:
        importlib.import_module(f"sabir.cli.commands.{name}")


def surround(folder: Path) -> None:
    """Make this process one in which nothing of its user is seen or changed."""
    os.environ.update(SABIR_DEBUG="1", SABIR_CACHE_DIR=str(folder / "cache"), HOME=str(folder), NO_COLOR="1")
    os.environ.pop("XDG_CONFIG_HOME", None)


def problem_at(words: list[str], folder: Path) -> str | None:
    """What is wrong with how the command ends in this folder; None when nothing is."""
    os.chdir(folder)
    before = _memory("VmRSS:")
    _forget_the_most()
    try:
        problem = _ending(words)
    except BaseException:  # noqa: BLE001  # what gets past the boundary of the command line is a failure, too
        problem = traceback.format_exc()[-2500:]
    megabytes = (_memory("VmHWM:") - before) // 1024
    return problem or (f"took {megabytes} MB" if megabytes > MEGABYTES else None)


def _ending(words: list[str]) -> str | None:
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="replace", write_through=True)
    real = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = output
    started = time.process_time()
    try:
        if words[0] == "mpl-check":
            status = run_guarded(lambda: invoke_command(mpl_check, "mpl-check", words[1:]))
        else:
            status = run_guarded(lambda: invoke_command(command, "sabir", words))
    finally:
        sys.stdout, sys.stderr = real
    spent = time.process_time() - started
    said = output.buffer.getvalue().decode("utf-8", "replace")
    if status == 70 or any(word in said for word in _NEVER):
        return f"status {status}\n{said[-2500:]}"
    return f"took {spent:.1f} s" if spent > SECONDS else None


def _memory(line: str) -> int:
    """Kilobytes, as the system counts them; 0 where it does not tell."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(text.split()[1]) for text in lines if text.startswith(line)), 0)


def _forget_the_most() -> None:
    """From here on the system counts the most memory anew, so that neither the start nor an input before has a part in it."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return
