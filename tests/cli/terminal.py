"""A command in a pseudo-terminal that is its controlling terminal, so that Ctrl-C and Ctrl-D work as on a real one."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

__all__ = ["Terminal", "run_in_terminal"]

INTERRUPT = "\x03"
END_OF_INPUT = "\x04"
_TIMEOUT = 30.0
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    def __init__(self, master: int, process: subprocess.Popen[bytes]) -> None:
        self._master = master
        self._process = process
        self.output = ""

    @property
    def text(self) -> str:
        """What was printed, without control sequences."""
        return _CONTROL.sub("", self.output).replace("\r\n", "\n")

    @property
    def is_cursor_visible(self) -> bool:
        return self.output.rfind("\x1b[?25l") <= self.output.rfind("\x1b[?25h")

    def wait_for(self, text: str) -> None:
        """Read until the last line of the output ends with the text."""
        deadline = monotonic() + _TIMEOUT
        while not self.text.endswith(text):
            assert monotonic() < deadline, f"expected {text!r} in {self.output!r}"
            assert self._read(deadline), f"expected {text!r} before the end of {self.output!r}"

    def send(self, text: str) -> None:
        os.write(self._master, text.encode())

    def finish(self) -> int:
        """Read the rest and return the exit code."""
        deadline = monotonic() + _TIMEOUT
        while self._read(deadline):
            pass
        return self._process.wait(_TIMEOUT)

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - monotonic()))
        if not ready:
            return False
        try:
            piece = os.read(self._master, 65536)
        except OSError:  # the process closed its end
            return False
        self.output += piece.decode("utf-8", "replace")
        return bool(piece)


@contextmanager
def run_in_terminal(
    *words: str,
    folder: Path,
    columns: int = 100,
    stdout: int | None = None,
    variables: Mapping[str, str] | None = None,
) -> Generator[Terminal]:
    """Run sabir in a terminal; its stdout may go elsewhere."""
    master, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "sabir", *words],
        cwd=folder,
        env={**inherited, "TERM": "xterm-256color", "HOME": str(folder), **(variables or {})},
        stdin=terminal,
        stdout=terminal if stdout is None else stdout,
        stderr=terminal,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(terminal)
    try:
        yield Terminal(master, process)
    finally:
        process.kill()
        process.wait()
        os.close(master)
