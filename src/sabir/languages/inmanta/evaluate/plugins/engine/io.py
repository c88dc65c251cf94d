"""`inmanta.agent.io.local`: file and process operations of older handlers on a machine.

This file imports only the standard library. Its source is sent to other machines (`remote_io`) and run
there, so that a handler does the same wherever its agent is.
"""

from __future__ import annotations

import base64
import grp
import hashlib
import json
import os
import pwd
import shutil
import subprocess
import sys
from typing import Any, Dict, List, Optional, Tuple  # noqa: UP035  # what a machine has may be old

__all__ = ["IOBase", "LocalIO", "as_meant", "as_sent", "serve"]


class IOBase:
    """The operations of a handler on a machine."""

    def __init__(self, uri: str = "local:", config: Optional[Dict[str, Any]] = None) -> None:  # noqa: UP006, UP045
        self.uri = uri
        self.config = config or {}

    def is_remote(self) -> bool:
        return False

    def close(self) -> None:
        """Release the machine."""

    def run(
        self,
        command: str,
        arguments: Optional[List[str]] = None,  # noqa: UP006, UP045
        env: Optional[Dict[str, str]] = None,  # noqa: UP006, UP045
        cwd: Optional[str] = None,  # noqa: UP045
        timeout: Optional[float] = None,  # noqa: UP045
    ) -> Tuple[str, str, int]:  # noqa: UP006
        """Return standard output, standard error and the exit code; 127 if the command does not exist."""
        words = [command, *(arguments or [])]
        try:
            ended = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env={**os.environ, **(env or {})},
                cwd=cwd or None,
                timeout=timeout,
                check=False,
            )
        except FileNotFoundError as error:
            return "", str(error), 127
        except subprocess.TimeoutExpired:
            return "", f"{command} took longer than {timeout} s", -1
        return (
            ended.stdout.decode("utf-8", "replace").strip(),
            ended.stderr.decode("utf-8", "replace").strip(),
            ended.returncode,
        )

    def file_exists(self, path: str) -> bool:
        return os.path.lexists(path)

    def is_symlink(self, path: str) -> bool:
        return os.path.islink(path)

    def readlink(self, path: str) -> str:
        return os.readlink(path)

    def symlink(self, source: str, target: str) -> bool:
        os.symlink(source, target)
        return True

    def read_binary(self, path: str) -> bytes:
        with open(path, "rb") as file:
            return file.read()

    def read(self, path: str) -> str:
        return self.read_binary(path).decode()

    def hash_file(self, path: str) -> str:
        return hashlib.sha1(self.read_binary(path)).hexdigest()  # a name, as the export makes it

    def put(self, path: str, content: Any) -> bool:
        """Write a file atomically: to a temporary file in the same directory, then moved into place."""
        beside = f"{path}.sabir-new"
        raw = content.encode() if isinstance(content, str) else content
        with open(beside, "wb") as file:
            file.write(raw)
        if os.path.exists(path):
            shutil.copystat(path, beside)
        os.replace(beside, path)
        return True

    def remove(self, path: str) -> None:
        os.remove(path)

    def mkdir(self, path: str) -> None:
        os.mkdir(path)

    def rmdir(self, path: str) -> None:
        shutil.rmtree(path)

    def file_stat(self, path: str) -> Dict[str, Any]:  # noqa: UP006
        """Return owner and group by name, and the permissions as octal digits in a number: 644."""
        status = os.stat(path)
        return {
            "owner": pwd.getpwuid(status.st_uid).pw_name,
            "group": grp.getgrgid(status.st_gid).gr_name,
            "permissions": int(oct(status.st_mode & 0o7777)[2:]),
        }

    def chmod(self, path: str, permissions: str) -> None:
        os.chmod(path, int(str(permissions), 8))

    def chown(self, path: str, user: Optional[str] = None, group: Optional[str] = None) -> None:  # noqa: UP045
        owner = -1 if not user else pwd.getpwnam(user).pw_uid
        os.chown(path, owner, -1 if not group else grp.getgrnam(group).gr_gid)


LocalIO = IOBase


def as_sent(value: Any) -> Any:
    """Encode a value for a line of JSON; bytes become `{"bytes": BASE64}`."""
    return {"bytes": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def as_meant(value: Any) -> Any:
    """Decode a value from a line of JSON."""
    if isinstance(value, dict) and value.keys() == {"bytes"}:
        return base64.b64decode(value["bytes"])
    return value


def serve() -> None:
    """Run the calls read from standard input, one response line each. Errors are returned by name."""
    hands = IOBase()
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        try:
            arguments = [as_meant(value) for value in asked["arguments"]]
            answer = {"result": as_sent(getattr(hands, asked["call"])(*arguments, **asked["named"]))}
        except Exception as error:  # noqa: BLE001  # it is raised again where it was asked
            answer = {"error": [type(error).__name__, str(error)]}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
