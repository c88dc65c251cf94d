"""Hands on another machine: requests come as lines, answers go as lines, many at a time.

    {"id": 1, "do": "apply", "kind": "file", "data": {…}}
    {"id": 1, "answer": {…}}   {"id": 1, "error": "a sentence", "passing": false}   {"id": 1, "fault": "a fault of ours"}

Lines that ask for nothing only show that the other side is still there. When they stay away for too long, or the input ends,
nothing new is begun; what is being changed is finished, commands are left running with their marks, and the process ends.

Whose turn it is to change a machine.

A connection may break while requests are still on their way. Who comes next must not look, or do anything, before the hands of
the broken connection have ended; and those must not begin anything once somebody else has had a turn. Else a step could be seen
as not done and be done a moment later.
"""

from __future__ import annotations

import fcntl
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from sabir.deployments.host_agent import dispatch
from sabir.deployments.host_agent.root import Fields, HostAgentError, HostRoot, make_private_directory
from sabir.deployments.host_agent.wire import decode, encode


class LeaseSupersededError(Exception):
    """Somebody who came later has had a turn since."""


class Lease:
    """A lock on a file, taken when it is first needed and kept until the process ends. In the file stands who had it last."""

    def __init__(self, path: str, patience: float) -> None:
        self.path = path
        self.patience = patience
        self._last = self._holder()
        self._lock = threading.Lock()
        self._file: Any = None

    def acquire(self) -> None:
        with self._lock:
            if self._file is None:
                self._file = self._acquire_file()

    def _holder(self) -> bytes:
        try:
            with open(self.path, "rb") as file:
                return file.read()
        except OSError:
            return b""

    def _acquire_file(self) -> Any:
        try:
            make_private_directory(os.path.dirname(self.path))
            handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            file = os.fdopen(handle, "ab")  # it stays open: closing gives the lock back
        except OSError as error:
            raise HostAgentError(f"{self.path} cannot be written: {error.strerror}") from error
        try:
            self._wait(file)
            if self._holder() != self._last:
                raise LeaseSupersededError
            file.truncate(0)
            file.write(os.urandom(16).hex().encode("ascii"))
            file.flush()
        except BaseException:
            file.close()
            raise
        return file

    def _wait(self, file: Any) -> None:
        end = time.monotonic() + self.patience
        while True:
            try:
                return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                if time.monotonic() >= end:
                    words = "an earlier connection of this environment is still at work on the host"
                    raise HostAgentError(words, passing=True) from None
            if self._holder() != self._last:
                raise LeaseSupersededError
            time.sleep(0.02)


GREETING = b"sabir-hands "
"""Begins the first line, so that whatever the login of the host prints before can be told from it."""
_AT_ONCE = 64
_CHANGING = ("apply", "delete", "call")


def serve(lines: BinaryIO, settings: Fields) -> None:
    """Answer until the input ends. `settings`: root, turn (a name), silence (seconds)."""
    answers = os.fdopen(os.dup(1), "wb")
    root = os.path.abspath(os.path.expanduser(settings["root"]))
    problem = None if os.path.isdir(root) else f"there is no folder {root!r}"
    place = HostRoot(root, operations_folder(root))
    turns = os.path.join(os.path.dirname(place.operations), "turns")
    # Before the greeting: whoever has a turn from now on came later.
    turn = Lease(os.path.join(turns, settings["turn"]), settings["silence"] + 5.0)
    version = "{}.{}.{}".format(*sys.version_info[:3])
    answers.write(GREETING + encode({"python": version, "root": root, "error": problem}))
    answers.flush()
    _detach_streams()
    if problem is None:
        Server(place, turn, answers, settings["silence"]).run(lines)


def operations_folder(root: str) -> str:
    """Where marks are kept: below the root, or where a whole machine keeps such things."""
    if root != "/":
        return os.path.join(root, ".sabir", "operations")
    state = "/var/lib" if os.geteuid() == 0 else os.path.expanduser("~/.local/state")
    return os.path.join(state, "sabir", "operations")


def _detach_streams() -> None:
    """What is started from here neither reads requests nor writes among the answers."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.chdir("/")


class Server:
    def __init__(self, place: HostRoot, turn: Lease, answers: BinaryIO, silence: float) -> None:
        self.place = place
        self.turn = turn
        self.answers = answers
        self.silence = silence
        self.stopped = threading.Event()
        self._heard = time.monotonic()
        self._writing = threading.Lock()
        self._idle = threading.Condition()
        self._changing = 0

    def run(self, lines: BinaryIO) -> None:
        threading.Thread(target=self._watch, daemon=True).start()
        pool = ThreadPoolExecutor(_AT_ONCE)
        for line in lines:
            self._heard = time.monotonic()
            if not line.endswith(b"\n"):
                break  # cut off
            request = decode(line)
            if "do" in request and not self.stopped.is_set():
                pool.submit(self._serve, request)
        self.end()

    def end(self) -> None:
        """What is being changed is finished; looks, which may take as long as a command does, are dropped."""
        self.stopped.set()
        with self._idle:
            self._idle.wait_for(lambda: self._changing == 0)
        os._exit(0)

    def _watch(self) -> None:
        while time.monotonic() - self._heard < self.silence:
            time.sleep(min(1.0, self.silence / 4))
        self.end()

    def _serve(self, request: Fields) -> None:
        changes = request["do"] in _CHANGING
        with self._idle:
            if self.stopped.is_set():
                return
            self._changing += changes
        try:
            self._write(dict(self.answer(request), id=request["id"]))
        finally:
            with self._idle:
                self._changing -= changes
                self._idle.notify_all()

    def answer(self, request: Fields) -> dict[str, Any]:
        data = request["data"]
        try:
            if request["do"] != "read":
                self.turn.acquire()
                data = dict(data, stopped=self.stopped.is_set)
            return {"answer": dispatch.run_verb(request["do"], request["kind"], data, self.place)}
        except HostAgentError as error:
            return {"error": str(error), "passing": error.passing}
        except LeaseSupersededError:
            os._exit(0)  # nothing was begun: it would have needed the turn
        except Exception as error:  # noqa: BLE001  the one who asked is told, and the others are answered
            return {"fault": f"{type(error).__name__}: {error}"}

    def _write(self, answer: Fields) -> None:
        try:
            with self._writing:
                self.answers.write(encode(answer))
                self.answers.flush()
        except (OSError, ValueError):
            self.stopped.set()  # nobody listens any more
