"""`inmanta.agent.io.remote`: file and process operations of older handlers over SSH.

The source of `io` is sent once to a Python process on the other machine, through the local `ssh`
command. Calls are then exchanged line by line. The host key is always checked, and ssh never prompts
for a password.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from msgspec import Struct

from sabir.errors import DeployError
from sabir.languages.inmanta.evaluate.plugins.engine import io
from sabir.languages.inmanta.evaluate.plugins.engine.io import IOBase

__all__ = ["Here", "Place", "RemoteIO", "SshPlace", "io_for", "place_of_uri"]

_SECONDS: Final = 20
_CALLS: Final = frozenset(name for name in vars(IOBase) if not name.startswith("_")) - {"close", "is_remote"}
_ERRORS: Final[Mapping[str, type[Exception]]] = {
    cls.__name__: cls
    for cls in (FileNotFoundError, FileExistsError, PermissionError, NotADirectoryError, IsADirectoryError)
}


class Here(Struct, frozen=True, tag=True):
    """The machine that runs sabir."""


class SshPlace(Struct, frozen=True, kw_only=True, tag=True):
    """The SSH address of an agent."""

    host: str
    user: str | None = None
    port: int | None = None
    key: Path | None = None
    known_hosts: Path | None = None
    python: str = "python3"

    @property
    def words(self) -> list[str]:
        """Return the command that starts Python on the machine."""
        options = {
            "BatchMode": "yes",
            "StrictHostKeyChecking": "yes",
            "ConnectTimeout": str(_SECONDS),
            **({} if self.known_hosts is None else {"UserKnownHostsFile": str(self.known_hosts)}),
        }
        words = [
            "ssh",
            "-T",
            *(word for name, value in options.items() for word in ("-o", f"{name}={value}")),
        ]
        words += [] if self.port is None else ["-p", str(self.port)]
        words += [] if self.user is None else ["-l", self.user]
        words += [] if self.key is None else ["-i", str(self.key)]
        return [*words, "--", self.host]


Place = Here | SshPlace


def place_of_uri(uri: str) -> Place:
    """Parse `ssh://user@host:port?python=python3`; any other URI is an agent on this machine."""
    parts = urlsplit(uri)
    if parts.scheme != "ssh":
        return Here()
    if not parts.hostname or parts.hostname.startswith("-"):
        raise DeployError(f"the agent at {uri!r} names no host")
    python = parse_qs(parts.query).get("python", ["python3"])[0]
    return SshPlace(host=parts.hostname, user=parts.username, port=parts.port, python=python)


class RemoteIO(IOBase):
    """The operations of `IOBase`, run on another machine."""

    def __init__(self, place: SshPlace) -> None:
        super().__init__(f"ssh://{place.host}")
        self._place = place
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def is_remote(self) -> bool:
        return True

    def __getattribute__(self, name: str) -> Any:
        return partial(self._call, name) if name in _CALLS else super().__getattribute__(name)

    def _call(self, name: str, *arguments: Any, **named: Any) -> Any:
        asked = {"call": name, "arguments": [io.as_sent(value) for value in arguments], "named": named}
        with self._lock:
            process = self._process or self._start()
            try:
                answer = self._exchange(process, asked)
            except (OSError, ValueError):
                self._process = None
                raise DeployError(f"{self._place.host}: {self._last_error_line(process)}") from None
        if "error" in answer:
            kind, text = answer["error"]
            raise _ERRORS.get(kind, RuntimeError)(text)
        result = io.as_meant(answer["result"])
        return tuple(result) if name == "run" else result

    @staticmethod
    def _exchange(process: subprocess.Popen[bytes], asked: Mapping[str, Any]) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(asked).encode() + b"\n")
        process.stdin.flush()
        answer: dict[str, Any] = json.loads(process.stdout.readline())
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        source = Path(str(io.__file__)).read_bytes() + b"\nserve()\n"
        begin = f"import sys; exec(compile(sys.stdin.buffer.read({len(source)}), 'io', 'exec'), {{'__name__': 'io'}})"
        words = [*self._place.words, f"{self._place.python} -I -u -c {shlex.quote(begin)}"]
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except FileNotFoundError:
            raise DeployError(
                "there is no program 'ssh' here, which reaches the machines of agents"
            ) from None
        assert process.stdin is not None
        process.stdin.write(source)
        self._process = process
        return process

    @staticmethod
    def _last_error_line(process: subprocess.Popen[bytes]) -> str:
        """Return why the process ended: the last line that ssh wrote."""
        process.kill()
        assert process.stderr is not None
        lines = process.stderr.read().decode(errors="replace").strip().splitlines()
        _end_process(process)
        return lines[-1] if lines else "the connection ended"

    def close(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            _end_process(process)


def _end_process(process: subprocess.Popen[bytes]) -> None:
    """Close the input so that the process exits, and kill it if it does not."""
    with suppress(OSError):
        assert process.stdin is not None
        process.stdin.close()
    try:
        process.wait(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdout, process.stderr):
        assert pipe is not None
        pipe.close()


def io_for(place: Place | None) -> IOBase | None:
    """Return the operations for an agent: local, remote, or unavailable if its machine is not known."""
    match place:
        case None:
            return None
        case Here():
            return IOBase()
        case SshPlace():
            return RemoteIO(place)
