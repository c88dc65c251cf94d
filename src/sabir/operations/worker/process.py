"""One worker process as its owner sees it: a task in, a reply in time, or the process is killed.

The owner never blocks on the process. It reads in short intervals and checks the deadline and the process in
between. So a worker that hangs, dies, or leaves a child that keeps the pipe open cannot block its owner.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from threading import Lock
from time import monotonic
from typing import Final

import msgspec

from sabir.errors import SabirError
from sabir.operations.worker.messages import Message, ProgressMessage, decode_message
from sabir.pipes import HEAD

_SLICE: Final = 0.2
_PIECE: Final = 1 << 20
_LARGEST: Final = 1 << 32


class WorkerLostError(SabirError):
    """The process is gone; the message gives the reason, as the end of a sentence that starts with "the
    worker".
    """


class WorkerProcess:
    """A process in its own session, so that everything it starts can be killed with it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.busy = Lock()
        """Held while a task is under way."""
        self._killed_because: str | None = None
        # A session of its own, so that whatever it starts is killed with it. -P: the working directory is no place to
        # import from.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "sabir.operations.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=dict(environment),
            start_new_session=True,
            bufsize=0,
        )
        assert self._process.stdout is not None
        self._answers = self._process.stdout.fileno()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._answers, selectors.EVENT_READ)
        self._received = bytearray()

    @property
    def is_alive(self) -> bool:
        return self._killed_because is None and self._process.poll() is None

    def ask(self, task: bytes, *, seconds: float, on_said: Callable[[ProgressMessage], None]) -> Message:
        """Return the reply to a task; raise `WorkerLostError`, with the process ended, if there will be
        none.
        """
        deadline = monotonic() + seconds
        stdin = self._process.stdin
        assert stdin is not None
        try:
            unsent = memoryview(task)
            while unsent:
                unsent = unsent[stdin.write(unsent) :]
            while True:
                message = decode_message(self._message(deadline, seconds))
                if not isinstance(message, ProgressMessage):
                    return message
                on_said(message)
        except OSError:
            pass  # the pipe is closed: the end of the process says why
        except msgspec.DecodeError:
            self.kill("gave an answer that cannot be read")
        except WorkerLostError:
            self.kill("was stopped")
            raise
        raise WorkerLostError(self._describe_exit())

    def _message(self, deadline: float, seconds: float) -> bytes:
        received = self._received
        self._receive(HEAD, deadline, seconds)
        size = int.from_bytes(received[:HEAD], "big")
        if size > _LARGEST:
            raise msgspec.DecodeError("too large")
        self._receive(HEAD + size, deadline, seconds)
        message = bytes(received[HEAD : HEAD + size])
        del received[: HEAD + size]
        return message

    def _receive(self, size: int, deadline: float, seconds: float) -> None:
        while len(self._received) < size:
            left = deadline - monotonic()
            if left <= 0:
                self.kill(f"did not finish within {seconds:g} s and was stopped")
                raise WorkerLostError(self._describe_exit())
            if self._selector.select(min(left, _SLICE)):
                piece = os.read(self._answers, _PIECE)
                if not piece:
                    raise WorkerLostError(self._describe_exit())
                self._received += piece
            elif self._process.poll() is not None and not self._selector.select(0):
                raise WorkerLostError(self._describe_exit())

    def _describe_exit(self) -> str:
        if self._killed_because is not None:
            return self._killed_because
        try:
            status = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return "closed its pipe and was stopped"
        if status >= 0:
            return f"ended with status {status}"
        try:
            return f"was ended by {signal.Signals(-status).name}"
        except ValueError:
            return f"was ended by signal {-status}"

    def kill(self, because: str) -> None:
        """End the process and everything it started. Only the first reason is reported."""
        if self._process.poll() is not None:
            return  # its number may belong to somebody else by now
        if self._killed_because is None:
            self._killed_because = because
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        except AttributeError:  # no groups of processes here
            self._process.kill()

    def close(self) -> None:
        """Kill the process and release its resources in this process; it cannot be used any more."""
        self.kill("was stopped")
        self._process.wait()
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
