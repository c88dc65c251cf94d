"""A real service in a process of its own, on a free port."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

__all__ = ["Live", "live_service"]


class Live(Struct, frozen=True):
    url: str
    token: str
    """With all rights."""


@contextmanager
def live_service(data: Path, *options: str) -> Iterator[Live]:
    """`sabir serve DATA`, until it answers; asked to stop at the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "sabir", "serve", str(data), "--port", str(port), *options]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        token = process.stderr.readline().split()[-1]
        url = f"http://127.0.0.1:{port}"
        _wait_for(url)
        try:
            yield Live(url, token)
        finally:
            process.terminate()
            process.wait(30)


def _wait_for(url: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{url}/health").close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the service does not answer")
