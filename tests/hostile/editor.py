"""An editor that keeps to no rule: it writes what it likes to a real server over standard input, and reads what comes."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

__all__ = ["Editor", "Ended"]


class Ended(Exception):
    """The server is gone."""


class Editor:
    def __init__(self, folder: Path, *, initialize: bool = True) -> None:
        self._errors = (folder / "stderr").open("wb")
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sabir", "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()
        if initialize:
            uri = folder.as_uri()
            folders = [{"uri": uri, "name": "x"}]
            self.ask(
                "initialize",
                {"processId": None, "rootUri": uri, "capabilities": {}, "workspaceFolders": folders},
            )
            self.tell("initialized", {})

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self._errors):
            if stream is not None:
                with suppress(OSError):  # what was not written is lost
                    stream.close()

    @property
    def said(self) -> str:
        """What stands on its standard error."""
        return (self.folder / "stderr").read_text(encoding="utf-8", errors="replace")

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def tell(self, method: str, params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: Any, *, seconds: float = 20.0) -> dict[str, Any]:
        """The answer; `TimeoutError` when none comes, `Ended` when none can come."""
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        deadline = time.monotonic() + seconds
        while True:
            try:
                message = self._messages.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise TimeoutError(method) from None
            if message is None:
                raise Ended(self.process.wait(10))
            if message.get("id") == self._number and "method" not in message:
                return message

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        length = 0
        while line := stream.readline():
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
            elif not line.strip():
                self._messages.put(json.loads(stream.read(length)))
        self._messages.put(None)
